// A load or training run with its follow-up work, for jobs, commands and county steps.
import type { Deps } from '../base/deps.ts';
import type { JobReporter } from '../base/jobs/jobs.ts';
import type { TrainPayload } from '../base/jobs/payloads.ts';
import type { Progress } from '../base/progress.ts';
import { CommandError } from '../base/lib/command-error.ts';
import { headlineOf } from '../insight/avm/card.ts';
import { measureMarket } from '../insight/quality/quality.ts';
import { quick } from '../insight/training/parameters.ts';
import { trainMarket } from '../insight/training/training.ts';
import { ingest, type IngestOptions } from '../supply/ingest/ingest.ts';
import { reportPhases } from '../supply/ingest/progress.ts';
import type { LoadReport } from '../supply/ingest/report.ts';
import type { Source } from '../supply/ingest/source.ts';
import { followLoad, loadingDeps, valueAndRollUp } from './refresh.ts';

interface Load extends IngestOptions {
  sources: Source[];
  /** Every known source, including these. */
  all: Source[];
  report: JobReporter;
}

export async function loadSources(deps: Deps, { sources, all, report, ...options }: Load): Promise<LoadReport[]> {
  const loading = loadingDeps(deps, (text) => report({ phase: text.trim() }));
  return ingest({ ...loading, makeProgress: reportLoads(report) }, sources, all, {
    ...options,
    afterLoad: async (market) => {
      await followLoad(deps, all, market, reportPhases(0, report));
    },
  });
}

export const reportLoads = (report: JobReporter) => (_label: string, bytes: number) => reportPhases(bytes, report);

export type Training = Awaited<ReturnType<typeof trainAndValue>>;

/** Trains a model, and values every home with it if it is published. */
export async function trainAndValue(deps: Deps, market: string, options: TrainPayload, report: JobReporter) {
  report({ phase: 'reading sales' });
  const { card, version, decision, isPublished } = await trainMarket(deps, market, {
    isForced: options.force,
    ...(options.quick && { parameters: quick }),
    ...reportTraining(report),
    home: deps.config.home,
  });
  const values = isPublished ? await valueAndMeasure(deps, market, report) : null;
  const all = headlineOf(card);
  if (!all) throw new CommandError('The back-test valued no sale.');
  return {
    market,
    version,
    is_published: isPublished,
    decision,
    sales: card.sales,
    accuracy: {
      tested: all.n,
      median_error: all.medianError,
      within_10: all.within10,
      coverage_80: all.coverage['0.8'],
      from: card.window.from,
      to: card.window.to,
    },
    valued: values?.valued ?? 0,
    values,
  };
}

/** Progress callbacks of a training run. */
export function reportTraining(report: JobReporter): { report(line: string): void; progress: Progress } {
  let phase = '';
  return {
    report: (line) => report({ phase: (phase = line) }),
    progress: (done, total, detail) => report({ phase, share: done / total, detail }),
  };
}

async function valueAndMeasure(deps: Deps, market: string, report: JobReporter) {
  report({ phase: 'valuing every home' });
  const values = await valueAndRollUp(deps, market);
  report({ phase: 'measuring quality' });
  await measureMarket(deps, market);
  return values;
}

export const formatTraining = ({ market, version, decision, values }: Training): string =>
  [`${market}  ${version}  ${decision}`, ...(values ? [formatValues(values)] : [])].join('\n');

export const formatValues = (result: Awaited<ReturnType<typeof valueAndRollUp>>): string =>
  `${result.market}  ${result.valued.toLocaleString('en')} homes valued by ${result.model} in ${result.seconds} s; ${result.skipped} have too few sales nearby`;
