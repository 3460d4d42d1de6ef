// The adjustment grid on real sales, where available: what a reviewing appraiser would strike must not be there.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributesBySale, measureGrids, showGrid } from '../../bench/grid-check.ts';
import { openBookInSlices } from '../../src/insight/avm/evidence.ts';
import { listSales } from '../../src/insight/avm/sales.ts';
import { runFitsHere } from '../../src/insight/training/fit/fits.ts';
import { quick } from '../../src/insight/training/parameters.ts';
import { trainModel } from '../../src/insight/training/stages.ts';
import { readSales } from '../../src/insight/valuations/open-models.ts';
import { clientWithHouseSales, needsHouseSales } from '../house-sales.ts';

const VALUATIONS = 640;

/** Few trees and no network: the grid is not made by them. Errors and sizes have room for what that costs. */
const few = { ...quick.base, rounds: 40 };
const parameters = { ...quick, base: few, second: few, attention: null, screen: null };

describe('adjustment grids of a real market', needsHouseSales, () => {
  it('have no line to strike in King County', async () => {
    const { deps } = await clientWithHouseSales();
    const sales = await readSales(deps, 'king-county-wa');
    const cut = Math.floor(Date.parse('2015-01-23') / 86_400_000);
    const model = await trainModel({ market: 'king-county-wa', parameters, run: runFitsHere }, sales, cut);
    const book = await openBookInSlices(model, listSales(sales));
    const later = sales.filter(({ soldDay }) => soldDay > cut);
    const tested = later.filter((_, i) => i % Math.floor(later.length / VALUATIONS) === 0);
    const grids = tested.flatMap((sale) => showGrid(model, book, sale) ?? []);
    const figures = measureGrids(grids, attributesBySale(sales));
    assert.ok(figures.valuations >= 600);
    const { unequal, wrongSigns, wrongSums, codes } = figures;
    assert.deepEqual({ unequal, wrongSigns, wrongSums, codes }, { unequal: 0, wrongSigns: 0, wrongSums: 0, codes: 0 });
    assert.ok(figures.medianGross <= 0.16, `gross ${figures.medianGross}`);
    assert.ok(figures.grossOver25 <= 0.12, `over 25% ${figures.grossOver25}`);
    assert.ok(figures.indicatedError <= 0.095, `error ${figures.indicatedError}`);
    for (const { comparables, basis } of grids) {
      if (comparables.length === 0 || basis.widened.length > 0) continue;
      assert.ok(comparables.every(({ distance_miles, exceeds }) => distance_miles <= 1 && exceeds.length === 0));
    }
  });
});
