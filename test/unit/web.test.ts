// The pure parts of the web app: search filters in the URL, color breaks, chart ticks, and formatting.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeOf, ticksOf } from '../../web/src/charts/scale.ts';
import { areaParameter, readArea, writeArea } from '../../web/src/explore/area.ts';
import { bodyOfQuery, describeFilters, ringOf } from '../../web/src/explore/filter.ts';
import { ago, browserOf, calm, bytes, compactMoney, percent, routeName, words } from '../../web/src/format.ts';
import { boundsOfCells, breaksOf } from '../../web/src/map/breaks.ts';

describe('a search in the URL', () => {
  it('becomes a search request with typed values', () => {
    const query = new URLSearchParams(
      'city=Port Ellowby&min_bedrooms=3&max_bathrooms=2.5&flood_sfha=false&min_last_sale_date=2024-01-01&at=1,2,3',
    );
    assert.deepEqual(bodyOfQuery(query), {
      city: 'Port Ellowby',
      min_bedrooms: 3,
      max_bathrooms: 2.5,
      flood_sfha: false,
      min_last_sale_date: '2024-01-01',
    });
  });

  it('carries a drawn area as a closed ring', () => {
    const body = bodyOfQuery(new URLSearchParams({ area: '0,0;1,0;1,1' }));
    assert.deepEqual(body.geometry, {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    });
  });

  it('ignores an invalid area', () => {
    for (const text of ['0,0;1,0', 'a,b;1,0;1,1', '']) assert.equal(ringOf(text), undefined);
  });

  it('is described filter by filter, with the parameters that clear each', () => {
    const [first] = describeFilters(new URLSearchParams('min_value=100000'));
    assert.deepEqual(first.names, ['min_value', 'max_value']);
  });
});

describe('an area entered as text', () => {
  const ring = [
    [-57, 36.5],
    [-56.9, 36.5],
    [-56.9, 36.4],
  ];
  it('is read from lines, GeoJSON, and WKT, closed or not', () => {
    assert.deepEqual(readArea('36.5, -57\n36.5 -56.9\n36.4,-56.9\n'), ring);
    assert.deepEqual(readArea(JSON.stringify({ type: 'Polygon', coordinates: [[...ring, ring[0]]] })), ring);
    const feature = { type: 'Feature', geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] } };
    assert.deepEqual(readArea(JSON.stringify({ type: 'FeatureCollection', features: [feature] })), ring);
    assert.deepEqual(readArea('POLYGON ((-57 36.5, -56.9 36.5, -56.9 36.4, -57 36.5))'), ring);
    assert.deepEqual(readArea(writeArea(ring as never)), ring);
    assert.deepEqual(ringOf(areaParameter(ring as never)), ring);
  });

  it('is rejected with a reason if it is invalid', () => {
    for (const [text, why] of [
      ['1, 2\n3, 4', /three corners/],
      ['here, there\n1,2\n3,4', /“here, there” is not/],
      ['{"type":"Point","coordinates":[1,2]}', /Polygon/],
      ['{', /not valid JSON/],
      ['POLYGON ((0 0, 1 0, 1 1, 0 0), (0 0, 1 0, 1 1, 0 0))', /without holes/],
      ['100, 0\n0, 1\n1, 1', /not a valid latitude/],
      [Array.from({ length: 1_001 }, (_, index) => `${index / 100}, 0`).join('\n'), /at most 1,000/],
    ] as const)
      assert.match(String(readArea(text)), why);
  });
});

describe('map colors and bounds', () => {
  it('change at four increasing round values', () => {
    const breaks = breaksOf(Array.from({ length: 100 }, (_, index) => 100_000 + index * 10_000));
    assert.deepEqual(breaks, [300_000, 500_000, 700_000, 900_000]);
  });

  it('use one color when values are few or equal', () => {
    assert.deepEqual(breaksOf([1, 2, 3]), []);
    assert.deepEqual(breaksOf(Array.from({ length: 50 }, () => 500_000)), []);
  });

  it('open on the fullest market rather than between two coasts', () => {
    const cell = (at: [number, number], count: number) => ({
      geometry: { type: 'Point', coordinates: at },
      properties: { count },
    });
    const bounds = boundsOfCells([cell([-122, 47], 10), cell([-75, 40], 900), cell([-75.2, 40.1], 5)])!;
    assert.ok(bounds[0][0] > -76 && bounds[1][0] < -74);
  });
});

describe('charts and formatting', () => {
  it('use round ticks inside the range', () => {
    assert.deepEqual(ticksOf(0, 100), [0, 25, 50, 75, 100]);
    assert.deepEqual(ticksOf(5, 5), [5]);
    assert.deepEqual(rangeOf([], false), [0, 1]);
  });

  it('format codes, money, and times for display', () => {
    assert.equal(words('single_family'), 'Single family');
    assert.equal(compactMoney(1_250_000), '$1.25M');
    assert.equal(percent(0.0674), '6.7%');
    assert.equal(calm('318-320 BROOKLINE ST 2R'), '318-320 Brookline St 2R');
    assert.equal(calm('12 NE 1ST AVE'), '12 NE 1st Ave');
    assert.equal(calm('1208 Lantern Hill Dr'), '1208 Lantern Hill Dr');
    assert.equal(bytes(1_500_000), '1.5MB');
    assert.equal(routeName('/api/v1/tiles/:z/:x/:y(^\\d+).mvt'), '/api/v1/tiles/:z/:x/:y.mvt');
    const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0';
    assert.equal(browserOf(firefox), 'Firefox on macOS');
    assert.equal(browserOf('curl/8.14.1'), 'curl/8.14.1');
    assert.equal(ago('2026-01-01T00:00:00Z', Date.parse('2026-01-01T02:00:00Z')), '2 hours ago');
  });
});
