// Counties that operators onboard on the dashboard: a draft holds the file and its recipe, and steps read the file,
// preview the recipe, load it and train a model. Each step is a job, one per draft at a time.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import { readSources } from '../../../sources/sources.ts';
import { inTransaction, isStorageFull, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { stateOfCounty } from '../../base/lib/states.ts';
import { submitJob } from '../../base/jobs/jobs.ts';
import * as jobs from '../../base/jobs/sql.ts';
import { MEANINGS, type Meanings } from '../../supply/ingest/scaffold.ts';
import { isLayerUrl, layerFileName } from '../../supply/ingest/service.ts';
import type { Source } from '../../supply/ingest/source.ts';
import { findUrlProblem } from '../../base/lib/dial.ts';
import { fail } from '../../base/lib/errors.ts';
import { slugOf } from '../../base/lib/slug.ts';
import { randomId } from '../../base/lib/ids.ts';
import { auditAct, type SignedIn } from '../../customers/people/sessions.ts';
import { MARKET as SANDBOX } from '../../supply/sandbox/geography.ts';
import { folderOf, makeFolder, safeName, writePart } from './files.ts';
import { isCounty, readDraftRecipe } from './recipe.ts';
import { STEP_KINDS, type NewDraft, type ReadingForm, type RecipeForm, type StepForm } from './schema.ts';
import type { Accepted, TrainPayload } from '../../base/jobs/payloads.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

export type StepKind = (typeof STEP_KINDS)[number];
export type StepJobName = `county-${StepKind}`;
type StepJob = jobs.Job<StepJobName>;
const STEP_JOBS = STEP_KINDS.map((kind): StepJobName => `county-${kind}`);
/** At most one step of a draft is open. */
const keyOf = (draftId: string) => `county:${draftId}`;

type StepOptions = TrainPayload & { accept?: Accepted };

type CountyDeps = Pick<Deps, 'control' | 'clock' | 'config' | 'threads'>;

const MOST_DRAFTS = 500;
const listTaken = (): ReadonlySet<string> => new Set([...readSources().map(({ id }) => id), SANDBOX]);

export async function createDraft(deps: CountyDeps, signedIn: SignedIn, form: NewDraft): Promise<sql.DraftRow> {
  const fips = Number(form.fips);
  if (!isCounty(fips))
    fail('invalid_request', `${form.fips} is not the FIPS code of a county: five digits, as in 37063.`);
  const { url } = form;
  if ((url === undefined) === (form.file_bytes === undefined))
    fail('invalid_request', 'Send either `url`, or `file_name` and `file_bytes`.');
  const problem = url === undefined ? undefined : findUrlProblem(url, deps.config.webhookAllowPrivate);
  if (problem) fail('invalid_request', `The URL ${problem}.`);
  refuseTooLarge(deps, form.file_bytes ?? 0);
  const state = must(stateOfCounty(fips), `state of county ${fips}`);
  const id = freeId(form, state);
  return inTransaction(deps.control, async (client) => {
    if ((await sql.countDrafts(client)) >= MOST_DRAFTS)
      fail('invalid_state', `There are ${MOST_DRAFTS} drafts already. Delete some first.`);
    const draft = await sql.insertDraft(client, {
      id: randomId('cty'),
      place: { id, name: form.place, state, fips, county: form.county },
      file_name: form.file_name === undefined ? nameOfUrl(must(url, 'URL')) : safeName(form.file_name),
      file_bytes: form.file_bytes ?? null,
      url: url ?? null,
      created_by: signedIn.user.id,
      created_at: deps.clock(),
    });
    const details = { place: draft.place.id, file: draft.file_name };
    await auditAct(deps, client, signedIn, { action: 'county.created', target: draft.id, details });
    if (url !== undefined) await queueStep(deps, client, draft, 'read');
    return draft;
  });
}

const nameOfUrl = (url: string): string => (isLayerUrl(url) ? layerFileName(url) : safeName(new URL(url).pathname));

function refuseTooLarge({ config }: Pick<Deps, 'config'>, bytes: number): void {
  if (bytes <= config.countyFileBytes) return;
  const limit = Math.round(config.countyFileBytes / 1024 / 1024);
  fail('payload_too_large', `The file is larger than ${limit} MB, the limit set by COUNTY_FILE_LIMIT_MB.`);
}

/** Named after the place, or after its county if the program has a source of that name. */
export function freeId({ place, county }: Pick<NewDraft, 'place' | 'county'>, state: string): string {
  const [first, second] = [place.split(',')[0], county].map((name) => slugOf(`${name} ${state}`));
  const taken = listTaken();
  return [first, second].find((id) => !taken.has(id)) ?? `${first}-2`;
}

export const getDraft = async (deps: Pick<Deps, 'control'>, id: string): Promise<sql.DraftRow> =>
  (await sql.findDraft(deps.control, id)) ?? failUnknown(id);

function failUnknown(id: string): never {
  return fail('resource_not_found', `No county draft has the id ${id}.`);
}

/** Parts arrive in order, each with its byte offset, so that an interrupted upload can resume. */
export async function receivePart(
  deps: CountyDeps,
  signedIn: SignedIn,
  { id, offset, part }: { id: string; offset: number; part: Buffer },
): Promise<sql.DraftRow> {
  try {
    return await inTransaction(deps.control, async (client) => {
      const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
      const { file_bytes: whole } = draft;
      if (whole === null) fail('invalid_state', 'This county’s file is fetched from its URL.');
      if (offset !== draft.received_bytes)
        fail('invalid_state', `The next part of the file begins at byte ${draft.received_bytes}.`);
      if (offset + part.length > whole)
        fail('payload_too_large', `The upload exceeds the declared \`file_bytes\` of ${whole}.`);
      const folder = folderOf(deps, id);
      await makeFolder(folder);
      await writePart(join(folder, draft.file_name), offset, part);
      const now = { ...draft, received_bytes: offset + part.length, updated_at: deps.clock() };
      await sql.updateDraft(client, now);
      if (now.received_bytes === whole) {
        const details = { file: draft.file_name, bytes: whole };
        await auditAct(deps, client, signedIn, { action: 'county.file_uploaded', target: id, details });
        await queueStep(deps, client, now, 'read');
      }
      return now;
    });
  } catch (error) {
    if (!isStorageFull(error) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await beginFileAnew(deps, id);
    if (isStorageFull(error))
      fail('storage_full', 'The disk is full, so nothing of the file was kept. Free some space, then upload it again.');
    return fail('invalid_state', 'The first parts of the file are gone. Upload it again from the beginning.');
  }
}

async function beginFileAnew(deps: CountyDeps, id: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const draft = await sql.lockDraft(client, id);
    if (!draft) return;
    await rm(join(folderOf(deps, id), draft.file_name), { force: true });
    await sql.updateDraft(client, { ...draft, received_bytes: 0, updated_at: deps.clock() });
  });
}

/** Keeps two people from overwriting each other's changes to a recipe. */
function refuseOther(draft: sql.DraftRow, version: number | undefined): void {
  if (version !== undefined && version !== draft.recipe_version)
    fail('invalid_state', 'Someone changed this recipe in the meantime. Look at it again, then repeat your change.');
}

async function refuseWhileBusy(client: Client, id: string): Promise<void> {
  if (await jobs.findOpenJob(client, keyOf(id))) failBusy();
}

function failBusy(): never {
  return fail('invalid_state', 'A step of this county is still running. Wait for it, or cancel it.');
}

/** Changes the meanings of columns or how the file is read. The worker then rewrites the recipe. */
export const changeReading = async (
  deps: CountyDeps,
  signedIn: SignedIn,
  id: string,
  change: Static<typeof ReadingForm>,
): Promise<StepJob> =>
  inTransaction(deps.control, async (client) => {
    const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
    refuseOther(draft, change.recipe_version);
    const meanings = { ...draft.meanings, ...change.meanings };
    refuseMeanings(meanings);
    const now = { ...draft, meanings, reading: change.reading ?? draft.reading, updated_at: deps.clock() };
    await sql.updateDraft(client, now);
    await auditAct(deps, client, signedIn, { action: 'county.columns_changed', target: id });
    return queueStep(deps, client, now, 'read');
  });

function refuseMeanings(meanings: Meanings): void {
  const used = Object.values(meanings).filter((meaning) => meaning !== null && meaning !== 'personal');
  const unknown = used.find((meaning) => !MEANINGS.includes(meaning!));
  if (unknown) fail('invalid_request', `\`${unknown}\` is not a meaning of a column.`);
  const twice = used.find((meaning, i) => used.indexOf(meaning) !== i);
  if (twice) fail('invalid_request', `Two columns are to be read as \`${twice}\`. Choose one of them.`);
}

export async function changeRecipe(
  deps: CountyDeps,
  signedIn: SignedIn,
  id: string,
  change: Static<typeof RecipeForm>,
): Promise<sql.DraftRow> {
  await refuseRecipe(deps, change.recipe);
  return inTransaction(deps.control, async (client) => {
    const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
    refuseOther(draft, change.recipe_version);
    await refuseWhileBusy(client, id);
    const now: sql.DraftRow = {
      ...draft,
      recipe: change.recipe,
      recipe_version: draft.recipe_version + 1,
      is_recipe_edited: true,
      updated_at: deps.clock(),
    };
    await sql.updateDraft(client, now);
    await auditAct(deps, client, signedIn, { action: 'county.recipe_changed', target: id });
    return now;
  });
}

async function refuseRecipe(deps: Pick<Deps, 'threads'>, recipe: string): Promise<void> {
  const { problem } = await checkRecipe(deps, recipe);
  if (problem !== undefined) fail('invalid_request', problem);
}

/** The market of a recipe, or null if the recipe is invalid. */
export const marketOf = async (deps: Pick<Deps, 'threads'>, recipe: string): Promise<string | null> =>
  (await checkRecipe(deps, recipe)).market ?? null;

function checkRecipe({ threads }: Pick<Deps, 'threads'>, recipe: string) {
  const place = { file: new URL('./recipe.ts', import.meta.url), name: 'checkDraftRecipe', account: 'operators' };
  return threads.run<typeof import('./recipe.ts').checkDraftRecipe>(place, recipe, listTaken());
}

/** Throws one error that lists every problem of the recipe. */
export const sourceOf = (recipe: string): Source => readDraftRecipe(recipe, listTaken());

export async function startStep(
  deps: CountyDeps,
  signedIn: SignedIn,
  id: string,
  wanted: Static<typeof StepForm>,
): Promise<StepJob> {
  const { kind, recipe_version, accept, ...others } = wanted;
  const options: StepOptions = { ...others, ...(accept && { accept: { ids: accept, by: signedIn.user.email } }) };
  return inTransaction(deps.control, async (client) => {
    const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
    refuseOther(draft, recipe_version);
    await refuseTooSoon(client, draft, kind);
    if (kind !== 'read') await refuseRecipe(deps, must(draft.recipe, 'recipe'));
    const step = await queueStep(deps, client, draft, kind, options);
    await auditAct(deps, client, signedIn, { action: `county.${kind}_started`, target: id, details: { ...options } });
    return step;
  });
}

async function refuseTooSoon(client: Client, draft: sql.DraftRow, kind: StepKind): Promise<void> {
  const { id: subject, recipe_version } = draft;
  if (kind === 'read' && draft.url === null && draft.received_bytes !== draft.file_bytes)
    fail('invalid_state', 'The file has not arrived in full. Upload the rest of it.');
  if (kind !== 'read' && draft.recipe === null) fail('invalid_state', 'The file has not been read yet.');
  if (
    kind === 'load' &&
    !(await jobs.hasDone(client, { name: 'county-preview', subject, payload: { recipe_version } }))
  )
    fail('invalid_state', 'Preview this version of the recipe first.');
  if (kind === 'train' && !(await jobs.hasDone(client, { name: 'county-load', subject })))
    fail('invalid_state', 'Load the county first.');
}

async function queueStep(
  deps: CountyDeps,
  client: Client,
  { id, recipe_version }: sql.DraftRow,
  kind: StepKind,
  options: StepOptions = {},
): Promise<StepJob> {
  const payload = { recipe_version, ...options };
  const step = { name: `county-${kind}` as const, subject: id, key: keyOf(id), payload };
  const { job, isNew } = await submitJob(deps, client, step);
  return isNew ? job : failBusy();
}

/** The last step of each kind for each draft. */
export const listLastSteps = (db: Queryable, draftIds: string[]): Promise<StepJob[]> =>
  jobs.listLatestJobs(db, STEP_JOBS, draftIds);

export const kindOf = ({ name }: { name: string }): StepKind => name.slice('county-'.length) as StepKind;

/** A queued step is canceled at once; a running one is stopped by its worker within seconds. */
export async function cancelStep(deps: CountyDeps, signedIn: SignedIn, id: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
    const step = await jobs.findOpenJob(client, keyOf(draft.id));
    if (!step) fail('invalid_state', 'No step of this county is running.');
    await jobs.requestCancel(client, step.id, deps.clock());
    await auditAct(deps, client, signedIn, { action: `county.${kindOf(step)}_canceled`, target: id });
  });
}

/** Deletes the draft and its file; records loaded from it stay. */
export async function deleteDraft(deps: CountyDeps, signedIn: SignedIn, id: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const draft = (await sql.lockDraft(client, id)) ?? failUnknown(id);
    await refuseWhileBusy(client, id);
    // Files first: a crash in between leaves a draft to delete again, not orphaned files.
    await rm(folderOf(deps, id), { recursive: true, force: true });
    await jobs.deleteJobsOf(client, STEP_JOBS, id);
    await sql.deleteDraft(client, id);
    const details = { place: draft.place.id };
    await auditAct(deps, client, signedIn, { action: 'county.deleted', target: id, details });
  });
}
