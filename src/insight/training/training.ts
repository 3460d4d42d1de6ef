// Trains a market: extracts, fits, back-tests, calibrates, compares with baselines, and publishes or refuses.
// One room because each stage is fitted on the out-of-fold errors of the one before.
import { availableParallelism } from 'node:os';
import { todayIn } from '../../records/markets/catalog.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, dayNumber, isoDate } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import type { Progress } from '../../base/progress.ts';
import type { Sale } from '../avm/attributes.ts';
import { headlineOf, type ModelCard } from '../avm/card.ts';
import { columnNames } from '../avm/features.ts';
import { insertModels } from '../valuations/model-sql.ts';
import { listTractIncomes, findServing, readServing, sampleHomes } from '../valuations/model-store.ts';
import { readSales } from '../valuations/open-models.ts';
import type { Model } from '../avm/model.ts';
import { hashOf, pack } from '../avm/pack.ts';
import type { TestedSale } from './back-test.ts';
import { compareWithServing } from './comparison.ts';
import { openCheckpoints } from './fit/checkpoints.ts';
import { openFitThreads } from './fit/fits.ts';
import { chooseCuts, isValued, testGenerations } from './generations.ts';
import { denseSince } from './history.ts';
import { asPercent, measureEquity } from './metrics.ts';
import { quick, standard, tiny, type Parameters } from './parameters.ts';
import { followTraining } from './progress.ts';
import { measureSegments, priceBands } from './segments.ts';
import * as sql from './sql.ts';
import { trainModel, type Report, type TrainingContext } from './stages.ts';

type TrainingDeps = Pick<Deps, 'config' | 'data' | 'control' | 'clock' | 'catalog' | 'models'>;

type TrainingOptions = {
  /** Publish even if the model is worse than the current one or the linear baseline. */
  isForced?: boolean;
  /** `quick` takes seconds, `standard` minutes. Defaults to `quick` for the sandbox. */
  parameters?: Parameters;
  threads?: number;
  report?: Report;
  progress?: Progress;
  /** A folder for finished fits, from which a training resumes after a crash. */
  home?: string;
};

/** A model needs at least this many usable sales. */
const MIN_SALES = 400;
/** And at least this many before its test period. */
const MIN_BEFORE = 100;

/** What was published or refused, with the models and tested sales behind it. */
export async function trainMarket(deps: TrainingDeps, market: string, options: TrainingOptions = {}) {
  const { forget, ...made } = await makeMarketModels(deps, market, options);
  const published = await publish(deps, made, options.isForced ?? false, options.report ?? (() => {}));
  forget();
  return { ...published, made };
}

/** Trains and tests as a release would, but publishes nothing. */
export async function backTestMarket(
  deps: TrainingDeps,
  market: string,
  options: Omit<TrainingOptions, 'isForced'> = {},
): Promise<ModelCard> {
  const { card, forget } = await makeMarketModels(deps, market, options);
  forget();
  return card;
}

/** Call `forget` once the result is stored: it deletes the checkpoints. */
async function makeMarketModels(deps: TrainingDeps, market: string, options: TrainingOptions) {
  const sales = await readSales(deps, market);
  const incomes = await listTractIncomes(deps, market);
  const homes = await sampleHomes(deps, market);
  const usual = options.parameters ?? ((await sql.isSandbox(deps.data, market)) ? quick : standard);
  const parameters = deps.config.isTrainingTiny ? tiny : usual;
  const yesterday = dayNumber(todayIn(await deps.catalog.read(), market, deps.clock)) - 1;
  const checkpoints = options.home && openCheckpoints(options.home, { market, parameters, sales, days: [yesterday] });
  const threads = openFitThreads(options.threads ?? Math.min(2, availableParallelism()));
  const { report, progress } = options;
  try {
    const run = checkpoints ? checkpoints.resume(threads.run) : threads.run;
    const serving = await readServing(deps, market);
    const context = { market, parameters, run, report, homes };
    const made = await makeModels(context, sales, { incomes, yesterday, serving, progress });
    const { fits, reused } = checkpoints ? checkpoints.count() : { fits: 0, reused: 0 };
    if (reused > 0) report?.(`resumed: ${reused} of ${fits} fits were finished by an earlier run`);
    return { ...made, forget: () => checkpoints && checkpoints.remove() };
  } finally {
    await threads.close();
  }
}

type Made = { current: Model; earlier: Model[]; card: ModelCard; tested: TestedSale[] };

type MakeOptions = {
  /** Income by census tract. */
  incomes?: Map<string, number>;
  /** Last day on which used sales became known. */
  yesterday?: number;
  /** Training cutoff of the first tested model. */
  cutDay?: number;
  /** The serving model, to compare on the sales since its training. */
  serving?: Model;
  progress?: Progress;
};

/** Trains one model per test period, which later serves valuations as of then, and one on all sales. */
export async function makeModels(
  context: TrainingContext,
  allSales: Sale[],
  { incomes = new Map(), yesterday = Infinity, cutDay: wantedCut, serving, progress = () => {} }: MakeOptions = {},
): Promise<Made> {
  const { market, parameters } = context;
  const sales = allSales.filter((sale) => sale.knownDay <= yesterday);
  if (sales.length < MIN_SALES)
    throw new CommandError(`The market \`${market}\` has ${sales.length} usable sales; a model needs ${MIN_SALES}.`);
  const cutDay = wantedCut ?? chooseCut(sales, parameters);
  const lastDay = lastUsualDay(sales, parameters);
  const before = sales.filter((sale) => sale.knownDay <= cutDay).length;
  if (before < MIN_BEFORE)
    throw new CommandError(
      `The sales of \`${market}\` span ${lastDay - sales[0].soldDay + 1} days, and ${before} of them were known before those that a model is tested on. It needs ${MIN_BEFORE}: some months of sales.`,
    );
  const cuts = chooseCuts(cutDay, lastDay, parameters.retrainDays, serving?.trainedOn);
  const { report = () => {}, run } = context;
  const followed = followTraining({ report, run }, cuts.length + 1, progress);
  const training = { ...context, ...followed };
  const rolled = await testGenerations(training, sales, cuts, lastDay);
  const comparison = serving && compareWithServing(serving, sales, rolled.tested, lastDay);

  followed.report(`production model, all ${sales.length} sales`);
  const lastKnown = sales.reduce((last, sale) => Math.max(last, sale.knownDay), 0);
  const current = await trainModel(training, sales, lastKnown);
  // No sales exist after the production model to test it on, so scores of its predecessors calibrate it.
  for (const model of [...rolled.models, current]) {
    model.scores = rolled.scores;
    model.patterns = rolled.patterns;
    model.version = versionOf(model);
  }
  const valued = rolled.tested.filter(isValued);
  const usual = valued.filter(({ isOdd }) => !isOdd);
  const [values, prices] = [usual.map(({ value }) => value), usual.map(({ sale }) => sale.priceUsd)];
  const bands = priceBands(valued);
  const card: ModelCard = {
    market,
    version: current.version,
    trainedOn: isoOf(current.trainedOn),
    sales: current.outOfFold.saleIds.length,
    columns: columnNames(current.features),
    window: { from: isoOf(cutDay + 1), to: isoOf(lastDay) },
    bands,
    segments: measureSegments(rolled.tested, bands, incomes),
    baselines: rolled.baselines,
    equity: measureEquity(values, prices),
    parameters: { ...parameters },
    ...(comparison && { comparison }),
    decision: '',
  };
  return { current, earlier: rolled.models, card, tested: rolled.tested };
}

/** The day before the test period: the last twelve months, or the last fifth where sales span less than three years. */
export function chooseCut(known: Sale[], parameters: Parameters): number {
  const from = denseSince(known);
  const sales = known.filter(({ soldDay }) => soldDay > from);
  // A handful of stray old sales must not stretch a market's history.
  const first = sales[Math.floor(sales.length * STRAY_SHARE)].soldDay;
  const last = lastUsualDay(sales, parameters);
  const months = backTestDays(parameters);
  return last - first < 3 * months ? first + Math.floor((last - first) * 0.8) : last - months;
}

const STRAY_SHARE = 0.02;
/** A test period with a smaller share of the sales is not the market's real last year. */
const STRAY_LAST_YEAR = 0.01;
const backTestDays = ({ backtestMonths }: Parameters): number => Math.round((backtestMonths * 365.25) / 12);

/** The day of the last sale, ignoring stray sales long after all others, such as those with a mistyped year. */
function lastUsualDay(sales: Sale[], parameters: Parameters): number {
  const last = sales[sales.length - 1].soldDay;
  const inYear = sales.filter(({ soldDay }) => soldDay > last - backTestDays(parameters)).length;
  if (inYear >= STRAY_LAST_YEAR * sales.length) return last;
  return sales[Math.floor(sales.length * (1 - STRAY_LAST_YEAR))].soldDay;
}

const isoOf = (day: number): string => isoDate(new Date(day * DAY_MS));

/** The same sales, parameters and seed give the same version. */
const versionOf = (model: Model): string =>
  `${model.market}-${isoOf(model.trainedOn)}-${hashOf(pack({ ...model, version: '' })).slice(0, 8)}`;

async function publish(deps: TrainingDeps, made: Made, isForced: boolean, report: Report) {
  const { current, earlier, card } = made;
  const serving = await findServing(deps, card.market);
  const objection = findObjection(card, serving?.card);
  const isPinned = serving?.pinned === true;
  const isPublished = !isPinned && (objection === undefined || isForced);
  card.decision = isPinned
    ? `refused: ${serving.version} is pinned`
    : objection === undefined
      ? `published${describeComparison(card)}`
      : isForced
        ? `force-published although ${objection}`
        : `refused: ${objection}`;
  const store = (model: Model, state: 'current' | 'earlier' | 'refused') => {
    const bytes = pack(model);
    const { version, market, trainedOn } = model;
    return {
      version,
      market,
      state,
      trained_on: isoOf(trainedOn),
      hash: hashOf(bytes),
      card: { ...card, version, trainedOn: isoOf(trainedOn), sales: model.outOfFold.saleIds.length },
      bytes,
      createdAt: deps.clock(),
    };
  };
  const stored = [
    ...earlier.map((model) => store(model, isPublished ? 'earlier' : 'refused')),
    store(current, isPublished ? 'current' : 'refused'),
  ];
  // Before the models are published, so that even the first call reads a stored snapshot.
  if (isPublished)
    for (const [k, model] of [...earlier, current].entries()) await deps.models.prepare(model, stored[k].hash);
  await insertModels(deps.control, stored);
  if (isPublished) {
    const { market, version: model } = current;
    await sql.replaceTestedSales(deps.data, { market, model }, made.tested.map(testedRow));
  }
  deps.models.forget();
  report(`9 ${card.decision}: ${current.version}`);
  return { market: card.market, version: current.version, isPublished, decision: card.decision, card };
}

function testedRow(tested: TestedSale): sql.TestedRow {
  const { sale, value, label, covered } = tested;
  return {
    fips: fipsOfPropertyId(sale.propertyId),
    property_id: sale.propertyId,
    sale_id: sale.id,
    sold_on: isoOf(sale.soldDay),
    price: sale.priceUsd,
    value: Math.round(value),
    confidence: label,
    is_covered: covered[0.8],
    is_valued: isValued(tested),
    property_type: sale.attributes.propertyType,
    census_tract: sale.attributes.censusTract,
  };
}

const describeComparison = ({ comparison: found }: ModelCard): string =>
  found
    ? `: its median error on ${found.n} sales since ${found.since} is ${asPercent(found.own)}, the serving model's ${asPercent(found.serving)}`
    : '';

/**
 * Objects to a model worse than the linear baseline or the serving model: on the same later sales or, if these are too
 * few, by more than the noise between two back-tests.
 */
export function findObjection(card: ModelCard, serving: ModelCard | undefined): string | undefined {
  const errorOf = (of: ModelCard): number => headlineOf(of)!.medianError;
  const own = errorOf(card);
  const linear = card.baselines.find(({ name }) => name === 'linear hedonic');
  if (linear && own >= linear.medianError)
    return `its median error ${asPercent(own)} is not below the linear baseline's ${asPercent(linear.medianError)}`;
  if (card.comparison) return card.comparison.isWorse ? `it is worse${describeComparison(card)}` : undefined;
  if (serving && own > errorOf(serving) * 1.05)
    return `its median error ${asPercent(own)} is above the current model's ${asPercent(errorOf(serving))}`;
  return undefined;
}
