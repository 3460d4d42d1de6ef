// Fits a Gaussian process where sales are too few for the network of learned comparables.
import type { Gaussian } from '../avm/gaussian.ts';
import { columnNames } from '../avm/features.ts';
import type { Trait } from '../avm/peers.ts';
import { buildRows, crossFit, type Tools } from './cross-fit.ts';
import { traitOf } from './learned-comparables.ts';
import traits from './traits.json' with { type: 'json' };

/** What tells the place of a home, as far as the market records it. */
const PLACES = ['east', 'north', 'neighborhood', 'zip', 'census_tract', 'subdivision', 'city'];
/** 4 km and 8 km did alike; with 2 km a market of 200 sales lost a point (King County 12.0 to 13.2%). */
const PLACE_KM = 4;
/** Mean log prices of places and styles; halving it cost 0.1 of a point. */
const ENCODING_SCALE = 0.4;
/** Prices beyond a factor of 4.5 from the median are pulled in to it. */
const CLIP = 1.5;

/** Learns from sales alone, and predicts their masked copies, too. */
export function fitFewSales(tools: Tools, rows: number[], isSale: (row: number) => boolean) {
  const names = columnNames(tools.features);
  const sales = rows.filter(isSale);
  const none = { values: new Float32Array(0), columns: 0 };
  const values = buildRows(tools, { rows: sales, encodings: tools.encode(sales), seen: true, extra: none });
  const describe = (name: string): Trait => {
    const column = names.indexOf(name);
    const known = Float32Array.from(sales, (_, i) => values[i * names.length + column]).filter(
      (value) => value === value,
    );
    const trait = traitOf(name, column, known.sort());
    if (name === 'east' || name === 'north') return { ...trait, scale: PLACE_KM };
    return (tools.features.categories as string[]).includes(name)
      ? { ...trait, median: 0, scale: ENCODING_SCALE }
      : trait;
  };
  const places = PLACES.filter((name) => names.includes(name));
  // Without the day: carried beyond the last sale it cost 0.4 of a point (Milwaukee, 1,000 sales).
  const others = traits.filter((name) => names.includes(name) && !places.includes(name));
  return crossFit<Gaussian>(tools, {
    rows,
    isLeftOut: (row) => !isSale(row),
    // As many as the second-stage trees have, or its weight would be chosen in its favor.
    folds: tools.parameters.secondFolds,
    options: {
      traits: [...others, ...places].map(describe),
      placesFrom: others.length,
      kernel: tools.parameters.kernel!,
      clip: CLIP,
    },
  });
}
