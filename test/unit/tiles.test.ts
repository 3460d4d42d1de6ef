// What the ground of the map is made of: streets fitted through addresses, clipped lines, and the atlas around a county.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boxHolds, polygonsHold, type Point } from '../../src/base/lib/geo.ts';
import { titleCase } from '../../src/base/lib/title-case.ts';
import { readAtlas } from '../../src/records/tiles/atlas.ts';
import { clipLine, thinLine } from '../../src/records/tiles/clip.ts';
import { fitStreets, type Doorstep } from '../../src/records/tiles/streets.ts';
import { propertyId, shareOfIds } from '../../src/base/lib/ids.ts';

const [X, Y] = [-87.9, 43.05];
const METER = 1 / 111_320;

/** Homes on both sides of a street that runs east, 20 m from its middle, odd numbers to the south. */
const along = (name: string, from: number, to: number, bend = (_t: number) => 0): Doorstep[] =>
  Array.from({ length: Math.ceil((to - from) / 15) }, (_, index) => {
    const t = from + index * 15;
    const side = index % 2 === 0 ? 20 : -20;
    const squeeze = Math.cos((Y * Math.PI) / 180);
    return {
      line: `${1000 + 2 * index + (index % 2 === 0 ? 0 : 1)} ${name}`,
      longitude: X + (t * METER) / squeeze,
      latitude: Y + (side + bend(t)) * METER,
    };
  });
const metersOff = (latitude: number) => Math.abs(latitude - Y) / METER;

describe('a street fitted through its homes', () => {
  it('runs down the middle, from the first home to the last', () => {
    const [street] = fitStreets(along('N ELM ST', 0, 600));
    assert.equal(street.name, 'N Elm St');
    assert.ok(street.path.length >= 2);
    for (const [, latitude] of street.path) assert.ok(metersOff(latitude) < 3, `${metersOff(latitude)} m off`);
    const length = Math.abs(street.path.at(-1)![0] - street.path[0][0]) / METER;
    assert.ok(length > 500 && length < 900, `${length} m long`);
  });

  it('stays in the middle where only one side has homes, and follows a bend', () => {
    const oneSided = along('OAK AVE', 0, 600).filter(
      ({ line }, index) => index < 20 || Number(line.split(' ')[0]) % 2 === 0,
    );
    for (const [, latitude] of fitStreets(oneSided)[0].path) assert.ok(metersOff(latitude) < 8);
    const bend = (t: number) => 40 * Math.sin(t / 150);
    const squeeze = Math.cos((Y * Math.PI) / 180);
    for (const [longitude, latitude] of fitStreets(along('BEND RD', 0, 700, bend))[0].path) {
      const t = ((longitude - X) * squeeze) / METER;
      assert.ok(Math.abs((latitude - Y) / METER - bend(t)) < 22, `at ${t}`);
    }
  });

  it('is not guessed from few homes, from homes scattered over a town, or from what is no street', () => {
    assert.deepEqual(fitStreets(along('SHORT CT', 0, 40)), []);
    const scattered = Array.from({ length: 40 }, (_, index) => ({
      line: `${index + 1} RURAL RTE`,
      longitude: X + ((index * 7) % 11) * 100 * METER,
      latitude: Y + ((index * 5) % 13) * 100 * METER,
    }));
    assert.deepEqual(fitStreets(scattered), []);
    assert.deepEqual(fitStreets([{ line: 'PO BOX 12', longitude: X, latitude: Y }]), []);
  });

  it('keeps streets apart whose names differ, and numbered streets by their number', () => {
    const names = fitStreets([...along('N 27TH ST', 0, 300), ...along('N 27TH PL', 0, 300)]).map(({ name }) => name);
    assert.deepEqual(names.sort(), ['N 27th Pl', 'N 27th St']);
    assert.equal(titleCase('MARTIN LUTHER KING JR DR NW'), 'Martin Luther King Jr Dr NW');
    assert.equal(titleCase('Heron Ln'), 'Heron Ln');
  });
});

describe('a line in a tile', () => {
  it('is cut at the edges, in as many parts as it has inside', () => {
    assert.deepEqual(
      clipLine(
        [
          [-100, 50],
          [200, 50],
        ],
        100,
        10,
      ),
      [
        [
          [-10, 50],
          [110, 50],
        ],
      ],
    );
    const zigzag: [number, number][] = [
      [50, 50],
      [50, 500],
      [60, 500],
      [60, 50],
    ];
    const parts = clipLine(zigzag, 100, 0);
    assert.equal(parts.length, 2);
    assert.deepEqual(parts[0].at(-1), [50, 100]);
    assert.deepEqual(
      clipLine(
        [
          [-50, -50],
          [-20, 400],
        ],
        100,
        0,
      ),
      [],
    );
  });

  it('that is shorter than a grid step is not drawn', () => {
    assert.deepEqual(
      thinLine(
        [
          [1, 1],
          [1.4, 1.2],
        ],
        4,
      ),
      [],
    );
    assert.deepEqual(
      thinLine(
        [
          [0, 0],
          [1, 0],
          [9, 0],
        ],
        4,
      ),
      [
        [0, 0],
        [8, 0],
      ],
    );
  });
});

describe('the atlas', () => {
  const atlas = readAtlas();
  const at = (latitude: number, longitude: number): Point => ({ latitude, longitude });
  const countyAt = (point: Point) =>
    atlas.counties.find(({ box, polygons }) => boxHolds(box, point) && polygonsHold(polygons, point));

  it('knows the county of a place, and that a lake or the sea is none', () => {
    assert.equal(countyAt(at(43.04, -87.95))?.code, 55_079);
    assert.equal(countyAt(at(47.5, -121.9))?.name, 'King');
    assert.equal(countyAt(at(43.2, -87.0)), undefined, 'Lake Michigan');
    assert.equal(countyAt(at(36.5, -57)), undefined, 'the Atlantic, where the sandbox is');
  });

  it('has the borders of every county with its neighbors, those of states marked', () => {
    const ofMilwaukee = atlas.lines.filter(({ counties }) => counties.includes(55_079));
    const neighbors = new Set(ofMilwaukee.flatMap(({ counties }) => counties));
    assert.deepEqual([...neighbors].sort(), [55_079, 55_089, 55_101, 55_133]);
    assert.ok(ofMilwaukee.every(({ isState }) => !isState));
    const kenosha = atlas.lines.filter(({ counties }) => counties.includes(55_059));
    assert.ok(
      kenosha.some(({ isState }) => isState),
      'Wisconsin ends south of Kenosha',
    );
  });

  it('has the land of other countries, without the United States twice', () => {
    const isAbroad = (point: Point) => atlas.abroad.some(({ polygons }) => polygonsHold(polygons, point));
    assert.ok(isAbroad(at(45.4, -75.7)), 'Ottawa');
    assert.ok(!isAbroad(at(43.04, -89.4)), 'Madison');
  });
});

describe('a share of a county’s ids', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => propertyId(55_079, String(index)));
  const countIn = ({ from, to }: { from: string; to: string }) => ids.filter((id) => id >= from && id < to).length;

  it('is about that share, holds every smaller one, and nothing of other counties', () => {
    assert.equal(countIn(shareOfIds(55_079, 1)), ids.length);
    for (const share of [0.001, 0.02, 0.5]) {
      const found = countIn(shareOfIds(55_079, share));
      assert.ok(Math.abs(found - share * ids.length) <= 4 * Math.sqrt(share * ids.length), `${share}: ${found}`);
    }
    assert.ok(shareOfIds(55_079, 0.1).to < shareOfIds(55_079, 0.2).to);
    for (const fips of [1_001, 55_078, 55_080, 99_999]) assert.equal(countIn(shareOfIds(fips, 1)), 0);
  });
});
