// Which column means what: guessed where possible, changed by hand where needed, and how the file is to be read.
import { useState } from 'react';
import { useCall } from '../../caller.tsx';
import { plural, words } from '../../format.ts';
import { Badge, Button, Field, Notice, ProblemNotice, type Tone } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useAct } from '../../use-api.ts';
import { activeStep, labelOf, type Column, type Draft } from './draft.ts';
import { useKept } from './kept.ts';

type Changes = Record<string, string>;

const MARKS: Record<Column['certainty'], [tone: Tone, text: string]> = {
  stated: ['good', 'Set by hand'],
  sure: ['good', 'Sure'],
  check: ['warn', 'Check this'],
  personal: ['neutral', 'Personal'],
  unused: ['neutral', 'Not used'],
};
const ORDER: Column['certainty'][] = ['check', 'stated', 'sure', 'unused', 'personal'];
/** Values depend on these; a county without them cannot be loaded, or not be valued. */
const NEEDED: [meanings: string[], what: string][] = [
  [['parcel'], 'a parcel number'],
  [['address_line1', 'street_name'], 'a street address'],
  [['sqft'], 'living area'],
  [['sale_price'], 'a sale price'],
  [['sale_date', 'sale_year'], 'a sale date'],
];

/** Some assessors publish a hundred columns; those that nobody needs are one press away. */
const MANY_IDLE = 12;

const meaningOf = ({ role, certainty }: Column) => role ?? (certainty === 'personal' ? 'personal' : '');

export function Columns({ draft, onChange }: { draft: Draft; onChange: () => void }) {
  const call = useCall();
  const [changes, keep] = useKept<Changes>(`platbook.columns.${draft.id}.${draft.recipe_version}`, {});
  const now = (column: Column) => changes[column.column] ?? meaningOf(column);
  const [showsAll, setShowsAll] = useState(false);
  const isBusy = activeStep(draft) !== undefined;
  const apply = useAct(async (reading?: Draft['reading']) => {
    const meanings = Object.fromEntries(
      Object.entries(changes).map(([column, meaning]) => [column, meaning === '' ? null : meaning]),
    );
    await call(`/session/counties/${draft.id}/columns`, {
      body: { meanings, recipe_version: draft.recipe_version, ...(reading && { reading }) },
    });
    keep(undefined);
    onChange();
  });
  const used = new Map<string, string[]>();
  for (const column of draft.columns) {
    const meaning = now(column);
    if (meaning !== '' && meaning !== 'personal') used.set(meaning, [...(used.get(meaning) ?? []), column.column]);
  }
  const missing = NEEDED.filter(([meanings]) => !meanings.some((meaning) => used.has(meaning)));
  const twice = [...used].find(([, columns]) => columns.length > 1);
  const change = (column: Column, meaning: string) => {
    const { [column.column]: _, ...rest } = changes;
    keep(meaning === meaningOf(column) ? rest : { ...rest, [column.column]: meaning });
  };
  const count = Object.keys(changes).length;
  const ordered = draft.columns.toSorted((a, b) => ORDER.indexOf(a.certainty) - ORDER.indexOf(b.certainty));
  const idle = ordered.filter((column) => ['', 'personal'].includes(now(column)) && !(column.column in changes));
  const isFolded = idle.length > MANY_IDLE && missing.length === 0 && !showsAll;
  return (
    <>
      {missing.length > 0 && (
        <Notice tone="warn" title={`No column is read as ${missing.map(([, what]) => what).join(', or as ')}.`}>
          <p>Choose one below if the file has it. Homes without living area or sales cannot be valued.</p>
        </Notice>
      )}
      <Table
        caption="Columns of the file"
        rows={ordered.filter((column) => !isFolded || !idle.includes(column))}
        keyOf={({ column }) => column}
        columns={[
          {
            head: 'Column, and an example',
            cell: ({ column, example }) => (
              <div className="column-name">
                <code>{column}</code>
                <span className="fine">{example}</span>
              </div>
            ),
          },
          {
            head: 'Read as',
            cell: (column) => (
              <div className="column-meaning">
                <select
                  aria-label={`Meaning of ${column.column}`}
                  value={now(column)}
                  disabled={isBusy}
                  onChange={(event) => change(column, event.target.value)}
                >
                  <option value="">Not used</option>
                  <option value="personal">Personal, not used</option>
                  {draft.meanings.map((meaning) => (
                    <option key={meaning} value={meaning}>
                      {labelOf(meaning)}
                    </option>
                  ))}
                </select>
                <Mark column={column} isChanged={column.column in changes} />
              </div>
            ),
          },
        ]}
      />
      {isFolded && (
        <div>
          <Button small look="quiet" onClick={() => setShowsAll(true)}>
            Show {plural(idle.length, 'column')} that {idle.length === 1 ? 'is' : 'are'} not used
          </Button>
        </div>
      )}
      {twice && (
        <Notice tone="bad" title={`${twice[1].join(' and ')} are both read as “${labelOf(twice[0])}”. Choose one.`} />
      )}
      {count > 0 && draft.is_recipe_edited && (
        <Notice tone="warn" title="Applying this writes the recipe anew and replaces your edits of its text." />
      )}
      <ProblemNotice problem={apply.problem} />
      <div className="row">
        <Button
          look={count > 0 ? 'primary' : 'plain'}
          disabled={count === 0 || isBusy || twice !== undefined}
          isRunning={apply.isRunning}
          onClick={() => void apply.run()}
        >
          {count > 0 ? `Apply ${plural(count, 'change')}` : 'No changes to apply'}
        </Button>
        {count > 0 && <Button onClick={() => keep(undefined)}>Discard</Button>}
      </div>
      <ReadingOptions draft={draft} isBusy={isBusy} onApply={(reading) => void apply.run(reading)} />
    </>
  );
}

function Mark({ column, isChanged }: { column: Column; isChanged: boolean }) {
  const [tone, text] = isChanged ? (['info', 'Changed'] as const) : MARKS[column.certainty];
  return <Badge tone={tone}>{text}</Badge>;
}

const OPTIONS: [name: 'projection' | 'sheet' | 'layer', label: string, hint: string, types: string[]][] = [
  [
    'projection',
    'Projection',
    'Of the coordinates, such as EPSG:2264, if they are not degrees.',
    ['geojson', 'shapefile', 'geopackage', 'parquet'],
  ],
  ['sheet', 'Sheet', 'Name of the sheet in the workbook. The first one by default.', ['xlsx']],
  ['layer', 'Layer', 'Table of the GeoPackage. The first one by default.', ['geopackage']],
];

function ReadingOptions({
  draft,
  isBusy,
  onApply,
}: {
  draft: Draft;
  isBusy: boolean;
  onApply: (reading: Draft['reading']) => void;
}) {
  const [reading, setReading] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(draft.reading).map(([name, value]) => [name, String(value)])),
  );
  const { type } = draft.file;
  const shown = OPTIONS.filter(([, , , types]) => type === null || types.includes(type));
  const hasLines = type === null || ['csv', 'tsv', 'xlsx'].includes(type);
  const set = (name: string, value: string) => setReading({ ...reading, [name]: value });
  const submit = () => {
    const filled = Object.entries(reading).filter(([, value]) => value.trim() !== '');
    onApply(
      Object.fromEntries(filled.map(([name, value]) => [name, name === 'skip_lines' ? Number(value) : value.trim()])),
    );
  };
  return (
    <details>
      <summary>The columns look wrong? Read the file differently</summary>
      <div className="details-body stack">
        {hasLines && (
          <Field label="Lines above the header" hint="Titles or notes before the row of column names.">
            {(id, described) => (
              <input
                id={id}
                aria-describedby={described}
                type="number"
                min={0}
                max={1000}
                value={reading.skip_lines ?? ''}
                onChange={(event) => set('skip_lines', event.target.value)}
              />
            )}
          </Field>
        )}
        {shown.map(([name, label, hint]) => (
          <Field key={name} label={label} hint={hint}>
            {(id, described) => (
              <input
                id={id}
                aria-describedby={described}
                type="text"
                value={reading[name] ?? ''}
                onChange={(event) => set(name, event.target.value)}
              />
            )}
          </Field>
        ))}
        <div>
          <Button onClick={submit} disabled={isBusy}>
            Read the {type ? words(type).toUpperCase() : ''} file again
          </Button>
        </div>
      </div>
    </details>
  );
}
