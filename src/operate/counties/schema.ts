// The shapes of county drafts and their steps.
import Type, { type Static } from 'typebox';
import { instant, list, named, nullable, oneOf, page, strict, text, wholeNumber } from '../../base/lib/schema.ts';

export const STEP_KINDS = ['read', 'preview', 'load', 'train'] as const;
const version = wholeNumber({ minimum: 0, description: 'The `recipe_version` that the caller has seen.' });

export const DraftParams = Type.Object({ id: text(40) });
export const PartQuery = strict({ offset: wholeNumber({ minimum: 0 }) });

export const NewDraft = strict({
  county: text(100, { minLength: 1 }),
  place: text(100, { minLength: 2, pattern: '[A-Za-z]' }),
  fips: text(5, { pattern: '^[0-9]{5}$' }),
  file_name: Type.Optional(text(1_000, { minLength: 1 })),
  file_bytes: Type.Optional(wholeNumber({ minimum: 1 })),
  url: Type.Optional(text(2_000, { minLength: 1 })),
});
export type NewDraft = Static<typeof NewDraft>;

/** How to read a file, if it does not say so itself. */
const Reading = strict({
  skip_lines: Type.Optional(wholeNumber({ minimum: 0, maximum: 1_000 })),
  projection: Type.Optional(text(2_000, { minLength: 1 })),
  sheet: Type.Optional(text(100, { minLength: 1 })),
  layer: Type.Optional(text(100, { minLength: 1 })),
});
export type Reading = Static<typeof Reading>;

export const ReadingForm = strict({
  meanings: Type.Optional(Type.Record(Type.String({ maxLength: 500 }), nullable(text(40)), { maxProperties: 2_000 })),
  reading: Type.Optional(Reading),
  recipe_version: version,
});

export const RecipeForm = strict({ recipe: text(500_000, { minLength: 1 }), recipe_version: version });

export const StepForm = strict({
  kind: oneOf(STEP_KINDS),
  recipe_version: Type.Optional(version),
  force: Type.Optional(Type.Boolean({ description: 'Of a training: publish whatever the back-test says.' })),
  accept: Type.Optional(list(text(120), { maxItems: 100, description: 'Findings that the operator takes on.' })),
  quick: Type.Optional(Type.Boolean()),
});

const Column = Type.Object({
  column: text(500),
  example: text(200),
  role: nullable(text(40)),
  certainty: oneOf(['stated', 'sure', 'check', 'personal', 'unused']),
});

export const StepShape = named('CountyStep', {
  object: oneOf(['county_step']),
  id: text(40),
  kind: oneOf(STEP_KINDS),
  state: oneOf(['queued', 'running', 'done', 'failed', 'canceled']),
  is_canceling: Type.Boolean(),
  recipe_version: wholeNumber(),
  progress: nullable(
    Type.Object({
      phase: text(500),
      rows: nullable(wholeNumber()),
      rows_per_second: nullable(wholeNumber()),
      share: nullable(Type.Number()),
      seconds_left: nullable(wholeNumber()),
    }),
  ),
  result: nullable(Type.Record(Type.String({ maxLength: 60 }), Type.Unknown())),
  error: nullable(text(2_000)),
  created_at: instant(),
  started_at: nullable(instant()),
  finished_at: nullable(instant()),
});

const summary = {
  object: oneOf(['county_draft']),
  id: text(40),
  place: Type.Object({ id: text(120), name: text(100), county: text(100), state: text(2), fips: text(5) }),
  file: Type.Object({
    name: text(100),
    bytes: nullable(wholeNumber()),
    received_bytes: wholeNumber(),
    url: nullable(text(2_000)),
    type: nullable(text(20)),
    rows: nullable(wholeNumber()),
    has_more: Type.Boolean(),
    shapes: wholeNumber(),
  }),
  steps: list(StepShape, { description: 'The last of each kind.' }),
  created_at: instant(),
  updated_at: instant(),
};
export const DraftSummary = named('CountyDraftSummary', summary);
export const DraftPage = page('CountyDraftPage', DraftSummary);

export const Draft = named('CountyDraft', {
  ...summary,
  reading: Reading,
  columns: list(Column),
  meanings: list(text(40), { description: 'Everything a column can be read as.' }),
  recipe: nullable(text(500_000)),
  recipe_version: wholeNumber(),
  is_recipe_edited: Type.Boolean(),
  market: nullable(text(120)),
});
