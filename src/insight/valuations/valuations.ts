// Values a property: finds it, reads it and nearby sales, runs the model, explains the result and stores a receipt.
// One room because estimate, grid, explanation and receipt describe one computation.
import { rounded } from '../../base/lib/figures.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { addDays, DAY_MS, dayNumber, isoDate } from '../../base/lib/clock.ts';
import { fail, failForLackOf } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import type { OpenSpan } from '../../base/telemetry/telemetry.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import { appraise, findPattern, hasPrior, LEAST_SALES, readHome, type Home, type Reading } from '../avm/appraise.ts';
import type { Attributes } from '../avm/attributes.ts';
import { findSegment } from '../avm/card.ts';
import { chooseComparables, type GridOptions } from './grid/comparables.ts';
import { compose, fromRow, type AtHand, type Inputs } from './compose.ts';
import { buildAdjustments, KM_PER_MILE } from './grid/grid.ts';
import { makeHistory, type HistoryInput } from './history.ts';
import { quantilesOf } from '../avm/interval.ts';
import { MAX_KM } from '../avm/neighbors.ts';
import { modelFor, type OpenModel } from './open-models.ts';
import * as overrides from './overrides.ts';
import { locateSubject, type Subject } from './subject.ts';
import { presentComparable } from './grid/present-comparable.ts';
import { assessedOf, attributesOf, isValuedType } from './records.ts';
import type { Comparable } from './grid/schema.ts';
import type { DryRun, EstimateRequest, Resolution, Valuation, Warning } from './schema.ts';
import type { ModelRow } from './model-sql.ts';
import { listRolled, listValues } from './sql.ts';

type ValuationDeps = Pick<
  Deps,
  'data' | 'clock' | 'catalog' | 'records' | 'places' | 'models' | 'receipts' | 'telemetry'
>;
/** Without an account no receipt is stored. */
type Asker = { mode: KeyMode; accountId: string | undefined };

/** The markets that can be valued. */
export const listModeled = async (deps: Pick<Deps, 'models'>): Promise<string[]> =>
  (await deps.models.list()).filter(({ state }) => state === 'current').map(({ market }) => market);

export const hasModel = async (deps: Pick<Deps, 'models'>, market: string): Promise<boolean> =>
  (await listModeled(deps)).includes(market);

type Answer = {
  result: Valuation | DryRun;
  /** The result as sent to the caller and stored in the receipt. */
  json: Buffer;
};

export const estimate = (deps: ValuationDeps, asker: Asker, request: EstimateRequest): Promise<Answer> =>
  deps.telemetry.span('valuation', { facts: { 'platbook.mode': asker.mode } }, (span) =>
    valueHome(deps, asker, request, span),
  );

async function valueHome(deps: ValuationDeps, asker: Asker, request: EstimateRequest, span: OpenSpan): Promise<Answer> {
  const options = request.options ?? {};
  const located = await locateSubject(deps, asker.mode, request.property, options.match);
  const today = todayIn(await deps.catalog.read(), located.market, deps.clock);
  const asOf = options.as_of ?? today;
  const merged = overrides.mergeAttributes(located.row === null ? null : attributesOf(located.row), request.property);
  checkType(merged.attributes);
  overrides.checkGiven(merged, deps.clock());
  const modelRow = await chooseModel(deps, located.market, { asOf, today, pinned: options.model_version });
  const resolution = presentResolution(located, merged);
  if (options.dry_run === true) return answerWith(dryRun(located, resolution, modelRow));

  const open = await deps.models.open(modelRow);
  span.set({ 'platbook.market': located.market, 'platbook.model': modelRow.version });
  const home = await homeOf(deps, open, located.row, merged);
  const { inputs, atHand } = readInputs(open, { located, merged, home, asOf, request });
  const withHistory = options.include?.includes('history') === true && located.row !== null;
  const complete: Inputs = {
    ...inputs,
    resolution,
    ...(withHistory && {
      history: await listHistory(deps, located.row!, { open, home, asOf, level: inputs.intervalLevel }),
    }),
  };
  const answer = answerWith(compose(open.model, complete, atHand));
  if (asker.accountId === undefined) return answer;
  await deps.receipts.write({
    id: complete.id,
    account_id: asker.accountId,
    mode: asker.mode,
    property_id: complete.propertyId,
    market: located.market,
    model_version: modelRow.version,
    model_hash: open.hash,
    as_of: asOf,
    request,
    inputs: complete,
    resultJson: answer.json,
    created_at: deps.clock(),
  });
  return answer;
}

const answerWith = (result: Valuation | DryRun): Answer => ({ result, json: Buffer.from(JSON.stringify(result)) });

function checkType(attributes: Attributes): void {
  const type = attributes.propertyType ?? 'unknown';
  if (isValuedType(type)) return;
  if (type === 'other' || type === 'unknown')
    failForLackOf(
      'unknown_property_type',
      'The record does not say what type of home this is. Send its `property_type` with POST /avm/estimate to value it.',
    );
  fail(
    'unsupported_property_type',
    type === 'land'
      ? 'Vacant land cannot be valued.'
      : `Properties of type \`${type}\` cannot be valued. Homes of up to a few units can.`,
  );
}

async function chooseModel(
  deps: ValuationDeps,
  market: string,
  { asOf, today, pinned }: { asOf: string; today: string; pinned?: string },
): Promise<ModelRow> {
  const models = await deps.models.list();
  const own = models.filter((row) => row.market === market && row.state !== 'refused');
  if (own.length === 0)
    failForLackOf('no_model', `No valuation model has been trained for the market \`${market}\` yet.`);
  if (pinned !== undefined) {
    const found = own.find((row) => row.version === pinned);
    if (!found) {
      const names = own.map((row) => row.version).join(', ');
      const problem = {
        pointer: '/options/model_version',
        code: 'unknown_model',
        detail: 'See GET /api/v1/avm/models.',
      };
      const detail = `This market has no model \`${pinned}\`. Available models: ${names}.`;
      fail('invalid_request', detail, { errors: [problem] });
    }
    checkAsOf(asOf, { from: addDays(found.trained_on, 1), to: today }, `the model ${pinned}`);
    return found;
  }
  const first = own.map((row) => row.trained_on).toSorted()[0];
  checkAsOf(asOf, { from: addDays(first, 1), to: today }, 'this market');
  return modelFor(models, market, dayNumber(asOf))!;
}

/** A model may value dates after its last training sale; no model exists for dates before the first one. */
function checkAsOf(asOf: string, range: { from: string; to: string }, subject: string): void {
  if (asOf >= range.from && asOf <= range.to) return;
  const detail = `\`as_of\` of ${subject} can be any day from ${range.from} to ${range.to}.`;
  fail('as_of_out_of_range', detail, { as_of_range: range });
}

const presentResolution = (located: Subject, merged: overrides.Merged): Resolution => ({
  ...located.resolution,
  fields_from_database: merged.fromDatabase,
  fields_from_request: merged.fromRequest,
});

const dryRun = (located: Subject, resolution: Resolution, model: ModelRow): DryRun => ({
  object: 'valuation_dry_run',
  property_id: located.row?.id ?? null,
  resolution,
  market: located.market,
  model_version: model.version,
  meter: 'avm',
  units: 1,
});

/** A home that is not on record was never assessed. */
export async function homeOf(
  deps: Pick<Deps, 'data'>,
  { rolls }: OpenModel,
  row: PropertyRow | null,
  { attributes, given }: { attributes: Attributes; given?: Home['vouched'] },
): Promise<Home> {
  const assessments = row !== null && rolls.size > 0 ? await listRolled(deps.data, row) : [];
  return { attributes, propertyId: row?.id ?? null, vouched: given, assessed: assessedOf({ assessments }, rolls) };
}

type Asked = { located: Subject; merged: overrides.Merged; home: Home; asOf: string; request: EstimateRequest };
type Read = { inputs: Omit<Inputs, 'resolution' | 'history'>; atHand: AtHand };

/** Reads the home and its market on the day; pure except for the random id. */
function readInputs(open: OpenModel, { located, merged, home, asOf, request }: Asked): Read {
  const { model, book } = open;
  const options = request.options ?? {};
  const day = dayNumber(asOf);
  const reading = readHome(model, book, home, day);
  const nearby = reading.neighbors.sale.length;
  if (nearby < LEAST_SALES) explainNoSales(open, reading, asOf);
  const appraisal = appraise(model, reading);
  const level = options.interval_level ?? 0.8;
  const chosen = chooseComparables({ model, book, reading, appraisal }, gridOptions(options.comparables));
  const include = options.include ?? ['comparables', 'explanation'];
  const { basis, warnings: basisWarnings } = errorBasis(open, reading, Math.exp(appraisal.logValue));
  return {
    atHand: { appraisal, comparables: chosen.sales },
    inputs: {
      id: randomId('val'),
      propertyId: located.row?.id ?? null,
      market: located.market,
      asOf,
      marketDay: reading.marketDay,
      level: reading.level,
      row: fromRow(reading.row),
      ...(reading.reports && { reports: [...reading.reports] }),
      attributes: reading.attributes,
      missing: reading.missing,
      beyond: reading.beyond,
      intervalLevel: level,
      quantiles: quantilesOf(open.calibrationOn(day), { ...appraisal, type: merged.attributes.propertyType }, level),
      nearby,
      comparables: chosen.sales.map(({ parts: _parts, ...sale }) => sale),
      comparablesBasis: chosen.basis,
      errorBasis: basis,
      warnings: [
        ...located.warnings,
        ...overrides.warnOfValues(model, merged, day),
        ...overrides.findUnread(model, merged),
        ...listWarnings(reading, nearby),
        ...basisWarnings,
      ],
      include: { comparables: include.includes('comparables'), explanation: include.includes('explanation') },
      snapshot: open.snapshot,
    },
  };
}

/** A home without a location also has no nearby sales; the missing location is the cause. */
function explainNoSales({ model }: OpenModel, { subject, neighbors }: Reading, asOf: string): never {
  const isMapped = model.features.places === null;
  if (Number.isNaN(subject.x) && isMapped)
    failForLackOf(
      'no_coordinates',
      'The record has no coordinates, so the sales around this home are unknown. ' +
        'To value it, send `latitude`, `longitude`, `sqft` and `property_type` instead of its address or id.',
    );
  if (Number.isNaN(subject.x))
    failForLackOf(
      'unknown_neighborhood',
      'This market’s records have no coordinates, and no sales of this home’s neighborhood are known. ' +
        'Send `neighborhood` as comparable homes have it.',
    );
  const count = neighbors.sale.length;
  const where = isMapped ? `within ${Math.floor(MAX_KM / KM_PER_MILE)} miles` : 'in its neighborhood';
  failForLackOf(
    'few_sales_nearby',
    `${count === 0 ? 'No sale' : count === 1 ? 'One sale' : `${count} sales`} of homes ${where} in the three years before ${asOf} ` +
      `${count === 2 ? 'were' : 'was'} known by then. A value needs ${LEAST_SALES}.`,
  );
}

type ComparableOptions = NonNullable<NonNullable<EstimateRequest['options']>['comparables']>;

export const gridOptions = (wanted: ComparableOptions = {}): GridOptions => ({
  count: wanted.count ?? 10,
  maxKm: (wanted.max_distance_miles ?? 9) * KM_PER_MILE,
  maxAgeDays: wanted.max_age_days,
  exclude: wanted.exclude ?? [],
});

/** The published figures closest to this home, and how the effect of its missing attributes was measured. */
function errorBasis(
  { model, card }: OpenModel,
  { attributes, missing, row }: Reading,
  value: number,
): { basis: Inputs['errorBasis']; warnings: Warning[] } {
  const type = attributes.propertyType ?? '';
  const segment = findSegment(card, type, value);
  const isSold = hasPrior(row);
  const pattern = missing.length > 0 ? findPattern(model.patterns, missing) : undefined;
  const basis = {
    market: model.market,
    segment: segment === undefined || segment.kind === 'all' ? 'all' : segment.name,
    window: card.window,
    sample_size: segment?.n ?? 0,
    segment_error_rate: rounded(segment?.medianError ?? 0, 4),
    has_earlier_sale: isSold,
    missing: missing.map(overrides.outerName),
    ...(pattern && {
      measured_without: pattern.names.map(overrides.outerName),
      missing_sample_size: pattern.n[isSold ? 1 : 0],
    }),
  };
  if (segment?.kind === 'type_and_band') return { basis, warnings: [] };
  const wider = basis.segment === 'all' ? 'the whole market' : `all ${type.replaceAll('_', ' ')} homes`;
  const detail = `Too few sales of similar homes were tested to publish their error; the one stated is that of ${wider}.`;
  return { basis, warnings: [{ code: 'wider_segment', detail }] };
}

function listWarnings(reading: Reading, nearby: number): Warning[] {
  const warnings: Warning[] = [];
  if (reading.missing.length > 0) {
    const names = [...new Set(reading.missing.map(overrides.wordsFor))].join(', ');
    warnings.push({
      code: 'attributes_filled',
      detail: `Unknown attributes were filled in from homes sold nearby: ${names}. The interval and the error rate allow for that.`,
    });
  }
  if (nearby < 5) warnings.push({ code: 'few_comparables', detail: `Only ${nearby} nearby sales are known.` });
  if (reading.day > reading.marketDay) {
    const last = isoDate(new Date(reading.lastKnown * DAY_MS));
    warnings.push({
      code: 'stale_market',
      detail:
        `No sale in this market has become known since ${last}, and the value is projected forward from there. ` +
        'The interval and the error rate allow for that.',
    });
  }
  return warnings;
}

const listHistory = async (
  deps: ValuationDeps,
  { fips, id }: PropertyRow,
  looked: Omit<HistoryInput, 'published'>,
): Promise<Valuation['history']> => makeHistory({ ...looked, published: await listValues(deps.data, fips, id) });

/** A property's comparables as of today, with their adjustments. */
export async function listComparables(
  deps: ValuationDeps,
  row: PropertyRow,
  wanted: ComparableOptions,
): Promise<Comparable[]> {
  const attributes = attributesOf(row);
  checkType(attributes);
  const asOf = todayIn(await deps.catalog.read(), row.market, deps.clock);
  const open = await deps.models.open(await chooseModel(deps, row.market, { asOf, today: asOf }));
  const { model, book } = open;
  const reading = readHome(model, book, await homeOf(deps, open, row, { attributes }), dayNumber(asOf));
  const appraisal = appraise(model, reading);
  const { sales } = chooseComparables({ model, book, reading, appraisal }, gridOptions(wanted));
  const { lines } = buildAdjustments(model, reading, sales);
  return sales.map((sale, k) => presentComparable({ ...reading, asOf }, sale, lines[k]));
}
