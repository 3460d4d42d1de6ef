// Parcel shapes: stored bytes return as they were, published mistakes are mended or refused, and points find them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import { repairShape, storeShape } from '../../src/supply/ingest/map/parcel-shape.ts';
import { boxOfPolygon, polygonsHold, type MultiPolygon, type Ring } from '../../src/base/lib/geo.ts';
import {
  areaSqftOf,
  decodeShape,
  encodeShape,
  geometryOf,
  shapeCellOf,
  shapeCellsAround,
  signedSqftOf,
} from '../../src/base/lib/shapes.ts';
import { coarseShape } from '../../src/records/tiles/coarse.ts';

const [X, Y] = [-88, 43];
/** Corners in ten-thousandths of a degree from a place in Wisconsin. */
const ring = (...corners: [number, number][]): Ring => corners.map(([x, y]) => [X + x / 1e4, Y + y / 1e4]);
const square = ring([0, 0], [4, 0], [4, 4], [0, 4], [0, 0]);
const round = (value: number) => Math.round(value * 1e7) / 1e7;
const corners = (shape: MultiPolygon) => shape.map((polygon) => polygon.map((each) => each.length - 1));

describe('a stored shape', () => {
  it('returns every corner to a centimeter, whatever its parts and holes', () => {
    const degrees = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
    );
    const closed = fc.array(degrees, { minLength: 3, maxLength: 30 }).map((open): Ring => [...open, open[0]]);
    fc.assert(
      fc.property(
        fc.array(fc.array(closed, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        (shape) => {
          const expected = shape.map((rings) => rings.map((each) => each.map((corner) => corner.map(round))));
          const found = decodeShape(encodeShape(shape)).map((rings) =>
            rings.map((each) => each.map((c) => c.map(round))),
          );
          assert.deepEqual(
            JSON.stringify(found),
            JSON.stringify(expected).replaceAll('-0,', '0,').replaceAll('-0]', '0]'),
          );
        },
      ),
    );
  });

  it('of an ordinary lot takes less than 32 bytes', () => assert.ok(encodeShape([[square]]).length < 32));

  it('is a Polygon, or a MultiPolygon if it has parts', () => {
    assert.equal(geometryOf([[square]]).type, 'Polygon');
    assert.equal(geometryOf([[square], [square]]).type, 'MultiPolygon');
  });

  it('has its area in square feet, without its holes', () => {
    const hole = ring([1, 1], [1, 3], [3, 3], [3, 1], [1, 1]);
    // 0.0004° are 145.9 feet from south to north and, at this latitude, 106.7 from west to east.
    assert.ok(Math.abs(areaSqftOf([[square]]) - 15_572) < 20);
    assert.ok(Math.abs(areaSqftOf([[square, hole]]) / areaSqftOf([[square]]) - 0.75) < 1e-6);
  });

  it('is filed where every point in it looks', () => {
    const place = fc.record({
      x: fc.double({ min: -179, max: 178, noNaN: true }),
      y: fc.double({ min: -80, max: 80, noNaN: true }),
      width: fc.double({ min: 1e-5, max: 1.9, noNaN: true }),
      height: fc.double({ min: 1e-5, max: 1.9, noNaN: true }),
      along: fc.double({ min: 0, max: 1, noNaN: true }),
      up: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(place, ({ x, y, width, height, along, up }) => {
        const box = { minLongitude: x, minLatitude: y, maxLongitude: x + width, maxLatitude: y + height };
        const [longitude, latitude] = [x + along * width, y + up * height];
        const point = {
          minLongitude: longitude,
          minLatitude: latitude,
          maxLongitude: longitude,
          maxLatitude: latitude,
        };
        const cells = shapeCellsAround(point);
        assert.ok(cells.includes(shapeCellOf(box)) && cells.length <= 6 * 4);
      }),
    );
  });
});

describe('a published shape', () => {
  const mended: [title: string, published: MultiPolygon, expected: number[][], shareOfSquare: number][] = [
    ['stays as it is', [[square]], [[4]], 1],
    ['is wound counterclockwise', [[square.toReversed()]], [[4]], 1],
    ['loses corners named twice', [[ring([0, 0], [4, 0], [4, 0], [4, 4], [0, 4], [0, 0])]], [[4]], 1],
    ['loses spikes', [[ring([0, 0], [4, 0], [4, 4], [4, 9], [4, 4], [0, 4], [0, 0])]], [[4]], 1],
    ['loses a spike at its beginning', [[ring([0, -3], [0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [0, -3])]], [[4]], 1],
    ['is closed', [[ring([0, 0], [4, 0], [4, 4], [0, 4])]], [[4]], 1],
    ['becomes two parts where it crosses itself', [[ring([0, 0], [4, 4], [4, 0], [0, 4], [0, 0])]], [[3], [3]], 0.5],
    [
      'loses the sliver where two lines cross by mistake',
      [[ring([0, 0], [4, 0], [4, 4], [0, 4], [0.01, -0.01], [0, 0])]],
      [[4]],
      1,
    ],
    ['keeps a hole', [[square, ring([1, 1], [3, 1], [3, 3], [1, 3], [1, 1])]], [[4, 4]], 0.75],
    ['loses a hole without area', [[square, ring([1, 1], [3, 1], [1, 1], [1, 1])]], [[4]], 1],
    ['takes a hole outside as a part', [[square, ring([6, 0], [10, 0], [10, 4], [6, 4], [6, 0])]], [[4], [4]], 2],
    ['loses a part without area', [[square], [ring([6, 0], [7, 0], [8, 0], [6, 0])]], [[4]], 1],
  ];
  for (const [title, published, expected, share] of mended) {
    it(title, () => {
      const shape = repairShape(published);
      assert.deepEqual(corners(shape).toSorted(), expected);
      assert.ok(Math.abs(areaSqftOf(shape) / areaSqftOf([[square]]) - share) < 0.02, String(areaSqftOf(shape)));
      for (const [outer, ...holes] of shape) {
        assert.ok(signedSqftOf(outer) > 0 && holes.every((hole) => signedSqftOf(hole) < 0));
      }
    });
  }

  const county = { minLongitude: -88.1, minLatitude: 42.9, maxLongitude: -87.9, maxLatitude: 43.1 };
  const star = Array.from({ length: 41 }, (_, i): [number, number] => [
    20 * Math.cos((i * 17 * 2 * Math.PI) / 40),
    20 * Math.sin((i * 17 * 2 * Math.PI) / 40),
  ]);
  const refused: [title: string, published: MultiPolygon, reason: string][] = [
    ['that is a line', [[ring([0, 0], [4, 0], [8, 0], [0, 0])]], 'shape_without_area'],
    ['that is a point', [[ring([0, 0], [0, 0], [0, 0], [0, 0])]], 'shape_without_area'],
    ['with something other than numbers', [[ring([0, 0], [NaN, 0], [4, 4], [0, 0])]], 'shape_without_numbers'],
    ['that is a tangle', [[ring(...star)]], 'shape_crosses_itself'],
    ['in another county', [[square.map(([x, y]): [number, number] => [x + 1, y])]], 'shape_outside_county'],
    ['with its axes exchanged', [[square.map(([x, y]): [number, number] => [y, x])]], 'shape_outside_county'],
    ['at the origin', [[square.map(([x, y]): [number, number] => [x - X, y - Y])]], 'shape_outside_county'],
    [
      'as wide as a state',
      [[ring([-20_000, 0], [20_000, 0], [20_000, 4], [-20_000, 4], [-20_000, 0])]],
      'shape_too_large',
    ],
  ];
  for (const [title, published, reason] of refused) {
    it(`${title} is refused as ${reason}`, () => {
      assert.throws(() => storeShape(published, county), { code: reason });
    });
  }

  it('never crosses itself after it is mended, and no longer changes', () => {
    const corner = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(corner, { minLength: 3, maxLength: 8 }), (open) => {
        let shape: MultiPolygon;
        try {
          shape = repairShape([[ring(...open, open[0])]]);
        } catch (error) {
          assert.match((error as { code: string }).code, /^shape_/);
          return;
        }
        const again = repairShape(decodeShape(encodeShape(shape)));
        assert.ok(Math.abs(areaSqftOf(again) - areaSqftOf(shape)) <= 0.01 * areaSqftOf(shape));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the outline in a live tile', () => {
  it('is within two meters of the real one, and not the real one', () => {
    const exact: MultiPolygon = [
      [ring([0.123, 0.077], [4.031, 0.111], [4.219, 4.043], [0.067, 4.151], [0.123, 0.077])],
    ];
    const row = { id: 'p', property_type: 'single_family', value: 412_345, count: 1, shape: encodeShape(exact) };
    const { polygons, properties } = coarseShape('value')({ ...row, figure: null });
    const distances = polygons[0][0].map(([x, y], i) =>
      Math.hypot((x - exact[0][0][i][0]) * 81_500, (y - exact[0][0][i][1]) * 111_200),
    );
    assert.ok(Math.max(...distances) < 2 && Math.max(...distances) > 0.1, String(distances));
    assert.notEqual(properties.value, 412_345);
    assert.ok(polygonsHold(polygons, { longitude: X + 2e-4, latitude: Y + 2e-4 }));
    assert.ok(boxOfPolygon(polygons).minLongitude < X + 1e-4);
  });
});
