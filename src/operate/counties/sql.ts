// Every query of county drafts and their steps.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { type ColumnReport, type Meanings, type Place } from '../../supply/ingest/scaffold.ts';

export type StepKind = 'read' | 'preview' | 'load' | 'train';
export type StepState = 'queued' | 'running' | 'done' | 'failed' | 'canceled';

/** What a file does not state about itself. */
export interface Reading {
  skip_lines?: number;
  projection?: string;
  sheet?: string;
  layer?: string;
}

/** What was found in the file when it was last read. */
export interface FileSummary {
  type: string;
  rows: number;
  has_more: boolean;
  shapes: number;
  columns: ColumnReport[];
}

export interface DraftRow {
  id: string;
  place: Place;
  file_name: string;
  file_bytes: number | null;
  received_bytes: number;
  url: string | null;
  reading: Reading;
  meanings: Meanings;
  summary: FileSummary | null;
  recipe: string | null;
  recipe_version: number;
  is_recipe_edited: boolean;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface StepOptions {
  /** load: accept a file that lost many records; train: publish whatever the back-test says. */
  force?: boolean;
  /** train: a first look in seconds. */
  quick?: boolean;
}

export interface StepProgress {
  phase: string;
  rows: number | null;
  rows_per_second: number | null;
  share: number | null;
  seconds_left: number | null;
}

export interface StepRow {
  id: string;
  draft_id: string;
  kind: StepKind;
  options: StepOptions;
  recipe_version: number;
  state: StepState;
  is_cancel_requested: boolean;
  progress: StepProgress | null;
  result: Record<string, unknown> | null;
  error: string | null;
  requested_by: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

const DRAFT = `id, place, file_name, file_bytes, received_bytes, url, reading, meanings, summary, recipe, recipe_version,
  is_recipe_edited, created_by, created_at, updated_at`;
const STEP = `id, draft_id, kind, options, recipe_version, state, is_cancel_requested, progress, result, error, requested_by,
  created_at, started_at, finished_at`;

type NewDraft = Pick<DraftRow, 'id' | 'place' | 'file_name' | 'file_bytes' | 'url' | 'created_by' | 'created_at'>;

export async function insertDraft(db: Queryable, draft: NewDraft): Promise<DraftRow> {
  const { rows } = await db.query<DraftRow>(
    `insert into county_drafts (id, place, file_name, file_bytes, url, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${DRAFT}`,
    [draft.id, draft.place, draft.file_name, draft.file_bytes, draft.url, draft.created_by, draft.created_at],
  );
  return rows[0];
}

export async function findDraft(db: Queryable, id: string): Promise<DraftRow | undefined> {
  const { rows } = await db.query<DraftRow>(`select ${DRAFT} from county_drafts where id = $1`, [id]);
  return rows[0];
}

export async function lockDraft(client: Client, id: string): Promise<DraftRow | undefined> {
  const { rows } = await client.query<DraftRow>(`select ${DRAFT} from county_drafts where id = $1 for update`, [id]);
  return rows[0];
}

/** Newest first. */
export async function listDrafts(db: Queryable, limit: number): Promise<DraftRow[]> {
  const { rows } = await db.query<DraftRow>(
    `select ${DRAFT} from county_drafts order by created_at desc, id desc limit $1`,
    [limit],
  );
  return rows;
}

export async function countDrafts(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) as count from county_drafts');
  return rows[0].count;
}

export async function updateDraft(db: Queryable, draft: DraftRow): Promise<void> {
  await db.query(
    `update county_drafts set place = $2, file_name = $3, file_bytes = $4, received_bytes = $5, reading = $6, meanings = $7,
       summary = $8, recipe = $9, recipe_version = $10, is_recipe_edited = $11, updated_at = $12
     where id = $1`,
    [
      draft.id,
      draft.place,
      draft.file_name,
      draft.file_bytes,
      draft.received_bytes,
      draft.reading,
      draft.meanings,
      draft.summary,
      draft.recipe,
      draft.recipe_version,
      draft.is_recipe_edited,
      draft.updated_at,
    ],
  );
}

export async function deleteDraft(db: Queryable, id: string): Promise<void> {
  await db.query('delete from county_drafts where id = $1', [id]);
}

type NewStep = Pick<StepRow, 'id' | 'draft_id' | 'kind' | 'options' | 'recipe_version' | 'requested_by' | 'created_at'>;

/** Undefined while another step of the draft waits or runs. */
export async function insertStep(db: Queryable, step: NewStep): Promise<StepRow | undefined> {
  const { rows } = await db.query<StepRow>(
    `insert into county_steps (id, draft_id, kind, options, recipe_version, state, requested_by, created_at)
     values ($1, $2, $3, $4, $5, 'queued', $6, $7)
     on conflict (draft_id) where state in ('queued', 'running') do nothing returning ${STEP}`,
    [step.id, step.draft_id, step.kind, step.options, step.recipe_version, step.requested_by, step.created_at],
  );
  return rows[0];
}

/** The last step of each kind, of each of these drafts. */
export async function listLastSteps(db: Queryable, draftIds: string[]): Promise<StepRow[]> {
  const { rows } = await db.query<StepRow>(
    `select distinct on (draft_id, kind) ${STEP} from county_steps where draft_id = any ($1)
     order by draft_id, kind, created_at desc, id desc`,
    [draftIds],
  );
  return rows;
}

export async function findActiveStep(db: Queryable, draftId: string): Promise<StepRow | undefined> {
  const { rows } = await db.query<StepRow>(
    `select ${STEP} from county_steps where draft_id = $1 and state in ('queued', 'running')`,
    [draftId],
  );
  return rows[0];
}

/** Whether such a step was ever finished; with a version, for that version of the recipe. */
export async function hasDone(
  db: Queryable,
  step: { draftId: string; kind: StepKind; recipeVersion?: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from county_steps where draft_id = $1 and kind = $2 and state = 'done'
       and ($3::integer is null or recipe_version = $3) limit 1`,
    [step.draftId, step.kind, step.recipeVersion ?? null],
  );
  return rowCount === 1;
}

export async function findStep(db: Queryable, id: string): Promise<StepRow | undefined> {
  const { rows } = await db.query<StepRow>(`select ${STEP} from county_steps where id = $1`, [id]);
  return rows[0];
}

export async function claimStep(db: Queryable, now: Date, lockedUntil: Date): Promise<StepRow | undefined> {
  const { rows } = await db.query<StepRow>(
    `update county_steps set state = 'running', started_at = $1, locked_until = $2
     where id = (select id from county_steps where state = 'queued' order by created_at, id for update skip locked limit 1)
     returning ${STEP}`,
    [now, lockedUntil],
  );
  return rows[0];
}

/** Undefined once the step is no longer running; otherwise whether it is to be canceled. */
export async function renewStep(db: Queryable, id: string, lockedUntil: Date): Promise<boolean | undefined> {
  const { rows } = await db.query<{ is_cancel_requested: boolean }>(
    `update county_steps set locked_until = $2 where id = $1 and state = 'running' returning is_cancel_requested`,
    [id, lockedUntil],
  );
  return rows[0]?.is_cancel_requested;
}

/** Steps whose worker died with its machine, or was killed. */
export async function failLostSteps(db: Queryable, now: Date, error: string): Promise<void> {
  await db.query(
    `update county_steps set state = 'failed', error = $2, finished_at = $1, locked_until = null
     where state = 'running' and locked_until < $1`,
    [now, error],
  );
}

export async function requestCancel(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query(
    `update county_steps set is_cancel_requested = true,
       state = case when state = 'queued' then 'canceled' else state end,
       finished_at = case when state = 'queued' then $2 else finished_at end
     where id = $1 and state in ('queued', 'running')`,
    [id, now],
  );
}

export async function updateProgress(db: Queryable, id: string, progress: StepProgress): Promise<void> {
  await db.query(`update county_steps set progress = $2 where id = $1 and state = 'running'`, [id, progress]);
}

/** False if it was ended otherwise in the meantime. */
export async function finishStep(
  db: Queryable,
  end: Pick<StepRow, 'id' | 'state' | 'result' | 'error'> & { finished_at: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update county_steps set state = $2, result = $3, error = $4, finished_at = $5, locked_until = null
     where id = $1 and state = 'running'`,
    [end.id, end.state, end.result, end.error, end.finished_at],
  );
  return rowCount === 1;
}
