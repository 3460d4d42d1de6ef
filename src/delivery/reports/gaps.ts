// Lists the gaps of a lender's file: missing, imputed, withheld, stale or unavailable data, each in a sentence. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import { asMoney } from '../../base/lib/figures.ts';
import { loadedLayersOf } from '../../records/risk/schema.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import type { Dossier } from './decide.ts';
import { asRules } from './figures.ts';
import type { Gap } from './schema.ts';

const STALE_SOURCE_DAYS = 400;
const RECENT_CHAIN_DAYS = 20 * 365;

type Known = Omit<Dossier, 'gaps'>;

type Found = [kind: Gap['kind'], code: string, detail: string];

type Loaded = ReadonlyMap<string, Pick<LayerDefinition, 'stale_after_days'>>;

export const listGaps = (file: Known, loaded: Loaded): Gap[] =>
  Object.entries(PARTS).flatMap(([part, find]) =>
    [...find(file, loaded)].map(([kind, code, detail]) => ({ part: part as Gap['part'], kind, code, detail })),
  );

const PARTS: Record<Gap['part'], (file: Known, loaded: Loaded) => Iterable<Found>> = {
  property: ofProperty,
  value: ofValue,
  loan: ofLoan,
  title: ofTitle,
  risk: ofRisk,
  market: ofMarket,
  rent: ofRent,
};

/** The fields that a credit officer looks for on a record. */
function* ofProperty({ property }: Known): Iterable<Found> {
  const fields: [string, unknown][] = [
    ['living area', property.sqft],
    ['bedrooms', property.bedrooms],
    ['bathrooms', property.bathrooms],
    ['lot size', property.parcel?.lot_sqft],
    ['year built', property.structure?.year_built],
    ['condition', property.structure?.condition],
    ['coordinates', property.latitude],
    ['last sale', property.last_sale],
    ['assessment', property.assessments?.[0]],
  ];
  const missing = fields.filter(([, value]) => value === null || value === undefined).map(([name]) => name);
  if (missing.length > 0) yield ['missing', 'record_incomplete', `Not on record: ${missing.join(', ')}.`];
  if (!property.geometry) yield ['missing', 'no_outline', 'The outline of the parcel is not on record.'];
}

const KIND_OF_WARNING: Record<string, Gap['kind']> = {
  attributes_filled: 'filled_in',
  stale_market: 'stale',
  few_comparables: 'missing',
};

function* ofValue({ valuation, as_of, title }: Known): Iterable<Found> {
  for (const { code, detail } of valuation.warnings) yield [KIND_OF_WARNING[code] ?? 'uncertain', code, detail];
  const widened = asRules(valuation.comparables_basis?.widened ?? []);
  const given = valuation.resolution.fields_from_request.join(', ').replaceAll('_', ' ');
  const since = `The value is as of ${as_of}; title, risk and market are as loaded on ${title.as_of}.`;
  if (widened) yield ['uncertain', 'comparables_widened', `Some comparables are outside the usual limits: ${widened}.`];
  if (given) yield ['uncertain', 'attributes_from_request', `Stated by the requester, not from the record: ${given}.`];
  if (as_of < title.as_of) yield ['stale', 'value_as_of_earlier_day', since];
}

function* ofLoan({ loan, valuation: { confidence_interval: interval } }: Known): Iterable<Found> {
  const basis = loan?.existing_mortgages.basis;
  const price = loan?.purchase_price ?? null;
  const range = `${asMoney(interval.low)} to ${asMoney(interval.high)}`;
  if (basis === 'payoff_short') yield ['uncertain', 'payoff_not_covered', loan!.note];
  if (basis === 'stated_below_record') yield ['uncertain', 'balance_below_record', loan!.note];
  if (loan?.other_liens === null) yield ['missing', 'lien_amount_unknown', loan.note];
  if (price !== null && (price < interval.low || price > interval.high))
    yield [
      'uncertain',
      'price_outside_interval',
      `The price of ${asMoney(price)} is outside of the interval, ${range}.`,
    ];
  if (basis === 'not_known') yield ['missing', 'existing_balance_unknown', loan!.note];
  if (basis === 'estimated_from_title') yield ['uncertain', 'existing_balance_estimated', loan!.note];
}

function* ofTitle({ title }: Known): Iterable<Found> {
  const { coverage, mortgages, open } = title;
  if (coverage.status !== 'covered') return yield ['missing', `title_${coverage.status}`, coverage.note];
  const { complete_from: from, records_to: to } = coverage;
  const daysSince = (day: string) => dayNumber(title.as_of) - dayNumber(day);
  if (from === null) yield ['missing', 'no_deeds', coverage.note];
  else if (daysSince(from) < RECENT_CHAIN_DAYS)
    yield ['missing', 'short_chain', `The chain goes back to ${from} only; earlier deeds are not covered.`];
  if (to !== null && daysSince(to) > STALE_SOURCE_DAYS)
    yield ['stale', 'records_end', `Recorded documents are loaded up to ${to}; later ones are not known.`];
  const { length: unpriced } = mortgages.filter(
    ({ status, estimated_balance }) => status !== 'released' && estimated_balance === null,
  );
  const loans = `${unpriced} open ${unpriced === 1 ? 'mortgage' : 'mortgages'}`;
  if (unpriced > 0) yield ['missing', 'balance_unknown', `The balance of ${loans} cannot be estimated.`];
  if (coverage.mortgages.status === 'partial') yield ['missing', 'mortgages_partial', coverage.mortgages.note];
  if (open.mortgages === null) yield ['missing', 'mortgages_unknown', coverage.mortgages.note];
}

function* ofRisk({ risk }: Known, loaded: Loaded): Iterable<Found> {
  const layers = [
    ...LAYER_LIST.map(({ name, plural, staleAfterDays }) => ({
      name,
      plural,
      staleAfterDays,
      layer: risk.layers[name],
    })),
    ...loadedLayersOf(risk).map(([name, layer]) => ({
      name,
      plural: layer.title,
      layer,
      staleAfterDays: loaded.get(name)?.stale_after_days,
    })),
  ];
  for (const { name, plural, layer, staleAfterDays = Infinity } of layers) {
    if (!layer) continue;
    const to = layer.source?.covers_to ?? layer.source?.published_at;
    if (layer.status === 'not_covered') {
      const detail = `${plural}: no source covers this place. Nothing found does not mean there is nothing.`;
      yield ['missing', `${name}_not_covered`, detail];
      continue;
    }
    if (layer.status === 'temporarily_unavailable') {
      yield ['unavailable', `${name}_unavailable`, `${plural} could not be read when the report was made.`];
      continue;
    }
    const unknown = 'status_unknown' in layer ? Number(layer.status_unknown) : 0;
    if (unknown)
      yield [
        'uncertain',
        `${name}_status_unknown`,
        `${plural}: whether ${unknown} on record are open is not published.`,
      ];
    if (to && dayNumber(risk.as_of) - dayNumber(to) > staleAfterDays)
      yield ['stale', `${name}_old`, `${plural}: the source goes up to ${to}.`];
  }
}

function* ofMarket({ market, as_of }: Known): Iterable<Found> {
  if (market.local === null) return yield ['missing', 'no_local_figures', market.note];
  const { data, area } = market.local;
  const withheld = data.filter(({ withheld: isWithheld }) => isWithheld).length;
  const few = `${withheld} of ${data.length} quarters in ${area.name} have too few sales of known place to show their prices.`;
  const last = data.findLast(({ n }) => n > 0);
  if (withheld > 0) yield ['withheld', 'quarters_withheld', few];
  if (last && dayNumber(as_of) - dayNumber(last.ends_on) > 180)
    yield ['stale', 'sales_end', `The last quarter with sales in ${area.name} is ${last.period}.`];
  if (market.change_1y === null)
    yield ['missing', 'no_change_1y', `Too few sales in ${area.name} for a change over a year.`];
}

function* ofRent({ rent }: Known): Iterable<Found> {
  if (rent?.rent === null)
    yield ['missing', 'no_rent', `There is no estimate of the rent: ${rent.reason?.replaceAll('_', ' ')}.`];
  else if (rent?.basis.kind === 'areas')
    yield ['uncertain', 'rent_of_areas', 'The rent rests on areas, not on leases; its interval is an assumption.'];
}
