// The adjustment grid on real sales: what a reviewing appraiser would strike must not be there.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributesBySale, measureGrids, showGrid } from '../../bench/grid-check.ts';
import { findDataFolder, readers } from '../../bench/markets.ts';
import { GRID_TESTS } from '../../bench/valuation-grid.ts';
import { openBookInSlices } from '../../src/avm/evidence.ts';
import { listSales } from '../../src/avm/sales.ts';
import { runFitsHere } from '../../src/training/fit/fits.ts';
import { quick } from '../../src/training/parameters.ts';
import { trainModel } from '../../src/training/stages.ts';

const folder = findDataFolder();
const VALUATIONS = 320;

/** Few trees: the grid is not made by them. Errors and sizes have room for what that costs. */
const few = { ...quick.base, rounds: 40 };
const parameters = { ...quick, base: few, second: few, networkSales: Infinity, screen: null };
const LIMITS: Record<string, { gross: number; error: number }> = {
  'king-county': { gross: 0.16, error: 0.095 },
  milwaukee: { gross: 0.2, error: 0.15 },
};

describe(
  'adjustment grids of real markets',
  { skip: folder === undefined && 'the public sales files are not here' },
  () => {
    for (const [market, { keep, cut }] of Object.entries(GRID_TESTS)) {
      it(`have no line to strike in ${market}`, async () => {
        const sales = readers[market](folder!).filter(keep);
        const model = await trainModel({ market, parameters, run: runFitsHere }, sales, cut);
        const book = await openBookInSlices(model, listSales(sales));
        const later = sales.filter(({ soldDay }) => soldDay > cut);
        const tested = later.filter((_, i) => i % Math.floor(later.length / VALUATIONS) === 0);
        const grids = tested.flatMap((sale) => showGrid(model, book, sale) ?? []);
        const figures = measureGrids(grids, attributesBySale(sales));
        assert.ok(figures.valuations >= 300);
        const { unequal, wrongSigns, wrongSums, codes } = figures;
        assert.deepEqual(
          { unequal, wrongSigns, wrongSums, codes },
          { unequal: 0, wrongSigns: 0, wrongSums: 0, codes: 0 },
        );
        assert.ok(figures.medianGross <= LIMITS[market].gross, `gross ${figures.medianGross}`);
        assert.ok(figures.grossOver25 <= 0.12, `over 25% ${figures.grossOver25}`);
        assert.ok(figures.indicatedError <= LIMITS[market].error, `error ${figures.indicatedError}`);
        for (const { comparables, basis } of grids) {
          if (comparables.length === 0 || basis.widened.length > 0) continue;
          assert.ok(comparables.every(({ distance_miles, exceeds }) => distance_miles <= 1 && exceeds!.length === 0));
        }
      });
    }
  },
);
