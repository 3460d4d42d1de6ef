// The adjustment grid: zero for equal attributes, the right sign for better ones, rules for comparables, receipts.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from '../properties.ts';
import { lineNames, partsOf, risingReaders, stepsBetween, worthOn } from '../../src/insight/avm/adjustments.ts';
import { appraise, readHome } from '../../src/insight/avm/appraise.ts';
import { noAttributes, type Attributes, type Sale } from '../../src/insight/avm/attributes.ts';
import { openBook, type Book } from '../../src/insight/avm/evidence.ts';
import type { Model } from '../../src/insight/avm/model.ts';
import { listSales } from '../../src/insight/avm/sales.ts';
import { runFitsHere } from '../../src/insight/training/fit/fits.ts';
import { seededRandom } from '../../src/base/math/random.ts';
import { quick } from '../../src/insight/training/parameters.ts';
import { trainModel } from '../../src/insight/training/stages.ts';
import { chooseComparables, type GridOptions } from '../../src/insight/valuations/grid/comparables.ts';
import { buildAdjustments, indicatedValue } from '../../src/insight/valuations/grid/grid.ts';
import { presentComparable } from '../../src/insight/valuations/grid/present-comparable.ts';

const FIRST_DAY = 18_000;
const CUT_DAY = FIRST_DAY + 1000;
const CONDITIONS = ['poor', 'fair', 'average', 'good', 'excellent'];
const STYLES = ['Ranch', 'Cape Cod', 'Colonial', 'R1'];

/** Homes that differ in everything a grid has lines for, at prices that say little about some of it. */
function inventHome(random: () => number): Attributes {
  const sqft = Math.round(700 + random() * 2600);
  const yearBuilt = 1900 + Math.floor(random() * 115);
  return {
    ...noAttributes,
    propertyType: random() < 0.85 ? 'single_family' : 'townhouse',
    latitude: 43 + random() * 0.06,
    longitude: -88 + random() * 0.08,
    sqft,
    lotSqft: random() < 0.1 ? null : Math.round(2000 + random() * 12_000),
    bedrooms: 1 + Math.floor(random() * 5),
    bathrooms: 1 + Math.floor(random() * 6) / 2,
    yearBuilt,
    effectiveYearBuilt: random() < 0.2 ? Math.min(2018, yearBuilt + 30) : yearBuilt,
    garageSpaces: Math.floor(random() * 4),
    condition: CONDITIONS[Math.floor(random() * 5)],
    quality: String(5 + Math.floor(random() * 5)),
    style: STYLES[Math.floor(random() * 4)],
    zip: random() < 0.5 ? '53202' : '53204',
    neighborhood: random() < 0.5 ? 'Lakeside' : '4420',
    extras: {
      waterfront: random() < 0.1 ? 1 : 0,
      view: Math.floor(random() * 5),
      council_district: Math.floor(random() * 15),
      neighborhood_code: 4400 + Math.floor(random() * 5),
    },
  };
}

function inventSales(count: number): Sale[] {
  const random = seededRandom(11);
  return Array.from({ length: count }, (_, i): Sale => {
    const attributes = inventHome(random);
    const soldDay = FIRST_DAY + Math.floor(random() * 1200);
    const log =
      11 +
      0.6 * Math.log(attributes.sqft! / 1500) -
      // Buyers of this market are odd: bedrooms and garages lower a price. The grid must not say so.
      0.03 * attributes.bedrooms! -
      0.02 * attributes.garageSpaces! +
      0.05 * attributes.bathrooms! +
      0.04 * CONDITIONS.indexOf(attributes.condition!) +
      0.06 * Number(attributes.quality) +
      3 * (attributes.latitude! - 43) +
      0.25 * (random() - 0.5);
    const priceUsd = Math.round(Math.exp(log));
    return {
      id: `sale_${String(i).padStart(5, '0')}`,
      propertyId: `home_${i}`,
      soldDay,
      knownDay: soldDay + 14,
      priceUsd,
      attributes,
      address: null,
    };
  }).toSorted((a, b) => a.soldDay - b.soldDay || (a.id < b.id ? -1 : 1));
}

const few = { ...quick.base, rounds: 30 };
const parameters = { ...quick, base: few, second: few, networkSales: Infinity, screen: null };
const options: GridOptions = { count: 10, maxKm: 15, exclude: [] };
const sales = inventSales(2500);
let model: Model;
let book: Book;

before(async () => {
  model = await trainModel({ market: 'test', parameters, run: runFitsHere }, sales, CUT_DAY);
  book = openBook(model, listSales(sales));
});

const home = fc.integer({ min: 1, max: 1e9 }).map((seed) => inventHome(seededRandom(seed)));
const stepsOf = (subject: Attributes, comparable: Attributes, km = 1): Record<string, number> => {
  const [from, to] = [comparable, subject].map((attributes) => partsOf(model, attributes));
  const steps = stepsBetween(model, { from, to, km });
  return Object.fromEntries(lineNames(model).map((name, k) => [name, steps[k]]));
};

describe('lines of the grid', () => {
  it('read attributes that a reader can weigh, and no codes', () => {
    const names = lineNames(model);
    for (const name of ['location', 'living_area', 'bathrooms', 'condition', 'quality', 'style'])
      assert.ok(names.includes(name), name);
    for (const code of ['council_district', 'neighborhood_code', 'zip']) assert.equal(names.includes(code), false);
    assert.equal(
      Object.keys(model.adjustments.names.find(({ name }) => name === 'style')!.worth).includes('r1'),
      false,
    );
  });

  it('are zero where both sides show the same', () => {
    fc.assert(
      fc.property(home, home, (a, b) => {
        assert.ok(Object.values(stepsOf(a, a)).every((step) => step === 0));
        // With one attribute taken over from the other side, its line is zero and the others stay as they were.
        for (const name of [
          'sqft',
          'lotSqft',
          'bedrooms',
          'bathrooms',
          'garageSpaces',
          'condition',
          'style',
        ] as const) {
          const line = { sqft: 'living_area', lotSqft: 'lot_size', garageSpaces: 'garage' }[name as string] ?? name;
          const [apart, alike] = [stepsOf(a, b), stepsOf(a, { ...b, [name]: a[name] })];
          assert.equal(alike[line] ?? 0, 0);
          for (const other of Object.keys(apart)) if (other !== line) assert.equal(alike[other], apart[other]);
        }
      }),
    );
  });

  it('are never negative for the better side', () => {
    fc.assert(
      fc.property(home, home, (a, b) => {
        const steps = stepsOf(a, b);
        for (const [name, read] of Object.entries(risingReaders)) {
          const difference = read(a) - read(b);
          if (name in steps && difference === difference)
            assert.ok(steps[name] * difference >= 0, `${name}: ${steps[name]} for ${difference}`);
        }
      }),
    );
  });

  it('are zero where one side is unknown', () => {
    fc.assert(
      fc.property(home, home, (a, b) => {
        const bare = { ...noAttributes, latitude: a.latitude, longitude: a.longitude, extras: {} };
        for (const steps of [stepsOf(bare, b), stepsOf(a, { ...bare, latitude: b.latitude })])
          for (const [name, step] of Object.entries(steps)) if (name !== 'location') assert.equal(step, 0, name);
      }),
    );
  });

  it('stay within the range of the market, however far apart the homes are', () => {
    const [hut, palace] = [400, 90_000].map((sqft) => ({ ...inventHome(seededRandom(1)), sqft }));
    const { at, worth } = model.adjustments.curves.find(({ name }) => name === 'living_area')!;
    const widest = model.adjustments.share * (worth[worth.length - 1] - worth[0]);
    assert.ok(Math.abs(stepsOf(palace, hut).living_area - widest) < 1e-12);
    assert.equal(worthOn({ at, worth }, at[0] - 5), worth[0]);
    const far = { ...hut, latitude: 43.5, zip: '53204', neighborhood: '4420' };
    assert.ok(Math.abs(stepsOf(hut, far, 50).location) <= model.adjustments.mostByLocation);
  });

  it('give next-door homes the same location, wherever a boundary runs', () => {
    const one = { ...inventHome(seededRandom(5)), zip: '53202', neighborhood: 'Lakeside' };
    const other = { ...one, zip: '53204', neighborhood: '4420' };
    assert.ok(stepsOf(one, other, 0).location === 0);
    assert.ok(Math.abs(stepsOf(one, other, 0.01).location) < 0.1 * Math.abs(stepsOf(one, other, 1).location) + 1e-12);
  });
});

describe('the grid as shown', () => {
  const show = (sale: Sale) => {
    const reading = readHome(model, book, sale, CUT_DAY + 60);
    const chosen = chooseComparables({ model, book, reading, appraisal: appraise(model, reading) }, options);
    const { lines } = buildAdjustments(model, reading, chosen.sales);
    const shown = chosen.sales.map((each, k) => presentComparable({ ...reading, asOf: '2022-03-09' }, each, lines[k]));
    return { ...chosen, lines, shown, reading };
  };

  it('adds up to the dollar and reports the total adjustment', () => {
    for (const sale of sales.slice(0, 60)) {
      for (const line of show(sale).shown) {
        const amounts = line.adjustments.map(({ amount }) => amount);
        const sum = amounts.reduce((total, amount) => total + amount, 0);
        const gross = amounts.reduce((total, amount) => total + Math.abs(amount), 0);
        assert.equal(line.sale_price + sum, line.adjusted_price);
        assert.ok(Math.abs(line.net_adjustment_rate - sum / line.sale_price) <= 0.00005);
        assert.ok(Math.abs(line.gross_adjustment_rate - gross / line.sale_price) <= 0.00005);
        for (const { subject, comparable } of line.adjustments) assert.notEqual(subject, comparable);
      }
    }
  });

  it('describes distance and place in one line', () => {
    const lines = sales.slice(0, 60).flatMap((sale) => show(sale).shown.flatMap(({ adjustments }) => adjustments));
    const places = lines.filter(({ feature }) => feature === 'location');
    assert.ok(places.length > 0);
    for (const { comparable } of places)
      assert.match(
        comparable!,
        /^[\d.]+ mi away, (Lakeside|(same|another) neighborhood), ZIP \d{5}$|^[\d.]+ mi away, ZIP \d{5}$/,
      );
    for (const { feature, subject } of lines)
      if (feature === 'quality') assert.match(subject!, /^grade \d$/);
      else if (feature === 'waterfront') assert.match(subject!, /^(not )?on water$/);
  });

  it('marks imputed attributes', () => {
    const { attributes, ...sale } = sales[40];
    const { shown } = show({ ...sale, attributes: { ...attributes, sqft: null } });
    const areas = shown.flatMap(({ adjustments }) => adjustments.filter(({ feature }) => feature === 'living_area'));
    assert.ok(areas.length > 0);
    for (const { subject } of areas) assert.match(subject!, /^\d+(\.\d+)? sqft \(filled in\)$/);
  });

  it('indicates a value near the estimate', () => {
    const ratios = sales.slice(0, 80).map((sale) => {
      const { lines, reading } = show(sale);
      return indicatedValue(lines) / Math.exp(appraise(model, reading).logValue);
    });
    assert.ok(ratios.filter((ratio) => Math.abs(ratio - 1) < 0.15).length > 0.9 * ratios.length);
  });
});

describe('comparables', () => {
  const day = CUT_DAY + 60;
  const subject: Attributes = { ...inventHome(seededRandom(3)), propertyType: 'single_family', sqft: 1500 };
  const near = (k: number, change: { km?: number; days?: number; sqft?: number; type?: string } = {}): Sale => ({
    ...sales[k],
    id: `near_${k}`,
    propertyId: `near_${k}`,
    soldDay: day - 30 - (change.days ?? 0),
    knownDay: day - 16 - (change.days ?? 0),
    attributes: {
      ...subject,
      yearBuilt: 1990 + k,
      propertyType: change.type ?? 'single_family',
      sqft: change.sqft ?? 1500,
      latitude: subject.latitude! + (change.km ?? 0.2) / 110.57,
      longitude: subject.longitude,
    },
  });
  const choose = (around: Sale[], wanted: Partial<GridOptions> = {}, on = day) => {
    const all = around.toSorted((a, b) => a.soldDay - b.soldDay || (a.id < b.id ? -1 : 1));
    const own = openBook(model, listSales(all));
    const reading = readHome(model, own, { attributes: subject, propertyId: null }, on);
    const appraisal = appraise(model, reading);
    return chooseComparables({ model, book: own, reading, appraisal }, { ...options, ...wanted });
  };
  const meeting = [0, 1, 2, 3, 4].map((k) => near(k));
  const breaking = {
    same_property_type: { type: 'townhouse' },
    max_distance_miles: { km: 2.4 },
    max_age_days: { days: 500 },
    max_area_difference: { sqft: 1950 },
  };

  it('meet every rule wherever five do', () => {
    const others = Object.values(breaking).flatMap((change, k) => [near(10 + k, change), near(20 + k, change)]);
    const { sales: chosen, basis } = choose([...meeting, ...others]);
    assert.deepEqual(
      chosen.map(({ propertyId }) => propertyId).toSorted(),
      meeting.map(({ propertyId }) => propertyId),
    );
    assert.deepEqual(basis.widened, []);
    assert.deepEqual(basis.applied, basis.rules);
    assert.ok(chosen.every(({ exceeds }) => exceeds.length === 0));
  });

  for (const [rule, change] of Object.entries(breaking)) {
    it(`say that ${rule} was widened where only four meet it`, () => {
      const { sales: chosen, basis } = choose([...meeting.slice(1), near(10, change), near(11, change)]);
      assert.deepEqual(basis.widened, [rule]);
      assert.notDeepEqual(basis.applied, basis.rules);
      for (const { propertyId, exceeds } of chosen)
        assert.deepEqual(exceeds, ['near_10', 'near_11'].includes(propertyId) ? [rule] : []);
    });
  }

  it('are fewer rather than beyond the limits of the caller', () => {
    const { sales: chosen, basis } = choose([...meeting.slice(2), near(10, { days: 500 })], { maxAgeDays: 200 });
    assert.equal(chosen.length, 3);
    assert.deepEqual(basis.widened, []);
    assert.equal(basis.applied.max_age_days, 200);
    assert.equal(choose(meeting, { exclude: ['near_0', 'near_1'] }).sales.length, 3);
    assert.equal(choose(meeting, { count: 2 }).sales.length, 2);
  });

  it('report their true age if sales ended years ago, and are not reduced by the growth carried forward', () => {
    const [then, now] = [choose(meeting), choose(meeting, {}, day + 3000)];
    assert.deepEqual(
      now.sales.map(({ propertyId }) => propertyId),
      then.sales.map(({ propertyId }) => propertyId),
    );
    assert.deepEqual(now.basis.widened, ['max_age_days']);
    assert.ok(now.sales.every(({ exceeds }) => exceeds.join() === 'max_age_days'));
    const oldest = day + 3000 - Math.min(...meeting.map(({ soldDay }) => soldDay));
    assert.ok(now.basis.applied.max_age_days >= oldest && now.basis.applied.max_age_days <= oldest + 365);
    assert.deepEqual(choose(meeting, { maxAgeDays: 365 }, day + 3000).sales, []);
  });

  it('are each home once, by the sale that meets the rules', () => {
    const twice = { ...near(0, { days: 500 }), propertyId: 'near_0', id: 'earlier' };
    const { sales: chosen } = choose([twice, ...meeting]);
    assert.equal(chosen.filter(({ propertyId }) => propertyId === 'near_0').length, 1);
    assert.equal(chosen.find(({ propertyId }) => propertyId === 'near_0')!.saleId, 'near_0');
  });

  it('get less weight at a price far from the usual', () => {
    const dear = { ...meeting[0], priceUsd: 3 * meeting[0].priceUsd };
    const weightIn = (all: Sale[]) => choose(all).sales.find(({ propertyId }) => propertyId === 'near_0')!.weight;
    assert.ok(weightIn([dear, ...meeting.slice(1)]) < 0.2 * weightIn(meeting));
  });
});
