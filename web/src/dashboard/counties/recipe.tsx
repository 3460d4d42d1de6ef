// The recipe as text, for whatever the table of columns cannot say.
import { useCall } from '../../caller.tsx';
import { Button, Field, ProblemNotice } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct } from '../../use-api.ts';
import { activeStep, type Draft } from './draft.ts';
import { useKept } from './kept.ts';

export function RecipeEditor({ draft, onChange }: { draft: Draft; onChange: () => void }) {
  const call = useCall();
  const say = useToast();
  const stored = draft.recipe ?? '';
  const [text, keep] = useKept(`platbook.recipe.${draft.id}.${draft.recipe_version}`, stored);
  const isChanged = text !== stored;
  const isBusy = activeStep(draft) !== undefined;
  const save = useAct(async () => {
    await call(`/session/counties/${draft.id}/recipe`, {
      method: 'PUT',
      body: { recipe: text, recipe_version: draft.recipe_version },
    });
    keep(undefined);
    say('Recipe saved');
    onChange();
  });
  return (
    <details open={isChanged || undefined}>
      <summary>Edit the recipe as text{draft.is_recipe_edited ? ' (edited)' : ''}</summary>
      <div className="details-body stack">
        <Field
          label="Recipe"
          hint={
            <>
              YAML. Lines marked <code>CHECK</code> are guesses. Every word is in{' '}
              <a href="/docs/recipe.schema.json">the schema</a>.
            </>
          }
        >
          {(id, described) => (
            <textarea
              id={id}
              aria-describedby={described}
              className="recipe"
              spellCheck={false}
              rows={Math.min(40, stored.split('\n').length + 1)}
              value={text}
              onChange={(event) => keep(event.target.value)}
            />
          )}
        </Field>
        <ProblemNotice problem={save.problem} />
        <div className="row">
          <Button
            look={isChanged ? 'primary' : 'plain'}
            disabled={!isChanged || isBusy}
            isRunning={save.isRunning}
            onClick={() => void save.run()}
          >
            Save recipe
          </Button>
          {isChanged && <Button onClick={() => keep(undefined)}>Discard</Button>}
        </div>
      </div>
    </details>
  );
}
