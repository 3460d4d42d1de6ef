// A home's value over the next year, in another condition or after renovation, and its split into land and building,
// all from the same model, index and records as the value itself.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { ifThere } from '../../base/lib/errors.ts';
import { must } from '../../base/lib/must.ts';
import { listAssessments, type PropertyRow } from '../../records/properties/sql.ts';
import { readForecast } from '../analytics/index-answers.ts';
import type { PriceForecast } from '../analytics/index-schema.ts';
import { RESIDENTIAL } from '../analytics/segments.ts';
import { readHome, type Home } from '../avm/appraise.ts';
import { readGrade } from '../avm/features.ts';
import { valueOn } from '../valuations/history.ts';
import type { OpenModel } from '../valuations/open-models.ts';
import { findUnread, mergeAttributes } from '../valuations/overrides.ts';
import { attributesOf } from '../valuations/records.ts';
import type { Valuation } from '../valuations/schema.ts';
import { locateSubject } from '../valuations/subject.ts';
import { estimate, homeOf } from '../valuations/valuations.ts';
import { AREAS, project, shareOf, type Range } from './project.ts';
import type { Outlook, OutlookRequest } from './schema.ts';
import * as sql from './sql.ts';

type OutlookDeps = Parameters<typeof estimate>[0] & Pick<Deps, 'dataReplica'>;

/** With fewer nearby sales in a condition, the model has too little data on it there. */
const LEAST_SEEN = 5;
/** Fewer homes do not show how consistently an assessor splits values. */
const LEAST_PEERS = 20;

export async function readOutlook(
  deps: OutlookDeps,
  asker: { mode: KeyMode; accountId: string },
  { property, options, after }: OutlookRequest,
): Promise<Outlook> {
  const valuation = (await estimate(deps, asker, { property, options: { ...options, include: [] } }))
    .result as Valuation;
  const { row, market } = await locateSubject(deps, asker.mode, property, options?.match);
  const { attributes, given } = mergeAttributes(row && attributesOf(row), property);
  const version = valuation.model_version;
  const models = await deps.models.list();
  const served = models.find((each) => each.market === market && each.version === version);
  const open = await deps.models.open(must(served, 'model'));
  const home = await homeOf(deps, open, row, { attributes, given });
  const at = { day: dayNumber(valuation.as_of), level: valuation.confidence_interval.level };
  const { low, high, level } = valuation.confidence_interval;
  const value = { value: valuation.estimated_value, low, high };
  const places = { market, zip: attributes.zip, neighborhood: attributes.neighborhood };
  return {
    object: 'outlook',
    property_id: valuation.property_id,
    valuation_id: valuation.id,
    market,
    as_of: valuation.as_of,
    model_version: version,
    level,
    ...value,
    confidence: valuation.confidence,
    forecast: project(value, await findForecast(deps, asker.mode, places), { asOf: valuation.as_of, level }),
    conditions: valueConditions(open, home, at, value.value),
    after: after ? valueAfter(open, home, { ...at, after, now: value.value }) : null,
    land: row ? await divide(deps, row, value) : { reason: 'no_split_on_record', ...NO_SPLIT },
  };
}

async function findForecast(
  deps: OutlookDeps,
  mode: KeyMode,
  places: Record<(typeof AREAS)[number], string | null>,
): Promise<PriceForecast | undefined> {
  let last: PriceForecast | undefined;
  for (const kind of AREAS) {
    const query = { kind, market: places.market!, property_type: RESIDENTIAL, months: 12 } as const;
    const area = places[kind];
    const found = area === null ? null : await ifThere(readForecast(deps, mode, { ...query, area }));
    if (found && found.data.length > 0) return found;
    last = found ?? last;
  }
  return last;
}

/** The model's value in every condition in which nearby homes sold. */
function valueConditions(
  open: OpenModel,
  home: Home,
  { day, level }: { day: number; level: number },
  now: number,
): Outlook['conditions'] {
  const onRecord = home.attributes.condition;
  if (!open.model.features.numbers.includes('condition')) return { reason: 'not_read', on_record: onRecord, data: [] };
  const { neighbors } = readHome(open.model, open.book, home, day);
  const seen = Map.groupBy(neighbors.sale, (i) => open.book.sales.at(i).attributes.condition);
  const data = [...seen].flatMap(([condition, { length: sales }]) => {
    if (condition === null || Number.isNaN(readGrade(condition)) || sales < LEAST_SEEN) return [];
    const found = valueOn(open, { ...home, attributes: { ...home.attributes, condition } }, { day, level });
    return found ? [{ condition, nearby_sales: sales, ...found, difference: found.value - now }] : [];
  });
  data.sort((a, b) => readGrade(a.condition) - readGrade(b.condition));
  return { reason: data.length === 0 ? 'too_few_sales' : null, on_record: onRecord, data };
}

function valueAfter(
  open: OpenModel,
  home: Home,
  of: { day: number; level: number; now: number; after: NonNullable<OutlookRequest['after']> },
): NonNullable<Outlook['after']> {
  const { cost, ...stated } = of.after;
  const merged = mergeAttributes(home.attributes, stated);
  const vouched = new Set([...(home.vouched ?? []), ...merged.given]);
  const found = must(valueOn(open, { ...home, attributes: merged.attributes, vouched }, of), 'value after works');
  const gain = found.value - of.now;
  return {
    ...found,
    gain,
    cost: cost ?? null,
    gain_after_cost: cost === undefined ? null : gain - Math.round(cost),
    warnings: findUnread(open.model, merged),
  };
}

const NO_SPLIT = {
  method: null,
  year: null,
  source: null,
  share: null,
  land: null,
  improvements: null,
  peers: 0,
  peer_share: null,
};

/** Splits as the assessor did; the spread among nearby homes of its type is the error. */
async function divide({ data }: Pick<Deps, 'data'>, row: PropertyRow, value: Range): Promise<Outlook['land']> {
  const assessments = await listAssessments(data, [row]);
  const last = assessments.find(({ land, improvements }) => shareOf(land, improvements) !== undefined);
  if (!last) return { reason: 'no_split_on_record', ...NO_SPLIT };
  const share = shareOf(last.land, last.improvements)!;
  const { n: peers, shares } = await sql.readPeers(data, row, last.year);
  const range = peers < LEAST_PEERS || !shares ? null : { low: shares[0], median: shares[1], high: shares[2] };
  const part = (own: number, [least, most]: [number, number]): Range => ({
    value: Math.round(value.value * own),
    low: Math.round(value.low * Math.min(own, least)),
    high: Math.round(value.high * Math.max(own, most)),
  });
  return {
    reason: range ? null : 'too_few_peers',
    method: 'assessor_share',
    year: last.year,
    source: last.source_id,
    share,
    land: range && part(share, [range.low, range.high]),
    improvements: range && part(1 - share, [1 - range.high, 1 - range.low]),
    peers,
    peer_share: range,
  };
}
