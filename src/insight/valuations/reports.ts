// Published facts about the models: the list of models and their back-tested accuracy.
import { mapValues } from '../../base/lib/pick.ts';
import { rounded } from '../../base/lib/figures.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { fail } from '../../base/lib/errors.ts';
import { isVisibleMarket } from '../../records/markets/catalog.ts';
import {
  headlineOf,
  type Accuracy,
  type ModelCard,
  type Segment,
  type SegmentKind,
  type VerticalEquity,
} from '../avm/card.ts';
import type { AccuracyReport, ModelShape } from './schema.ts';
import * as sql from './model-sql.ts';

type ReportDeps = Pick<Deps, 'control' | 'catalog'>;

async function listVisible(deps: ReportDeps, mode: KeyMode, market?: string): Promise<sql.ModelWithCard[]> {
  const catalog = await deps.catalog.read();
  return (await sql.listModelCards(deps.control, market)).filter(
    (row) => row.state !== 'refused' && isVisibleMarket(catalog, row.market, mode),
  );
}

export async function describeModels(deps: ReportDeps, mode: KeyMode, market?: string): Promise<ModelShape[]> {
  const rows = await listVisible(deps, mode, market);
  return rows.map((row) => ({
    object: 'model',
    version: row.version,
    market: row.market,
    status: row.state as 'current' | 'earlier',
    trained_on: row.trained_on,
    hash: row.hash,
    sales: row.card.sales,
    columns: row.card.columns,
    median_error_rate: rounded(headlineOf(row.card)?.medianError ?? 0, 4),
    created_at: row.created_at.toISOString(),
  }));
}

/** The back-test of each current model that the key can see; `segment` is a kind or a name. */
export async function describeAccuracy(
  deps: ReportDeps,
  mode: KeyMode,
  market?: string,
  segment?: string,
): Promise<AccuracyReport[]> {
  const rows = (await listVisible(deps, mode, market)).filter(({ state }) => state === 'current');
  const { markets } = await deps.catalog.read();
  if (market !== undefined && rows.length === 0)
    fail('resource_not_found', `No model exists for the market \`${market}\`.`);
  const isWanted = (each: { kind: SegmentKind; name: string }): boolean =>
    segment === undefined || each.kind === segment || each.name === segment;
  return rows.map(({ card, version }) => ({
    object: 'accuracy',
    market: card.market,
    market_name: markets.get(card.market)?.name ?? card.market,
    model_version: version,
    window: card.window,
    segments: card.segments.filter(isWanted).map(presentSegment),
    baselines: card.baselines.map((each) => ({ name: each.name, ...presentAccuracy(each) })),
    ...(card.equity && { vertical_equity: presentEquity(card.equity) }),
  }));
}

/** The card of a market's serving model, with the figures behind its accuracy report. */
export async function getCard(deps: Pick<Deps, 'control'>, market: string): Promise<ModelCard> {
  const row = (await sql.listModelCards(deps.control, market)).find(({ state }) => state === 'current');
  if (!row) throw new CommandError(`The market \`${market}\` has no model. Train it first.`);
  return row.card;
}

const presentSegment = (segment: Segment) => ({
  kind: segment.kind,
  segment: segment.name,
  ...presentAccuracy(segment),
  hit_rate: rounded(segment.hitRate, 4),
  share_above_low: rounded(segment.aboveLow, 4),
  interval_coverage: mapValues(segment.coverage, (share) => rounded(share, 4)),
});

const presentEquity = ({ vei, low, high, groups }: VerticalEquity) => ({
  vei: rounded(vei, 2),
  low: rounded(low, 2),
  high: rounded(high, 2),
  groups: groups.map((group) => ({
    sample_size: group.n,
    value_from: Math.round(group.from),
    value_to: Math.round(group.to),
    median_ratio: rounded(group.medianRatio, 4),
    low: rounded(group.low, 4),
    high: rounded(group.high, 4),
  })),
});

const presentAccuracy = (accuracy: Accuracy) => ({
  sample_size: accuracy.n,
  median_error_rate: rounded(accuracy.medianError, 4),
  within_5_percent: rounded(accuracy.within5, 4),
  within_10_percent: rounded(accuracy.within10, 4),
  within_20_percent: rounded(accuracy.within20, 4),
  median_ratio: rounded(accuracy.medianRatio, 4),
  cod: rounded(accuracy.cod, 2),
  prd: rounded(accuracy.prd, 4),
  prb: rounded(accuracy.prb, 4),
});
