// The steps of a county draft, each with the same functions as the command of that name.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSources } from '../../../sources/sources.ts';
import type { Deps } from '../../base/deps.ts';
import type { JobReporter } from '../../base/jobs/jobs.ts';
import type { Job } from '../../base/jobs/sql.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import type { LoadReport } from '../../supply/ingest/report.ts';
import type { Entry } from '../../supply/catalog/catalog.ts';
import { scaffoldSource, type Place } from '../../supply/ingest/scaffold.ts';
import { fetchTo, isLayerUrl, narrowTo } from '../../supply/ingest/service.ts';
import { addresses } from '../../records/address/filing.ts';
import { loadSources, reportLoads, trainAndValue } from '../load-and-train.ts';
import { previewSource } from '../preview/preview.ts';
import { sourceOf, type StepJobName } from './counties.ts';
import { meaningsOf, noteScaffold } from './add.ts';
import { createGuardedFetch } from './fetch.ts';
import { findListed } from './known.ts';
import { folderOf, makeFolder, sizeOf } from './files.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

export const MAP_FILE = '.preview-map.svg';

interface Step<Name extends StepJobName> {
  deps: Deps;
  draft: sql.DraftRow;
  payload: Job<Name>['payload'];
  folder: string;
  report: JobReporter;
}

/** Returns the result for the dashboard. */
export async function runCountyStep(
  deps: Deps,
  { name, subject, payload }: Job<StepJobName>,
  report: JobReporter,
): Promise<object> {
  const draft = await sql.findDraft(deps.control, subject);
  if (!draft) throw new CommandError('The draft of this county was deleted.');
  const run = STEPS[name] as (step: Step<StepJobName>) => Promise<object>;
  return run({ deps, draft, payload, folder: folderOf(deps, draft.id), report });
}

const STEPS: { [Name in StepJobName]: (step: Step<Name>) => Promise<object> } = {
  'county-read': read,
  'county-preview': preview,
  'county-load': load,
  'county-train': ({ deps, draft, payload, report }) =>
    trainAndValue(deps, must(sourceOfDraft(draft).market, 'market').id, payload, report),
};

async function read({ deps, draft, folder, report }: Step<'county-read'>): Promise<object> {
  const path = join(folder, draft.file_name);
  let { file_bytes: bytes, url } = draft;
  const listed = url === null ? undefined : findListed(deps.config, draft.place.fips, url);
  if (url !== null && (await sizeOf(path)) === undefined) {
    await makeFolder(folder);
    ({ bytes, url } = await arrive(deps, { url, path, place: draft.place, listed }, report));
  }
  report({ phase: 'reading the file' });
  const paging = url !== null && isLayerUrl(url) ? ('arcgis' as const) : undefined;
  const scaffold = await scaffoldSource({
    files: [{ path, url: url ?? undefined, paging, license: listed?.license }],
    cacheFolder: folder,
    place: draft.place,
    format: draft.reading,
    meanings: { ...(listed && meaningsOf(listed.parcelField)), ...draft.meanings },
    today: isoDate(deps.clock()),
    addresses,
  });
  const { recipe, files, findings } = scaffold;
  const [{ rows, shapes, columns, ...found }] = files;
  if (listed) noteScaffold(deps.config.home, listed.url, isoDate(deps.clock()), scaffold);
  await sql.updateDraft(deps.control, {
    ...draft,
    url,
    file_bytes: bytes,
    received_bytes: bytes ?? draft.received_bytes,
    summary: { type: found.format.type, rows, has_more: found.hasMore, shapes, columns },
    recipe,
    recipe_version: draft.recipe_version + 1,
    is_recipe_edited: false,
    updated_at: deps.clock(),
  });
  return { findings };
}

/** Fetches a file, or the rows of a layer; from a statewide layer only the county's. */
async function arrive(
  { config }: Pick<Deps, 'config'>,
  { url, path, place, listed }: { url: string; path: string; place: Place; listed: Entry | undefined },
  report: JobReporter,
): Promise<{ bytes: number; url: string }> {
  const dial = { allow: config.webhookAllowPrivate, dnsServers: config.dnsServers };
  const guarded = createGuardedFetch(dial);
  try {
    const options = {
      cache: dirname(path),
      fetch: guarded.fetch,
      // A file may be anything; a layer is read row by row.
      ...(!isLayerUrl(url) && {
        attempts: 1,
        limit: { bytes: config.countyFileBytes, setting: 'COUNTY_FILE_LIMIT_MB' },
      }),
      onBytes: (_: string, have: number, total: number | undefined) =>
        report({ phase: 'downloading', share: total ? have / total : null }),
      onNote: (phase: string) => report({ phase }),
    };
    const own =
      listed?.area.length === 2 ? await narrowTo(url, { fips: place.fips, name: place.county }, options) : url;
    if (own === undefined) throw new CommandError(`No column of the state's layer names ${place.county}.`);
    await fetchTo(path, own, options);
    return { bytes: must(await sizeOf(path), 'size'), url: own };
  } finally {
    guarded.close();
  }
}

const sourceOfDraft = ({ recipe }: { recipe: string | null }) => sourceOf(must(recipe, 'recipe'));

async function preview({ deps, draft, folder, report }: Step<'county-preview'>): Promise<object> {
  const source = sourceOfDraft(draft);
  report({ phase: 'preparing an empty database' });
  const { map, reports, ...found } = await previewSource(deps.config, source, {
    from: folder,
    clock: deps.clock,
    cacheFolder: folder,
    makeProgress: reportLoads(report),
  });
  await writeFile(join(folder, MAP_FILE), map, { mode: 0o600 });
  return { market: must(source.market, 'market').id, reports: reports.map(presentReport), ...found };
}

async function load({ deps, draft, payload, folder, report }: Step<'county-load'>): Promise<object> {
  const source = sourceOfDraft(draft);
  // Lets the commands continue from here: `platbook ingest <home>/counties/<draft>/<market>.yaml`.
  await writeFile(join(folder, `${source.id}.yaml`), must(draft.recipe, 'recipe'), { mode: 0o600 });
  const sources = { sources: [source], all: [...readSources(), source] };
  const reports = await loadSources(deps, { ...sources, from: folder, accept: payload.accept, report });
  return { market: must(source.market, 'market').id, reports: reports.map(presentReport) };
}

/** Counts without examples, which would repeat what the samples show. */
const presentReport = (report: LoadReport) => ({
  source: report.sourceId,
  outcome: report.outcome,
  rows: report.rowsRead,
  skipped: report.rowsSkipped,
  quarantined: report.rowsQuarantined,
  quarantined_by_reason: report.quarantinedByReason,
  join_rate: report.joinRate,
  seconds: report.seconds,
  targets: report.targets,
  findings: report.findings,
});
