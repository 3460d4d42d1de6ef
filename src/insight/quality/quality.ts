// Evidence of quality of a market's valuations, by the five standards of the rule. Measured when an input has changed,
// stored, and served unchanged.
import { rounded } from '../../base/lib/figures.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { eachDue } from '../../base/db/due-markets.ts';
import type { Deps } from '../../base/deps.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { median, quantile } from '../../base/math/quantiles.ts';
import { visibleMarkets } from '../analytics/analytics.ts';
import { readIndex } from '../analytics/index-answers.ts';
import { RESIDENTIAL } from '../analytics/segments.ts';
import { testOutlooks } from '../outlooks/back-test.ts';
import { calibrateRents } from '../rents/rents.ts';
import { describeAccuracy, getCard } from '../valuations/reports.ts';
import { findServing } from '../valuations/model-store.ts';
import { adjustForMany, measureComposition, type Composition, type Tract } from './composition.ts';
import { checkSeals, compareSample, takeSample } from './sample.ts';
import { FIGURES, type FigureName, type Quality, type QualityReport } from './schema.ts';
import * as sql from './sql.ts';
import { CONTROLS, FIGURE_WORDS, LENDING, LIMITS, limitsOf, RULE, SAMPLE_METHOD, scaleOf } from './wording.ts';
import { entryOf } from '../../base/lib/must.ts';

type MeasureDeps = Pick<
  Deps,
  'data' | 'dataReplica' | 'control' | 'clock' | 'models' | 'catalog' | 'secrets' | 'places' | 'log'
>;

/** Increment when the method changes; every market is then remeasured. */
const METHOD = 5;
/** With fewer later sales, figures are withheld. */
const LEAST_SOLD = 5;
const LEAST_TRACTS = 5;

/** Measures changed markets; at the start of a month or when a model is pinned, all markets, for their samples. */
export async function measureMarkets(deps: MeasureDeps): Promise<void> {
  const pinned = (await deps.models.list()).flatMap((model) => (model.pinned ? [model.version] : []));
  const rules = `${METHOD} ${isoDate(deps.clock()).slice(0, 7)} ${pinned.join()}`;
  await eachDue(deps.data, { work: 'quality', rules }, (market) => measureMarket(deps, market));
}

/** Returns false if nothing has changed since the last measurement, or the market has no model. */
export async function measureMarket(deps: MeasureDeps, market: string): Promise<boolean> {
  const serving = await findServing(deps, market);
  if (!serving) return false;
  await takeSample(deps, market);
  const token = `${METHOD}:${serving.version}:${await sql.findDataToken(deps.data, market)}`;
  if ((await sql.findReport(deps.control, market))?.token === token) return false;
  const report = await measure(deps, market, serving.version);
  const { model_version, measured_at } = report;
  await sql.saveReport(deps.control, { market, model_version, token, report, measured_at: new Date(measured_at) });
  return true;
}

async function measure(deps: MeasureDeps, market: string, model: string): Promise<QualityReport> {
  const card = await getCard(deps, market);
  const mode = (await deps.catalog.read()).markets.get(market)?.sandbox ? 'test' : 'live';
  const [accuracy] = await describeAccuracy(deps, mode, market);
  const tested = await sql.listTested(deps.data, market, model);
  const { published, refused, forced } = await sql.countModels(deps.control, market);
  const seals = await checkSeals(deps, market);
  const figures = await measureFigures(deps, market, tested);
  return {
    market,
    model_version: model,
    measured_at: deps.clock().toISOString(),
    confidence: { window: card.window, segments: accuracy.segments, quarters: measureQuarters(tested) },
    data_integrity: {
      operator_verdicts: await sql.countOperatorVerdicts(deps.data, market),
      sample_seals: seals.seals,
      seals_intact: seals.broken === undefined,
      last_sealed_at: seals.lastSealedAt?.toISOString() ?? null,
    },
    conflicts: {
      models_published: published,
      models_refused: refused,
      models_forced: forced,
      decision: card.decision,
      controls: CONTROLS,
    },
    random_sample: await describeSample(deps, market),
    rents: (await calibrateRents(deps, market))?.accuracy ?? null,
    outlooks: await testOutlooks(deps, market, card.window.from),
    benchmark: await compareIndex(deps, mode, market),
    lending: await compareLending(deps, market),
    nondiscrimination: {
      model_reads_demographics: false,
      status: tested.length > 0 ? 'measured' : 'not_measured',
      tested_sales: tested.length,
      sales_with_tract: tested.filter(({ census_tract }) => census_tract !== null).length,
      ...(accuracy.vertical_equity && { vertical_equity: accuracy.vertical_equity }),
      figures,
      limits: [...limitsOf(figures), ...LIMITS],
    },
  };
}

/** Compares FHFA's index with ours; a difference beyond the bound is logged at every measurement. */
async function compareIndex(deps: MeasureDeps, mode: KeyMode, market: string): Promise<QualityReport['benchmark']> {
  const query = { kind: 'market', area: market, property_type: RESIDENTIAL, interval: 'year' } as const;
  const { benchmark = null } = await readIndex(deps, mode, query).catch(() => ({ benchmark: null }));
  if (benchmark?.is_beyond) deps.log.warn({ market, ...benchmark }, 'the price index differs from FHFA’s');
  return benchmark;
}

/** Null if too few tracts have both loans and homes. */
async function compareLending({ data }: MeasureDeps, market: string): Promise<QualityReport['lending']> {
  const tracts = await sql.listLending(data, market);
  if (tracts.length < LEAST_TRACTS) return null;
  const ratios = Float64Array.from(tracts, ({ ratio }) => ratio).sort();
  const [p25, ratio, p75] = [0.25, 0.5, 0.75].map((share) => rounded(quantile(ratios, share)));
  const loans = tracts.reduce((sum, tract) => sum + tract.loans, 0);
  return { tracts: tracts.length, loans, ratio, p25, p75, explanation: LENDING };
}

function measureQuarters(tested: sql.TestedRow[]): QualityReport['confidence']['quarters'] {
  const valued = tested.filter(({ is_valued }) => is_valued);
  const quarterOf = ({ sold_on }: sql.TestedRow) =>
    `${sold_on.slice(0, 4)}-Q${Math.ceil(Number(sold_on.slice(5, 7)) / 3)}`;
  return [...Map.groupBy(valued, quarterOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([quarter, rows]) => {
      const ratios = rows.map(({ value, price }) => value / price);
      return {
        quarter,
        sample_size: rows.length,
        median_error_rate: rounded(median(ratios.map((ratio) => Math.abs(ratio - 1)))),
        median_ratio: rounded(median(ratios)),
        interval_coverage: rounded(rows.filter(({ is_covered }) => is_covered).length / rows.length),
      };
    });
}

async function describeSample(deps: MeasureDeps, market: string): Promise<QualityReport['random_sample']> {
  const { samples, sales, groups } = await compareSample(deps, market);
  return {
    homes: samples.at(-1)?.homes ?? 0,
    runs: samples.length,
    first_sampled_on: samples[0]?.sampled_on ?? null,
    last_sampled_on: samples.at(-1)?.sampled_on ?? null,
    sales,
    method: SAMPLE_METHOD,
    groups: groups.map(({ kind, name, accuracy, coverage }) => {
      const withheld = accuracy.n < LEAST_SOLD;
      const shown = (figure: number) => (withheld ? null : rounded(figure));
      return {
        kind,
        group: name,
        sample_size: accuracy.n,
        withheld,
        median_error_rate: shown(accuracy.medianError),
        within_10_percent: shown(accuracy.within10),
        within_20_percent: shown(accuracy.within20),
        median_ratio: shown(accuracy.medianRatio),
        interval_coverage: shown(coverage),
      };
    }),
  };
}

type Figure = QualityReport['nondiscrimination']['figures'][number];

async function measureFigures(
  { data }: Pick<Deps, 'data'>,
  market: string,
  tested: sql.TestedRow[],
): Promise<Figure[]> {
  const rows = await sql.listTracts(data, market);
  const sales = Map.groupBy(tested, ({ census_tract }) => census_tract ?? '');
  const measured: [FigureName, Tract[], Composition | undefined][] = [];
  for (const figure of FIGURES) {
    const tracts = rows.flatMap((row) => {
      const value = row[figure];
      return value === null ? [] : [gatherTract(value, sales.get(row.geoid) ?? [])];
    });
    measured.push([figure, tracts, await measureComposition(tracts, scaleOf(figure))]);
  }
  const tests = measured.flatMap(([, , composition]) => composition?.trends ?? []);
  const adjusted = adjustForMany(tests.map(({ pValue }) => pValue));
  const adjustedOf = new Map(tests.map((test, i) => [test, adjusted[i]]));
  return measured.map(([figure, tracts, composition]) => ({
    figure,
    name: FIGURE_WORDS[figure].name,
    unit: FIGURE_WORDS[figure].unit,
    status: composition ? 'measured' : tracts.length === 0 ? 'not_loaded' : 'too_few',
    vintage: rows.reduce<number | null>(
      (last, { vintages }) => Math.max(last ?? 0, vintages[figure] ?? 0) || null,
      null,
    ),
    tracts: composition?.tracts ?? tracts.length,
    sales: composition?.sales ?? tracts.reduce((sum, { ratios }) => sum + ratios.length, 0),
    groups: (composition?.groups ?? []).map((group) => ({
      group: group.name,
      from: rounded(group.from),
      to: rounded(group.to),
      tracts: group.tracts,
      sample_size: group.sales,
      hit_rate: rounded(group.hitRate),
      ...presentBands(group),
    })),
    difference: composition ? presentBands(composition.difference) : null,
    tests: (composition?.trends ?? []).map((test) => ({
      outcome: test.outcome,
      slope: rounded(test.value, 5),
      low: rounded(test.low, 5),
      high: rounded(test.high, 5),
      p_value: rounded(test.pValue),
      adjusted_p_value: rounded(entryOf(adjustedOf, test)),
    })),
  }));
}

function gatherTract(figure: number, rows: sql.TestedRow[]): Tract {
  const valued = rows.filter(({ is_valued }) => is_valued);
  return {
    figure,
    ratios: valued.map(({ value, price }) => value / price),
    covered: valued.map(({ is_covered }) => is_covered),
    unvalued: rows.length - valued.length,
  };
}

function presentBands({ error, ratio, coverage }: Composition['difference']) {
  const present = ({ value, low, high }: typeof error) => ({
    value: rounded(value),
    low: rounded(low),
    high: rounded(high),
  });
  return { median_error_rate: present(error), median_ratio: present(ratio), interval_coverage: present(coverage) };
}

type ReadDeps = Pick<Deps, 'control' | 'catalog'>;

/** The stored report of a market visible to the key, with the evidence about the caller's own receipts. */
export async function readQuality(
  deps: ReadDeps,
  asker: { accountId: string; mode: KeyMode },
  market: string,
): Promise<Quality> {
  const catalog = await deps.catalog.read();
  visibleMarkets(catalog, asker.mode, market);
  const stored = await sql.findReport(deps.control, market);
  if (!stored) fail('resource_not_found', `The market \`${market}\` has no model, or it was not measured yet.`);
  const counts = await sql.countAnchored(deps.control, asker.accountId);
  const check = await sql.findAuditCheck(deps.control, asker.accountId);
  return {
    object: 'avm_quality',
    rule: RULE,
    ...stored.report,
    receipts: {
      anchored: counts.receipts,
      anchors: counts.anchors,
      last_anchored_at: counts.last_anchored_at?.toISOString() ?? null,
      audit_log: !check ? 'not_checked' : check.broken_sequence === null ? 'intact' : 'broken',
      audit_log_checked_at: check?.checked_at.toISOString() ?? null,
    },
  };
}
