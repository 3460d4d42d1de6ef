// Polygons clipped to a tile: visible parts stay, the rest goes, and rings are wound as the format requires.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import { areaOf, clipRing, thinRing, type GridRing } from '../../src/records/tiles/clip.ts';
import { encodeTile } from '../../src/records/tiles/mvt.ts';

const EXTENT = 4096;
const square = (from: number, to: number): GridRing => [
  [from, from],
  [to, from],
  [to, to],
  [from, to],
];

describe('clipping a ring', () => {
  it('keeps a ring inside the tile as it is', () =>
    assert.deepEqual(clipRing(square(10, 20), EXTENT, 64), square(10, 20)));

  it('drops a ring outside', () => assert.deepEqual(clipRing(square(5_000, 6_000), EXTENT, 64), []));

  it('clips a ring that covers the tile to the tile and its margin', () => {
    const cut = clipRing(square(-9_000, 9_000), EXTENT, 64);
    assert.equal(areaOf(cut) / 2, (EXTENT + 128) ** 2);
  });

  it('never leaves a point outside or gains area', () => {
    const place = fc.integer({ min: -10_000, max: 10_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(place, place), { minLength: 3, maxLength: 12 }), (ring) => {
        const cut = clipRing(ring, EXTENT, 64);
        for (const [column, row] of cut) {
          assert.ok(column >= -64.001 && column <= EXTENT + 64.001 && row >= -64.001 && row <= EXTENT + 64.001);
        }
      }),
    );
  });
});

describe('thinning a ring', () => {
  it('drops repeated grid points and the closing one', () => {
    const ring: GridRing = [
      [0, 0],
      [0.2, 0.1],
      [8, 0],
      [8, 8],
      [0, 0],
    ];
    assert.deepEqual(thinRing(ring, 4), [
      [0, 0],
      [8, 0],
      [8, 8],
    ]);
  });

  it('drops a ring that is only a dot', () => assert.deepEqual(thinRing(square(1, 1.5), 4), []));
});

describe('a tile of polygons', () => {
  const ring: [number, number][] = [
    [-10, -10],
    [10, -10],
    [10, 10],
    [-10, 10],
    [-10, -10],
  ];

  it('is the same whichever way its rings run', () => {
    const tileOf = (points: [number, number][]) =>
      encodeTile([{ name: 'flood', areas: [{ polygons: [[points]], properties: { zone: 'AE' } }] }], {
        z: 0,
        x: 0,
        y: 0,
      });
    assert.equal(tileOf(ring).length, tileOf(ring.toReversed()).length);
  });

  it('leaves out what the tile does not show', () => {
    const areas = [{ polygons: [[ring]], properties: { zone: 'AE' } }];
    const seen = encodeTile([{ name: 'flood', areas }], { z: 4, x: 7, y: 7 });
    const unseen = encodeTile([{ name: 'flood', areas }], { z: 4, x: 0, y: 0 });
    assert.ok(seen.includes('AE'));
    assert.ok(!unseen.includes('AE'));
  });
});
