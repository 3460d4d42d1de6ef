// `npm run bench -- valuation [market …] [honesty|grid|portfolios|drift|speed] [--quick] [--months=12] [--save]`: what
// `platbook train` makes of public records, next to the baselines and through the served valuations; what valuations say
// of their own errors; their grids, read as an appraiser would; portfolios of them; their speed.
import { isDeepStrictEqual } from 'node:util';
import { assessedOn, type Sale } from '../src/insight/avm/attributes.ts';
import { appraise, readHome } from '../src/insight/avm/appraise.ts';
import type { Config } from '../src/base/config.ts';
import { isoDate } from '../src/base/lib/clock.ts';
import type { TestedSale } from '../src/insight/training/back-test.ts';
import { isValued } from '../src/insight/training/generations.ts';
import { measureAccuracy } from '../src/insight/training/metrics.ts';
import { quick, standard } from '../src/insight/training/parameters.ts';
import { formatCard } from '../src/insight/training/table.ts';
import { trainMarket } from '../src/insight/training/training.ts';
import { attributesOf } from '../src/insight/valuations/records.ts';
import { locateSubject } from '../src/insight/valuations/subject.ts';
import { estimate } from '../src/insight/valuations/valuations.ts';
import { statedBy, statedByTest } from './served-as-tested.ts';
import { hasRecords, marketNames, withMarket, type LoadedMarket } from './markets.ts';
import { printTable } from './measure.ts';
import { measureScikit } from './scikit.ts';
import { measureIndexDrift, measureWithheld } from './valuation-drift.ts';
import { measureHonesty } from './valuation-honesty.ts';
import { saveFigures } from './valuation-figures.ts';
import { measureMarketGrids } from './valuation-grid.ts';
import { measurePortfolios, printPortfolios } from './valuation-portfolios.ts';
import { measureSpeed } from './valuation-speed.ts';

/** Sales of the test period that are valued once more, one request each. */
const SERVED = 2000;

/** Where nothing else is asked for: one market with every attribute on record, and one where most homes lack some. */
const CHECKED = ['king-county', 'milwaukee'];

export async function run(args: string[], config: Config): Promise<void> {
  const wanted = args.filter((word) => !word.startsWith('--'));
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  const named = marketNames.filter((name) => wanted.includes(name));
  const markets =
    wanted.length === 0
      ? marketNames
      : named.length === 0 && ['honesty', 'grid', 'portfolios'].some(isWanted)
        ? CHECKED
        : named;
  for (const name of hasRecords(config) ? markets : [])
    await withMarket(config, name, (loaded) => measureMarket(name, loaded, args));
  if (hasRecords(config) && isWanted('drift')) {
    measureIndexDrift(config.recordsFolder);
    await measureWithheld(config);
  }
  if (isWanted('speed')) await measureSpeed(config);
}

async function measureMarket(name: string, loaded: LoadedMarket, args: string[]): Promise<void> {
  const { deps, market, sales } = loaded;
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
  const parameters = args.includes('--quick') ? quick : standard;
  const months = args.find((word) => word.startsWith('--months='))?.slice(9);
  const { card, made } = await trainMarket(deps, market, {
    isForced: true,
    parameters: months ? { ...parameters, backtestMonths: Number(months) } : parameters,
    report: (stage) => console.log(`  ${seconds()} s  ${stage}`),
  });
  const { maxRSS, userCPUTime } = process.resourceUsage();
  console.log(`  ${seconds()} s, ${(userCPUTime / 1e6).toFixed(0)} s CPU, ${Math.round(maxRSS / 1024)} MB peak`);
  const valued = made.tested.filter(isValued);
  const tested = valued.map(({ sale }) => sale);
  const trained = new Set(made.earlier[0].outOfFold.saleIds);
  const scikit = measureScikit(
    made.earlier[0].features,
    sales.filter(({ id }) => trained.has(id)),
    tested,
  );
  if (scikit) card.baselines.push({ name: 'scikit-learn HistGradientBoosting, frozen', ...scikit });
  console.log(`\n${formatCard(card)}`);
  if (args.includes('honesty')) measureHonesty(name, { models: made.earlier, sales, tested: made.tested, card });
  if (args.includes('portfolios')) printPortfolios(measurePortfolios(name, made.tested));
  if (args.includes('grid')) {
    const lastDay = tested[tested.length - 1].soldDay;
    const shown = Number(args.find((word) => word.startsWith('--homes='))?.slice(8) ?? 0);
    await measureMarketGrids(name, { models: made.earlier, sales, lastDay, shown });
  }
  await measureServed(loaded, everyFew(valued));
  await measureLearned(loaded, tested);
  if (args.includes('--save')) saveFigures({ ...card, market: name });
}

const everyFew = <Each>(all: Each[]): Each[] => all.filter((_, i) => i % Math.ceil(all.length / SERVED) === 0);

/**
 * The same homes as a customer values them: by id, as of the day, with what is on record today. Where that is what was on
 * record at the sale, the answer has to be the tested one, to the last digit.
 */
async function measureServed({ deps, market }: LoadedMarket, tested: TestedSale[]): Promise<void> {
  const values: number[] = [];
  const backTested: number[] = [];
  const prices: number[] = [];
  const refused = new Map<string, number>();
  const counts = { 'same record, same answer': 0, 'same record, another answer': 0, 'another record': 0 };
  for (const each of tested) {
    const { propertyId, soldDay, priceUsd, attributes } = each.sale;
    const property = { id: propertyId };
    const request = { property, options: { as_of: isoDate(new Date(soldDay * 86_400_000)) } };
    try {
      const { result } = await estimate(deps, { mode: 'live', accountId: 'acct_bench' }, request);
      if (!('estimated_value' in result)) continue;
      values.push(result.estimated_value);
      prices.push(priceUsd);
      backTested.push(each.value);
      const { row } = await locateSubject(deps, 'live', property, undefined);
      const isSameRecord = row !== null && isDeepStrictEqual(attributesOf(row), assessedOn(attributes, [], 0));
      const isSame = isDeepStrictEqual(statedBy(result), statedByTest(each));
      counts[isSameRecord ? (isSame ? 'same record, same answer' : 'same record, another answer') : 'another record'] +=
        1;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined) throw error;
      refused.set(code, (refused.get(code) ?? 0) + 1);
    }
  }
  const { medianError, within10, medianRatio } = measureAccuracy(values, prices);
  const others = [...refused].map(([code, count]) => `${count} ${code}`).join(', ') || 'none';
  const compared = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  console.log(
    `  ${market} through estimate(): ${values.length} sales, median error ${(100 * medianError).toFixed(2)}%, ${(100 * within10).toFixed(1)}% within 10%, ratio ${medianRatio.toFixed(3)}; in the back-test ${(100 * measureAccuracy(backTested, prices).medianError).toFixed(2)}%; refused: ${others}; ${compared.join(', ')}`,
  );
}

/** What the learned comparables cost: the same homes read and valued with and without them. */
async function measureLearned({ deps, market }: LoadedMarket, tested: Sale[]): Promise<void> {
  const row = (await deps.models.list()).find((each) => each.market === market && each.state === 'current');
  const { model, book } = await deps.models.open(row!);
  const { peers: _peers, ...withoutPeers } = book;
  const homes = everyFew(tested);
  const timeWith = (of: typeof book): number => {
    const started = performance.now();
    for (const { attributes, propertyId, soldDay } of homes)
      appraise(model, readHome(model, of, { attributes, propertyId }, soldDay));
    return (performance.now() - started) / homes.length;
  };
  timeWith(book);
  const [plain, learned] = [timeWith(withoutPeers), timeWith(book)];
  printTable(
    `Reading and valuing one of ${homes.length} homes`,
    ['', 'ms'],
    [
      ['without learned comparables', plain.toFixed(3)],
      ['with them', learned.toFixed(3)],
    ],
  );
}
