// The grid under a polygon: every cell that holds a point of it, none that it leaves out, in the order of a page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import {
  boxOfCell,
  cellOf,
  cellRangesOfPolygons,
  COARSE_DEGREES,
  coarseCellOf,
  FINE_DEGREES,
  makeShapeTest,
  polygonsHold,
  type MultiPolygon,
  type Ring,
} from '../../src/base/lib/geo.ts';

const DEGREES = 0.02;
const list = (polygons: MultiPolygon): number[] =>
  cellRangesOfPolygons(polygons, DEGREES).flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i),
  );
/** Corners in cells east and north of a corner of the grid. */
const ring = (...corners: [number, number][]): Ring => corners.map(([x, y]) => [-88 + x * DEGREES, 43 + y * DEGREES]);
const cellAt = (x: number, y: number) => cellOf({ longitude: -88 + x * DEGREES, latitude: 43 + y * DEGREES }, DEGREES);
/** On the lines of the grid, a hair beside them, and anywhere between. */
const coordinate = fc.oneof(
  fc.integer({ min: 0, max: 8 }),
  fc.integer({ min: 0, max: 8 }).map((line) => line + 1e-12),
  fc.double({ min: 0, max: 8, noNaN: true }),
);
const closed = fc
  .array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 12 })
  .map((open) => ring(...open, open[0]));
const shapes = fc.array(fc.array(closed, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 });

describe('a shape that many points are tested against', () => {
  /** Enough corners for bands, on few latitudes, so that points lie level with corners and with flat edges. */
  const large = fc
    .array(fc.tuple(coordinate, coordinate), { minLength: 64, maxLength: 200 })
    .map((open) => ring(...open, open[0]));

  it('holds the same points as ray casting along every edge', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(large, closed), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(coordinate, coordinate), { maxLength: 40 }),
        (polygons, spots) => {
          const holds = makeShapeTest(polygons);
          for (const [longitude, latitude] of [...ring(...spots), ...polygons.flat(2)])
            assert.equal(holds({ longitude, latitude }), polygonsHold(polygons, { longitude, latitude }));
        },
      ),
    );
  });

  it('may be flat', () => {
    const flat = makeShapeTest([[ring(...Array.from({ length: 80 }, (_, k): [number, number] => [k % 8, 1]), [0, 1])]]);
    assert.equal(flat({ longitude: -88 + DEGREES, latitude: 43 + DEGREES }), false);
  });
});

describe('the cells of a polygon', () => {
  it('hold every point of it, whatever its rings do', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.tuple(coordinate, coordinate), { maxLength: 40 }), (polygons, spots) => {
        const cells = new Set(list(polygons));
        const corners = polygons.flat(2);
        const points = [...ring(...spots), ...corners].map(([longitude, latitude]) => ({ longitude, latitude }));
        for (const point of points)
          if (polygonsHold(polygons, point)) assert.ok(cells.has(cellOf(point, DEGREES)), JSON.stringify(point));
      }),
      { numRuns: 500 },
    );
  });

  it('come once each, from the southwest on', () => {
    fc.assert(
      fc.property(shapes, (polygons) => {
        const cells = list(polygons);
        for (let i = 1; i < cells.length; i++) assert.ok(cells[i] > cells[i - 1]);
      }),
    );
  });

  it('leave out the notch of an L, the inside of a hole and what lies between two parts', () => {
    const corner = ring([0.5, 0.5], [5.5, 0.5], [5.5, 1.5], [1.5, 1.5], [1.5, 5.5], [0.5, 5.5], [0.5, 0.5]);
    const notched = new Set(list([[corner]]));
    assert.ok(notched.has(cellAt(5.1, 1.1)) && notched.has(cellAt(1.1, 5.1)));
    assert.ok(!notched.has(cellAt(3.5, 3.5)));
    const frame = [
      ring([0.5, 0.5], [5.5, 0.5], [5.5, 5.5], [0.5, 5.5], [0.5, 0.5]),
      ring([1.5, 1.5], [4.5, 1.5], [4.5, 4.5], [1.5, 4.5], [1.5, 1.5]),
    ];
    const framed = new Set(list([frame]));
    assert.equal(framed.size, 36 - 4);
    assert.ok(!framed.has(cellAt(2.5, 2.5)) && framed.has(cellAt(0.7, 3)));
    const square = (x: number) => [ring([x, 0.5], [x + 0.4, 0.5], [x + 0.4, 0.9], [x, 0.9], [x, 0.5])];
    assert.deepEqual(list([square(4.5), square(0.5)]), [cellAt(0.5, 0.5), cellAt(4.5, 0.5)]);
  });

  it('fill the inside of a wide polygon without looking at each', () => {
    const wide = ring([0.5, 0.5], [400.5, 0.5], [400.5, 2.5], [0.5, 2.5], [0.5, 0.5]);
    assert.equal(cellRangesOfPolygons([[wide]], DEGREES).length, 3);
    assert.equal(list([[wide]]).length, 3 * 401);
  });
});

describe('a coarse cell', () => {
  const anywhere = fc.record({
    latitude: fc.double({ min: -89.9, max: 89.9, noNaN: true }),
    longitude: fc.double({ min: -180, max: 179.99, noNaN: true }),
  });
  const onLines = fc.record({
    latitude: fc.integer({ min: -500, max: 500 }).map((line) => line * COARSE_DEGREES),
    longitude: fc.integer({ min: -1000, max: 1000 }).map((line) => line * COARSE_DEGREES),
  });

  it('is that of each of its fine cells, also on their common lines', () => {
    fc.assert(
      fc.property(fc.oneof(anywhere, onLines), (point) => {
        assert.equal(coarseCellOf(cellOf(point, FINE_DEGREES)), cellOf(point, COARSE_DEGREES));
      }),
      { numRuns: 2_000 },
    );
  });

  it('has its points in its box', () => {
    fc.assert(
      fc.property(anywhere, ({ latitude, longitude }) => {
        const box = boxOfCell(cellOf({ latitude, longitude }, COARSE_DEGREES), COARSE_DEGREES);
        const margin = 1e-9;
        assert.ok(latitude > box.minLatitude - margin && latitude < box.maxLatitude + margin);
        assert.ok(longitude > box.minLongitude - margin && longitude < box.maxLongitude + margin);
      }),
    );
  });
});
