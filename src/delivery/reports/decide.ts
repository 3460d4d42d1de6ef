// Evaluates an account's rules on a file and reports the figure behind each outcome. Pure.
import { dayNumber, isoDate } from '../../base/lib/clock.ts';
import { loadedLayersOf } from '../../records/risk/schema.ts';
import { isMet, parseLayerCondition } from '../../supply/layers/condition.ts';
import { LAYER_RULES, type LayerRuleName } from '../../supply/layers/layers.ts';
import { LEVELS, type MISSABLE, type RuleName } from './conditions.ts';
import { asMoney, asPercent, asRatio, rounded } from '../../base/lib/figures.ts';
import { asRules } from './figures.ts';
import type { Report, Rule, RuleOutcome } from './schema.ts';

/** A file without its decision. */
export type Dossier = Omit<Report, 'decision' | 'sha256'>;
type Missable = (typeof MISSABLE)[number];

/** The result of a test. `applies` is undefined if the figure is unknown; `isIdle`: the rule is not about this file. */
type Finding = {
  applies: boolean | undefined;
  figure: RuleOutcome['figure'];
  shown: string;
  isIdle?: boolean;
};

export function decide(
  rules: readonly Rule[],
  dossier: Dossier,
  from: Report['decision']['rules_from'],
): Report['decision'] {
  const outcomes = rules.map((rule) => outcomeOf(rule, dossier));
  const has = (outcome: RuleOutcome['outcome']) => outcomes.some((each) => each.outcome === outcome);
  const outcome = rules.length === 0 ? 'not_evaluated' : has('decline') ? 'decline' : has('refer') ? 'refer' : 'pass';
  return { outcome, rules: outcomes, rules_from: from };
}

function outcomeOf(rule: Rule, dossier: Dossier): RuleOutcome {
  const { note, when, limit } = rule;
  const { applies, figure, shown, isIdle } = TESTS[when](limit, dossier);
  const outcome = isIdle ? 'not_applicable' : applies === undefined ? 'refer' : applies ? rule.outcome : 'pass';
  const said = { ...(limit !== undefined && { limit }), ...(note !== undefined && { note }) };
  return { when, ...said, outcome, figure, reason: shown };
}

/** A change that ended longer ago is not informative about the year before the loan. */
const OLD_CHANGE_DAYS = 180;

/** The last day of a month (2023-12) or a quarter (2023-Q4). */
function lastDayOf(period: string): string {
  const [year, part] = period.split('-');
  const month = part.startsWith('Q') ? 3 * Number(part.slice(1)) : Number(part);
  return isoDate(new Date(Date.UTC(Number(year), month, 0)));
}

type Test = (limit: Rule['limit'], dossier: Dossier) => Finding;

const unknown = (shown: string): Finding => ({ applies: undefined, figure: null, shown });
const withoutPayoff: Finding = { applies: false, figure: null, shown: 'Nothing is to be paid off.', isIdle: true };
const withoutLoan: Finding = { applies: false, figure: null, shown: 'No loan was given.', isIdle: true };

const above =
  (
    name: string,
    read: (dossier: Dossier) => number | null,
    show: (figure: number) => string,
    whyUnknown: string,
  ): Test =>
  (limit, dossier) => {
    const figure = read(dossier);
    if (figure === null) return unknown(whyUnknown);
    const shown = `${name} ${show(figure)}; the limit is ${show(Number(limit))}.`;
    return { applies: figure > Number(limit), figure, shown };
  };

const ofLoan =
  (name: string, member: 'ltv' | 'ltv_at_low' | 'cltv' | 'cltv_at_low'): Test =>
  (limit, dossier) => {
    const { loan } = dossier;
    if (loan === null) return withoutLoan;
    const found = above(name, () => loan[member], asRatio, `${name} not known: ${loan.note}`)(limit, dossier);
    // Debts that will not be paid off as planned may exceed their estimate.
    const isShort = member.startsWith('cltv') && (loan.existing_mortgages.shortfall ?? 0) > 0;
    return isShort && found.applies === false
      ? { ...found, applies: undefined, shown: `${found.shown} ${loan.note}` }
      : found;
  };

const daysBetween = (from: string, to: string) => dayNumber(to) - dayNumber(from);
const inDays = (figure: number) => `${figure} days`;
/** `others` has how many more may be open, and why: being within the limit on record proves nothing if there may be
    more. */
const opened =
  (
    what: string,
    member: 'mortgages' | 'other_liens' | 'tax_liens' | 'permits' | 'violations',
    others: (title: Dossier['title']) => [most: number, why: string],
  ): Test =>
  (limit, { title }) => {
    const figure = title.open[member];
    const [most, why] = others(title);
    if (figure === null) return unknown(`Open ${what} are not known: ${why}`);
    const shown = `Open ${what}: ${figure}${most > 0 ? ' at least' : ''}; the limit is ${String(limit)}.`;
    if (figure > Number(limit)) return { applies: true, figure, shown };
    return figure + most > Number(limit) ? unknown(`${shown} ${why}`) : { applies: false, figure, shown };
  };
const ofCoverage = ({ coverage: { mortgages } }: Dossier['title']): [number, string] => [
  mortgages.status === 'covered' ? 0 : Infinity,
  mortgages.note,
];
const ofStatus =
  (member: 'tax_liens' | 'permits' | 'violations') =>
  ({ [member]: layer }: Dossier['title']): [number, string] =>
    layer.status_unknown === null
      ? [Infinity, 'no source covers them here.']
      : [layer.status_unknown, `the status of ${layer.status_unknown} on record is not published.`];

const comparablesOf = ({ valuation }: Dossier) => valuation.comparables ?? [];
function weighted(dossier: Dossier, member: 'gross_adjustment_rate' | 'net_adjustment_rate'): number | null {
  const list = comparablesOf(dossier);
  if (list.length === 0) return null;
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  return rounded(list.reduce((sum, each) => sum + each.weight * (each[member] ?? 0), 0) / total);
}

const NO_GRID = 'There are no comparables.';

const isCovered = ({ status }: { status: string }) => status === 'found' || status === 'none_found';

const testOfLayer =
  ({ layer: name, ifUnknown, test }: (typeof LAYER_RULES)[number]): Test =>
  (limit, { risk }) => {
    const layer = risk.layers[name];
    return layer && isCovered(layer) ? test(limit, layer) : unknown(ifUnknown);
  };

/** True if any condition is met; unknown if none is met and a layer is unknown. */
const testOfConditions: Test = (limit, { risk }) => {
  const layers = new Map(loadedLayersOf(risk));
  const results = (limit as string[]).map((text) => {
    const condition = parseLayerCondition(text)!;
    const layer = layers.get(condition.layer) as Record<string, unknown> | undefined;
    const isKnown = layer !== undefined && isCovered(layer as { status: string });
    return { text, layer, isKnown, isApplying: isKnown && isMet(condition, layer[condition.field]), condition };
  });
  const met = results.filter(({ isApplying }) => isApplying);
  const say = ({ layer, condition: { field } }: (typeof results)[number]) =>
    `${String(layer?.title)}: ${field.replaceAll('_', ' ')} is ${String(layer?.[field] ?? 'not on record')}.`;
  const away = results.find(({ isKnown }) => !isKnown);
  if (met.length > 0) return { applies: true, figure: met.map(({ text }) => text), shown: met.map(say).join(' ') };
  if (away) return unknown(`The layer \`${away.condition.layer}\` is not known here.`);
  return { applies: false, figure: null, shown: results.map(say).join(' ') };
};

const TESTS: Record<RuleName, Test> = {
  layer_matches: testOfConditions,
  confidence_below: (limit, { valuation: { confidence } }) => ({
    applies: LEVELS.indexOf(confidence) < LEVELS.indexOf(limit as 'high'),
    figure: confidence,
    shown: `Confidence is ${confidence}; at least ${String(limit)} is wanted.`,
  }),
  fsd_above: above('Forecast standard deviation', ({ valuation }) => valuation.fsd, asPercent, ''),
  interval_wider_than: above(
    'Width of the interval',
    ({ valuation: { confidence_interval: interval, estimated_value } }) =>
      rounded((interval.high - interval.low) / Math.max(1, estimated_value)),
    asPercent,
    '',
  ),
  ltv_above: ofLoan('Loan to value', 'ltv'),
  ltv_at_low_above: ofLoan('Loan to the low end', 'ltv_at_low'),
  cltv_above: ofLoan('Combined loan to value', 'cltv'),
  cltv_at_low_above: ofLoan('Combined loan to the low end', 'cltv_at_low'),
  dscr_below: (limit, { loan, rent }) => {
    if (loan === null) return withoutLoan;
    const dscr = rent?.loan?.dscr ?? null;
    if (dscr === null)
      return unknown(`Coverage by the rent is not known: ${rent?.loan?.reason ?? 'no loan_terms given'}.`);
    return { applies: dscr < Number(limit), figure: dscr, shown: `DSCR ${dscr}; at least ${String(limit)} is wanted.` };
  },
  payoff_not_covered: (_limit, { loan }) => {
    const { treatment, payoff = null, shortfall = null } = loan?.existing_mortgages ?? {};
    if (loan === null || (treatment !== 'paid_off' && shortfall === null)) return withoutPayoff;
    if (payoff === null || shortfall === null) return unknown(`The payoff is not known: ${loan.note}`);
    const shown = `Estimated payoff ${asMoney(payoff)}; ${shortfall > 0 ? `short by ${asMoney(shortfall)}` : 'covered'}.`;
    return { applies: shortfall > 0, figure: shortfall, shown };
  },
  price_outside_interval: (_limit, { loan, valuation: { confidence_interval: interval } }) => {
    const price = loan?.purchase_price ?? null;
    if (price === null) return { ...withoutLoan, shown: 'No price was given.' };
    const shown = `Price ${asMoney(price)}; the interval is ${asMoney(interval.low)} to ${asMoney(interval.high)}.`;
    return { applies: price < interval.low || price > interval.high, figure: price, shown };
  },
  gross_adjustment_above: above(
    'Average gross adjustment',
    (dossier) => weighted(dossier, 'gross_adjustment_rate'),
    asPercent,
    NO_GRID,
  ),
  largest_gross_adjustment_above: above(
    'Largest gross adjustment',
    (dossier) => {
      const rates = comparablesOf(dossier).map((each) => each.gross_adjustment_rate);
      return rates.length === 0 ? null : Math.max(...rates);
    },
    asPercent,
    NO_GRID,
  ),
  net_adjustment_above: (limit, dossier) => {
    const figure = weighted(dossier, 'net_adjustment_rate');
    if (figure === null) return unknown(NO_GRID);
    const shown = `Average net adjustment ${asPercent(figure)}; the limit is ±${asPercent(Number(limit))}.`;
    return { applies: Math.abs(figure) > Number(limit), figure, shown };
  },
  comparables_fewer_than: (limit, dossier) => {
    const figure = comparablesOf(dossier).length;
    const shown = `${figure} comparables; at least ${String(limit)} are wanted.`;
    return { applies: figure < Number(limit), figure, shown };
  },
  comparables_widened: (_limit, { valuation }) => {
    const figure = valuation.comparables_basis?.widened ?? [];
    const shown = figure.length > 0 ? `Widened: ${asRules(figure)}.` : 'All comparables meet the rules.';
    return { applies: figure.length > 0, figure, shown };
  },
  value_older_than_days: above(
    'The value is',
    ({ as_of, title }) => daysBetween(as_of, title.as_of),
    (n) => `${n} days old`,
    '',
  ),
  sales_older_than_days: above(
    'Latest known sales:',
    ({ receipt, as_of }) => daysBetween(receipt.market_day, as_of),
    inDays,
    '',
  ),
  prices_fell_more_than: (limit, { market, as_of }) => {
    if (market.change_1y === null) return unknown('There are too few local sales for a change over a year.');
    const { change, from, to } = market.change_1y;
    if (dayNumber(as_of) - dayNumber(lastDayOf(to)) > OLD_CHANGE_DAYS)
      return unknown(`Local prices are known up to ${to} only; whether they have fallen since is not.`);
    const shown = `Local prices ${change < 0 ? 'fell' : 'rose'} ${asPercent(Math.abs(change))} from ${from} to ${to}; the limit is a fall of ${asPercent(Number(limit))}.`;
    return { applies: -change > Number(limit), figure: change, shown };
  },
  ...(Object.fromEntries(LAYER_RULES.map((each) => [each.rule, testOfLayer(each)])) as Record<LayerRuleName, Test>),
  open_mortgages_above: opened('mortgages', 'mortgages', ofCoverage),
  open_tax_liens_above: opened('tax liens', 'tax_liens', ofStatus('tax_liens')),
  open_liens_above: opened('other liens', 'other_liens', ofCoverage),
  open_permits_above: opened('permits', 'permits', ofStatus('permits')),
  open_violations_above: opened('violations', 'violations', ofStatus('violations')),
  title_flags: (limit, { title }) => {
    if (title.coverage.status !== 'covered') return unknown(`The title is not known: ${title.coverage.note}`);
    const found = [...new Set(title.flags.map(({ code }) => code))];
    const hit = limit === undefined ? found : found.filter((code) => (limit as string[]).includes(code));
    const shown = hit.length === 0 ? 'No such flag.' : `Flagged: ${hit.join(', ').replaceAll('_', ' ')}.`;
    return { applies: hit.length > 0, figure: hit, shown };
  },
  property_type_in: (limit, { property }) => {
    const type = property.property_type ?? 'other';
    const shown = `The type is ${type.replaceAll('_', ' ')}.`;
    return { applies: (limit as string[]).includes(type), figure: type, shown };
  },
  data_missing: (limit, dossier) => {
    const missing = (limit as Missable[]).filter((part) => isMissing(part, dossier));
    const shown =
      missing.length === 0 ? 'All of it is known.' : `Not known: ${missing.join(', ').replaceAll('_', ' ')}.`;
    return { applies: missing.length > 0, figure: missing, shown };
  },
};

function isMissing(part: Missable, { title, risk, valuation, market, loan }: Dossier): boolean {
  switch (part) {
    case 'title':
      return title.coverage.status !== 'covered';
    case 'attributes':
      return valuation.error_basis.missing.length > 0;
    case 'comparables':
      return (valuation.comparables ?? []).length === 0;
    case 'market':
      return market.local === null;
    case 'existing_balance':
      return loan === null ? title.open.estimated_balance === null : loan.existing_mortgages.balance === null;
    default: {
      const layer = risk.layers[part];
      return !layer || !isCovered(layer);
    }
  }
}
