// Lists the gaps of a lender's file: missing, filled in, withheld, out of date or unavailable, each in a sentence. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import type { Dossier } from './decide.ts';
import { asRules } from './figures.ts';
import type { Gap } from './schema.ts';

const STALE_SOURCE_DAYS = 400;
const RECENT_CHAIN_DAYS = 20 * 365;

type Known = Omit<Dossier, 'gaps'>;

export function listGaps(file: Known): Gap[] {
  return [...ofProperty(file), ...ofValue(file), ...ofLoan(file), ...ofTitle(file), ...ofRisk(file), ...ofMarket(file)];
}

const gap = (part: Gap['part'], kind: Gap['kind'], code: string, detail: string): Gap => ({ part, kind, code, detail });

/** The fields that a credit officer looks for on a record. */
function ofProperty({ property }: Known): Gap[] {
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
  return [
    ...(missing.length > 0
      ? [gap('property', 'missing', 'record_incomplete', `Not on record: ${missing.join(', ')}.`)]
      : []),
    ...(property.geometry
      ? []
      : [gap('property', 'missing', 'no_outline', 'The outline of the parcel is not on record.')]),
  ];
}

const KIND_OF_WARNING: Record<string, Gap['kind']> = {
  attributes_filled: 'filled_in',
  stale_market: 'stale',
  few_comparables: 'missing',
};

function ofValue({ valuation, as_of, title }: Known): Gap[] {
  const warnings = valuation.warnings.map(({ code, detail }) =>
    gap('value', KIND_OF_WARNING[code] ?? 'uncertain', code, detail),
  );
  const widened = valuation.comparables_basis?.widened ?? [];
  const given = valuation.resolution.fields_from_request;
  return [
    ...warnings,
    ...(widened.length > 0
      ? [
          gap(
            'value',
            'uncertain',
            'comparables_widened',
            `Some comparables are outside the usual limits: ${asRules(widened)}.`,
          ),
        ]
      : []),
    ...(given.length > 0
      ? [
          gap(
            'value',
            'uncertain',
            'attributes_from_request',
            `Stated by the requester, not from the record: ${given.join(', ').replaceAll('_', ' ')}.`,
          ),
        ]
      : []),
    ...(as_of < title.as_of
      ? [
          gap(
            'value',
            'stale',
            'value_as_of_earlier_day',
            `The value is as of ${as_of}; title, risk and market are as loaded on ${title.as_of}.`,
          ),
        ]
      : []),
  ];
}

function ofLoan({ loan }: Known): Gap[] {
  if (loan === null) return [];
  const { basis } = loan.existing_mortgages;
  if (basis === 'not_known') return [gap('loan', 'missing', 'existing_balance_unknown', loan.note)];
  if (basis === 'estimated_from_title') return [gap('loan', 'uncertain', 'existing_balance_estimated', loan.note)];
  return [];
}

function ofTitle({ title }: Known): Gap[] {
  const { coverage, mortgages, open } = title;
  if (coverage.status !== 'covered') return [gap('title', 'missing', `title_${coverage.status}`, coverage.note)];
  const gaps: Gap[] = [];
  const { complete_from: from, records_to: to } = coverage;
  if (from === null) gaps.push(gap('title', 'missing', 'no_deeds', coverage.note));
  else if (dayNumber(title.as_of) - dayNumber(from) < RECENT_CHAIN_DAYS)
    gaps.push(
      gap('title', 'missing', 'short_chain', `The chain goes back to ${from} only; earlier deeds are not covered.`),
    );
  if (to !== null && dayNumber(title.as_of) - dayNumber(to) > STALE_SOURCE_DAYS)
    gaps.push(
      gap('title', 'stale', 'records_end', `Recorded documents are loaded up to ${to}; later ones are not known.`),
    );
  const unpriced = mortgages.filter(
    ({ status, estimated_balance, balance_reason }) =>
      status !== 'released' && estimated_balance === null && balance_reason !== 'past_term',
  );
  if (unpriced.length > 0)
    gaps.push(
      gap(
        'title',
        'missing',
        'balance_unknown',
        `The balance of ${unpriced.length} open ${unpriced.length === 1 ? 'mortgage' : 'mortgages'} cannot be estimated.`,
      ),
    );
  if (coverage.mortgages.status === 'partial')
    gaps.push(gap('title', 'missing', 'mortgages_partial', coverage.mortgages.note));
  if (open.mortgages === null) gaps.push(gap('title', 'missing', 'mortgages_unknown', coverage.mortgages.note));
  return gaps;
}

function ofRisk({ risk }: Known): Gap[] {
  return LAYER_LIST.flatMap(({ name, plural, staleAfterDays }): Gap[] => {
    const layer = risk.layers[name];
    if (!layer) return [];
    if (layer.status === 'not_covered') {
      const detail = `${plural}: no source covers this place. Nothing found does not mean there is nothing.`;
      return [gap('risk', 'missing', `${name}_not_covered`, detail)];
    }
    if (layer.status === 'temporarily_unavailable') {
      const detail = `${plural} could not be read when the report was made.`;
      return [gap('risk', 'unavailable', `${name}_unavailable`, detail)];
    }
    const to = layer.source?.covers_to ?? layer.source?.published_at;
    if (to && staleAfterDays !== undefined && dayNumber(risk.as_of) - dayNumber(to) > staleAfterDays)
      return [gap('risk', 'stale', `${name}_old`, `${plural}: the source goes up to ${to}.`)];
    return [];
  });
}

function ofMarket({ market, as_of }: Known): Gap[] {
  if (market.local === null) return [gap('market', 'missing', 'no_local_figures', market.note)];
  const { data, area } = market.local;
  const withheld = data.filter(({ withheld: isWithheld }) => isWithheld).length;
  const last = data.findLast(({ n }) => n > 0);
  return [
    ...(withheld > 0
      ? [
          gap(
            'market',
            'withheld',
            'quarters_withheld',
            `${withheld} of ${data.length} quarters in ${area.name} have too few sales to show their prices.`,
          ),
        ]
      : []),
    ...(last && dayNumber(as_of) - dayNumber(last.ends_on) > 180
      ? [gap('market', 'stale', 'sales_end', `The last quarter with sales in ${area.name} is ${last.period}.`)]
      : []),
    ...(market.change_1y === null
      ? [gap('market', 'missing', 'no_change_1y', `Too few sales in ${area.name} for a change over a year.`)]
      : []),
  ];
}
