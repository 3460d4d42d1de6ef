// What the steps of a draft do, each with the same functions as the command of its name.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isoDate } from '../../base/lib/clock.ts';
import type { Segment } from '../../insight/avm/card.ts';
import type { Deps } from '../../base/deps.ts';
import { ingest, type IngestDeps } from '../../supply/ingest/ingest.ts';
import { tellPhases, type LoadPhase } from '../../supply/ingest/progress.ts';
import type { LoadReport } from '../../supply/ingest/report.ts';
import { scaffoldSource } from '../../supply/ingest/scaffold.ts';
import type { Source } from '../../supply/ingest/source.ts';
import { CommandError, explain } from '../../base/lib/command-error.ts';
import { previewSource } from '../preview/preview.ts';
import { quick } from '../../insight/training/parameters.ts';
import { measureMarket } from '../../insight/quality/quality.ts';
import { trainMarket } from '../../insight/training/training.ts';
import { sourceOf } from './counties.ts';
import { fetchFile } from './fetch.ts';
import { folderOf, makeFolder, sizeOf } from './files.ts';
import * as sql from './sql.ts';

export const MAP_FILE = '.preview-map.svg';
const TELL_EVERY_MS = 500;

/** What lies upstairs: the sources of the program, and the work that follows a load or a training. */
interface StepPorts {
  sources(): Source[];
  loading(deps: Deps): IngestDeps;
  followLoad(deps: Deps, all: Source[], market: string): Promise<void>;
  valueAndRollUp(deps: Deps, market: string): Promise<{ valued: number }>;
}

interface Doing {
  deps: Deps;
  ports: StepPorts;
  draft: sql.DraftRow;
  step: sql.StepRow;
  folder: string;
  tell: (progress: Partial<sql.StepProgress> & { phase: string }) => void;
}

/** Ends the step in the database, well or not. */
export async function performStep(deps: Deps, ports: StepPorts, stepId: string): Promise<void> {
  const step = await sql.findStep(deps.control, stepId);
  const draft = step && (await sql.findDraft(deps.control, step.draft_id));
  if (!draft) return;
  const progress = createTeller(deps, stepId);
  const folder = folderOf(deps, draft.id);
  const end = {
    id: stepId,
    state: 'done' as sql.StepState,
    result: null as object | null,
    error: null as string | null,
  };
  try {
    end.result = await WORK[step.kind]({ deps, ports, draft, step, folder, tell: progress.tell });
  } catch (error) {
    const told = explain(error);
    if (typeof told !== 'string') deps.log.error({ err: error, step: step.kind }, 'a step of a county failed');
    end.state = 'failed';
    end.error = (typeof told === 'string' ? told : (error as Error).message).slice(0, 2_000);
  }
  await progress.settle();
  await sql.finishStep(deps.control, {
    ...end,
    result: end.result as Record<string, unknown> | null,
    finished_at: deps.clock(),
  });
}

const WORK: Record<sql.StepKind, (doing: Doing) => Promise<object>> = { read, preview, load, train };

/** Writes where a step is, not more often than someone could read it. */
function createTeller(deps: Deps, stepId: string) {
  let lastAt = 0;
  let lastPhase = '';
  let written = Promise.resolve();
  return {
    tell({ phase, ...rest }: Partial<sql.StepProgress> & { phase: string }) {
      const now = performance.now();
      if (phase === lastPhase && now - lastAt < TELL_EVERY_MS) return;
      [lastAt, lastPhase] = [now, phase];
      const progress = { phase, rows: null, rows_per_second: null, share: null, seconds_left: null, ...rest };
      // What cannot be written now is overtaken by what comes next.
      written = written.then(() => sql.updateProgress(deps.control, stepId, progress)).catch(() => {});
    },
    settle: () => written,
  };
}

const followWith = (tell: Doing['tell']) => (_label: string, bytes: number) =>
  tellPhases(bytes, ({ phase, rows, share, rowsPerSecond, secondsLeft }: LoadPhase) =>
    tell({ phase, rows, share, rows_per_second: rowsPerSecond, seconds_left: secondsLeft }),
  );

async function read({ deps, draft, folder, tell }: Doing): Promise<object> {
  const { config } = deps;
  const path = join(folder, draft.file_name);
  let bytes = draft.file_bytes;
  if (draft.url !== null && (await sizeOf(path)) === undefined) {
    await makeFolder(folder);
    bytes = await fetchFile({
      url: draft.url,
      path,
      dial: { allow: config.webhookAllowPrivate, dnsServers: config.dnsServers },
      mostBytes: config.countyFileBytes,
      onBytes: (have, total) => tell({ phase: 'downloading', share: total ? have / total : null }),
    });
  }
  tell({ phase: 'reading the file' });
  const { skip_lines: skipLines, ...format } = draft.reading;
  const { recipe, files } = await scaffoldSource({
    files: [path],
    url: draft.url ?? undefined,
    cacheFolder: folder,
    place: draft.place,
    format: { ...format, ...(skipLines !== undefined && { skipLines }) },
    meanings: draft.meanings,
    today: isoDate(deps.clock()),
  });
  const [found] = files;
  await sql.updateDraft(deps.control, {
    ...draft,
    file_bytes: bytes,
    received_bytes: bytes ?? draft.received_bytes,
    summary: {
      type: found.format.type,
      rows: found.rows,
      has_more: found.hasMore,
      shapes: found.shapes,
      columns: found.columns,
    },
    recipe,
    recipe_version: draft.recipe_version + 1,
    is_recipe_edited: false,
    updated_at: deps.clock(),
  });
  return {};
}

async function preview({ deps, draft, folder, tell }: Doing): Promise<object> {
  const source = sourceOf(draft.recipe!);
  tell({ phase: 'preparing an empty database' });
  const { map, ...found } = await previewSource(deps.config, source, {
    from: folder,
    clock: deps.clock,
    cacheFolder: folder,
    makeProgress: followWith(tell),
  });
  await writeFile(join(folder, MAP_FILE), map, { mode: 0o600 });
  const { reports, samples, properties, filled } = found;
  return { market: source.market!.id, reports: reports.map(presentReport), samples, properties, filled };
}

async function load({ deps, ports, draft, step, folder, tell }: Doing): Promise<object> {
  const source = sourceOf(draft.recipe!);
  const all = [...ports.sources(), source];
  // So that the commands can go on from here: `platbook ingest <home>/counties/<draft>/<market>.yaml`.
  await writeFile(join(folder, `${source.id}.yaml`), draft.recipe!, { mode: 0o600 });
  const reports = await ingest({ ...ports.loading(deps), makeProgress: followWith(tell) }, [source], all, {
    from: folder,
    force: step.options.force,
    afterLoad: async (market) => {
      tell({ phase: 'indexing addresses' });
      await ports.followLoad(deps, all, market);
    },
  });
  return { market: source.market!.id, reports: reports.map(presentReport) };
}

async function train({ deps, ports, draft, step, tell }: Doing): Promise<object> {
  const market = sourceOf(draft.recipe!).market!.id;
  let phase = 'reading sales';
  tell({ phase });
  const { card, ...training } = await trainMarket(deps, market, {
    isForced: step.options.force,
    ...(step.options.quick && { parameters: quick }),
    report: (line) => tell({ phase: (phase = line) }),
    progress: (done, total) => tell({ phase, share: done / total }),
    home: deps.config.home,
  });
  let valued = 0;
  if (training.isPublished) {
    tell({ phase: 'valuing every home' });
    ({ valued } = await ports.valueAndRollUp(deps, market));
    tell({ phase: 'measuring quality' });
    await measureMarket(deps, market);
  }
  const all: Segment | undefined = card.segments.find(({ kind }) => kind === 'all');
  if (!all) throw new CommandError('The back-test valued no sale.');
  return {
    market,
    version: training.version,
    is_published: training.isPublished,
    decision: training.decision,
    sales: card.sales,
    accuracy: {
      tested: all.n,
      median_error: all.medianError,
      within_10: all.within10,
      coverage_80: all.coverage['0.8'],
      from: card.window.from,
      to: card.window.to,
    },
    valued,
  };
}

/** Counts without examples, which would repeat what the samples show. */
function presentReport(report: LoadReport) {
  return {
    source: report.sourceId,
    outcome: report.outcome,
    rows: report.rowsRead,
    skipped: report.rowsSkipped,
    quarantined: report.rowsQuarantined,
    quarantined_by_reason: report.quarantinedByReason,
    join_rate: report.joinRate,
    seconds: report.seconds,
    targets: report.targets,
  };
}
