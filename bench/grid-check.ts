// Reads an adjustment grid as a reviewing appraiser would: from what the answer shows, not from how it was made.
import { appraise, readHome } from '../src/insight/avm/appraise.ts';
import { readGrade } from '../src/insight/avm/features.ts';
import type { Attributes, Sale } from '../src/insight/avm/attributes.ts';
import type { Book } from '../src/insight/avm/evidence.ts';
import type { Model } from '../src/insight/avm/model.ts';
import { median } from '../src/base/math/quantiles.ts';
import { isoDate } from '../src/base/lib/clock.ts';
import { chooseComparables } from '../src/insight/valuations/grid/comparables.ts';
import { buildAdjustments, indicatedValue } from '../src/insight/valuations/grid/grid.ts';
import { presentComparable } from '../src/insight/valuations/grid/present-comparable.ts';
import type { Comparable, ComparablesBasis } from '../src/insight/valuations/grid/schema.ts';
import { gridOptions } from '../src/insight/valuations/valuations.ts';

export type ShownGrid = {
  sale: Sale;
  attributes: Attributes;
  comparables: Comparable[];
  basis: ComparablesBasis;
  indicated: number;
  value: number;
};

/** The grid of a home as of the day it sold; undefined where nothing comparable sold. */
export function showGrid(model: Model, book: Book, sale: Sale): ShownGrid | undefined {
  const reading = readHome(model, book, sale, sale.soldDay);
  const appraisal = appraise(model, reading);
  const { sales, basis } = chooseComparables({ model, book, reading, appraisal }, gridOptions());
  if (sales.length === 0) return undefined;
  const { lines } = buildAdjustments(model, reading, sales);
  const asOf = isoDate(new Date(sale.soldDay * 86_400_000));
  return {
    sale,
    attributes: reading.attributes,
    comparables: sales.map((each, k) => presentComparable({ ...reading, asOf }, each, lines[k])),
    basis,
    indicated: indicatedValue(lines),
    value: Math.round(Math.exp(appraisal.logValue)),
  };
}

/** What buyers pay for, as the record has it. */
const BETTER: Record<string, (a: Attributes) => number | null | undefined> = {
  living_area: (a) => a.sqft,
  lot_size: (a) => a.lotSqft,
  bedrooms: (a) => a.bedrooms,
  bathrooms: (a) => a.bathrooms,
  garage: (a) => a.garageSpaces,
  age: (a) => a.yearBuilt,
  renovation: (a) => ((a.effectiveYearBuilt ?? 0) > (a.yearBuilt ?? 0) ? a.effectiveYearBuilt : 0),
  condition: (a) => readGrade(a.condition),
  quality: (a) => readGrade(a.quality),
  waterfront: (a) => a.extras.waterfront,
  view: (a) => a.extras.view,
  basement: (a) => a.extras.basement_sqft,
  fireplaces: (a) => a.extras.fireplaces,
};

export type GridFaults = { unequal: number; wrongSigns: number; wrongSums: number; codes: number };

/** `homes` are the attributes of the properties sold, by id. */
export function findFaults(grid: ShownGrid, homes: Map<string, Attributes>): GridFaults {
  const faults: GridFaults = { unequal: 0, wrongSigns: 0, wrongSums: 0, codes: 0 };
  for (const { property_id, sale_date, sale_price, adjusted_price, adjustments } of grid.comparables) {
    const theirs = homes.get(`${property_id} ${sale_date}`)!;
    for (const { feature, subject, comparable, amount } of adjustments) {
      if (subject === comparable && amount !== 0) faults.unequal++;
      const better = BETTER[feature];
      const difference = better ? (better(grid.attributes) ?? NaN) - (better(theirs) ?? NaN) : amount;
      if (!(Math.sign(amount) === Math.sign(difference))) faults.wrongSigns++;
      if (/_(code|district|id)$/.test(feature)) faults.codes++;
    }
    if (sale_price + adjustments.reduce((sum, { amount }) => sum + amount, 0) !== adjusted_price) faults.wrongSums++;
  }
  return faults;
}

export function attributesBySale(sales: Sale[]): Map<string, Attributes> {
  return new Map(
    sales.map(({ propertyId, soldDay, attributes }) => [
      `${propertyId} ${isoDate(new Date(soldDay * 86_400_000))}`,
      attributes,
    ]),
  );
}

export type GridFigures = ReturnType<typeof measureGrids>;

export function measureGrids(grids: ShownGrid[], homes: Map<string, Attributes>) {
  const comparables = grids.flatMap((grid) => grid.comparables);
  const gross = comparables.map(({ gross_adjustment_rate }) => gross_adjustment_rate);
  const net = comparables.map(({ net_adjustment_rate }) => Math.abs(net_adjustment_rate));
  const faults = grids.map((grid) => findFaults(grid, homes));
  const total = (of: keyof GridFaults): number => faults.reduce((sum, each) => sum + each[of], 0);
  const share = (values: number[], limit: number): number =>
    values.filter((value) => value > limit).length / values.length;
  const lines = comparables.flatMap(({ adjustments, sale_price }) =>
    adjustments.map(({ amount }) => Math.abs(amount) / sale_price),
  );
  return {
    valuations: grids.length,
    comparables: comparables.length,
    lines: lines.length,
    unequal: total('unequal'),
    wrongSigns: total('wrongSigns'),
    wrongSums: total('wrongSums'),
    codes: total('codes'),
    medianGross: median(gross),
    grossOver25: share(gross, 0.25),
    medianNet: median(net),
    netOver15: share(net, 0.15),
    linesOver10: share(lines, 0.1),
    indicatedError: median(grids.map(({ indicated, sale }) => Math.abs(indicated / sale.priceUsd - 1))),
    estimateError: median(grids.map(({ value, sale }) => Math.abs(value / sale.priceUsd - 1))),
    reconciliation: median(grids.map(({ indicated, value }) => Math.abs(value / indicated - 1))),
    widened: grids.filter(({ basis }) => basis.widened.length > 0).length / grids.length,
    fewest: Math.min(...grids.map((grid) => grid.comparables.length)),
    perGrid: comparables.length / grids.length,
  };
}

const dollars = (amount: number): string => amount.toLocaleString('en-US');
const signed = (amount: number): string => (amount > 0 ? `+${dollars(amount)}` : dollars(amount));
const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

const LABEL = 28;
const COLUMN = 23;

/** A grid of the three heaviest comparables that fits in a terminal. `*`: another neighborhood or ZIP code. */
export function formatGrid({ sale, attributes: a, comparables, basis, indicated, value }: ShownGrid): string {
  const shown = comparables.toSorted((one, other) => other.weight - one.weight).slice(0, 3);
  const lines = shown.flatMap(({ adjustments }) => adjustments);
  const features = [...new Set(lines.map(({ feature }) => feature))];
  const subjectOf = (feature: string): string => lines.find((line) => line.feature === feature)!.subject ?? '';
  const cell = ({ adjustments, distance_miles }: Comparable, feature: string): string => {
    const line = adjustments.find((each) => each.feature === feature);
    if (!line) return '0';
    const isElsewhere = /another/.test(line.comparable!) || !line.comparable!.endsWith(line.subject!);
    const text = feature === 'location' ? `${distance_miles} mi${isElsewhere ? '*' : ''}` : line.comparable!;
    const amount = signed(line.amount);
    return `${text.slice(0, COLUMN - amount.length - 2)} ${amount}`;
  };
  const row = (label: string, of: (comparable: Comparable) => string): string =>
    label.slice(0, LABEL).padEnd(LABEL) + shown.map((each) => of(each).padStart(COLUMN)).join('');
  const facts = [
    a.propertyType?.replaceAll('_', ' '),
    a.sqft && `${a.sqft} sqft`,
    a.yearBuilt && `built ${a.yearBuilt}`,
    a.zip && `ZIP ${a.zip}`,
  ];
  return [
    `${facts.filter(Boolean).join(', ')}; sold for ${dollars(sale.priceUsd)}`,
    `${comparables.length} comparables, of which the heaviest:`,
    row('sale price', ({ sale_price }) => dollars(sale_price)),
    ...features.map((feature) => row(`${feature.replaceAll('_', ' ')} ${subjectOf(feature)}`, (c) => cell(c, feature))),
    row('adjusted price', ({ adjusted_price }) => dollars(adjusted_price)),
    row('net, gross', (c) => `${percent(c.net_adjustment_rate)}, ${percent(c.gross_adjustment_rate)}`),
    row('weight', ({ weight }) => percent(weight)),
    `indicated ${dollars(indicated)}, reconciliation ${signed(value - indicated)}, estimate ${dollars(value)}`,
    ...(basis.widened.length > 0 ? [`widened: ${basis.widened.join(', ')}`] : []),
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}
