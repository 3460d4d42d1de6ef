// Fits a Gaussian process where sales are too few for the network of learned comparables.
import type { Gaussian } from '../avm/gaussian.ts';
import { columnNames } from '../avm/features.ts';
import type { Trait } from '../avm/peers.ts';
import { buildRows, crossFit, type Tools } from './cross-fit.ts';
import { traitOf } from './learned-comparables.ts';
import traits from './traits.json' with { type: 'json' };

/** Columns that locate a home, where the market records them. */
const PLACES = ['east', 'north', 'neighborhood', 'zip', 'census_tract', 'subdivision', 'city'];
/** 4 and 8 km perform alike; 2 km costs a market of 200 sales a point (King County 12.0 to 13.2%). */
const PLACE_KM = 4;
/** Scale of the mean log prices of places and styles; halving it costs 0.1 points. */
const ENCODING_SCALE = 0.4;
/** Prices are clipped at a factor of 4.5 from the median. */
const CLIP = 1.5;

/** Fits on sales only, and also predicts their masked copies. */
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
  // No day column: extrapolating it past the last sale costs 0.4 points (Milwaukee, 1,000 sales).
  const others = traits.filter((name) => names.includes(name) && !places.includes(name));
  return crossFit<Gaussian>(tools, {
    rows,
    isLeftOut: (row) => !isSale(row),
    // As many as the second-stage trees have; otherwise the choice of weights would favor this model.
    folds: tools.parameters.secondFolds,
    options: {
      traits: [...others, ...places].map(describe),
      placesFrom: others.length,
      kernel: tools.parameters.kernel!,
      clip: CLIP,
    },
  });
}
