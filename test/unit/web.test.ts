// The pure parts of the web app: search filters in the URL, color breaks, chart ticks, and formatting.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeOf, ticksOf, yearTicks } from '../../web/src/charts/scale.ts';
import { areaParameter, readArea, writeArea } from '../../web/src/explore/area.ts';
import { bodyOfQuery, describeFilters, ringOf, tileFilters } from '../../web/src/explore/filter.ts';
import { ago, browserOf, calm, bytes, compactMoney, percent, routeName, words } from '../../web/src/format.ts';
import { areaSqft, lengthFeet, writeArea as writeGround, writeLength } from '../../web/src/explore/measure.ts';
import { amountAmong, breaksOf, histogramOf, placeAmong, stepOf } from '../../web/src/map/figures.ts';
import {
  monthAfter,
  monthsBetween,
  readOverlays,
  readPeriod,
  reasonsOfNothing,
  writeOverlays,
} from '../../web/src/map/overlays.ts';
import { readPlace, writePlace } from '../../web/src/map/place.ts';
import { oldSalesOf } from '../../web/src/old-sales.ts';

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

describe('the legend', () => {
  const homes = (amounts: number[]) => amounts.map((amount) => ({ amount, homes: 1 }));

  it('changes color at four increasing round values', () => {
    const breaks = breaksOf(homes(Array.from({ length: 100 }, (_, index) => 100_000 + index * 10_000)));
    assert.deepEqual(breaks, [300_000, 500_000, 700_000, 900_000]);
    assert.deepEqual(
      [99_999, 300_000, 650_000, 2_000_000].map((amount) => stepOf(amount, breaks)),
      [0, 1, 2, 4],
    );
  });

  it('uses one color when values are few or equal', () => {
    assert.deepEqual(breaksOf(homes([1, 2, 3])), []);
    assert.deepEqual(breaksOf(homes(Array.from({ length: 50 }, () => 500_000))), []);
  });

  it('weighs a group of homes by how many they are, and reads rates below one and below zero', () => {
    const groups = [1, 2, 3, 4, 5, 6].map((amount) => ({ amount, homes: amount === 6 ? 100 : 1 }));
    assert.deepEqual(breaksOf(groups), [2, 3, 5, 6], 'most homes are in one group, so the groups share the colors');
    assert.deepEqual(breaksOf(groups.map(({ homes }) => ({ amount: 7, homes }))), []);
    const rates = homes(Array.from({ length: 100 }, (_, index) => -0.05 + index * 0.002));
    assert.deepEqual(breaksOf(rates), [-0.01, 0.03, 0.07, 0.11]);
  });

  it('counts every home in its histogram, outliers in the first and last bins', () => {
    const bins = histogramOf(homes([...Array.from({ length: 1_000 }, (_, index) => index), 1e9]));
    assert.equal(
      bins.reduce((sum, bin) => sum + bin.homes, 0),
      1_001,
    );
    assert.ok(bins.at(-1)!.to < 1_100);
  });

  it('has a bar for each band of live tiles, equally wide however far apart they are', () => {
    const bins = histogramOf(homes([10, 10, 10, 20, 20, 40, 40, 40, 40, 40, 80, 80]));
    assert.deepEqual(
      bins.map((bin) => bin.homes),
      [3, 2, 5, 2],
    );
    assert.deepEqual(
      bins.map(({ from }) => placeAmong(bins, from)),
      [0, 0.25, 0.5, 0.75],
    );
    assert.equal(placeAmong(bins, bins.at(-1)!.to), 1);
    for (const amount of [5, 20, 33, 100]) assert.equal(amountAmong(bins, placeAmong(bins, amount)), amount);
  });
});

describe('what the map keeps in the URL', () => {
  it('is the position, the layers and the period of sales', () => {
    const place = { center: [-87.9, 43.04] as [number, number], zoom: 14.3 };
    assert.deepEqual(readPlace(writePlace(place)), place);
    assert.equal(readPlace('1,2'), undefined);
    assert.deepEqual(readOverlays(null), ['parcels']);
    assert.deepEqual(readOverlays('none'), []);
    assert.deepEqual(readOverlays('flood,nonsense,liens'), ['flood', 'liens']);
    assert.equal(writeOverlays(['parcels']), undefined);
    assert.equal(writeOverlays([]), 'none');
    assert.deepEqual(readPeriod('202401-202412'), { from: 202_401, to: 202_412 });
    assert.equal(readPeriod('202412-202401'), undefined);
    assert.equal(monthAfter(202_411, 3), 202_502);
    assert.equal(monthAfter(202_501, -1), 202_412);
    assert.equal(monthsBetween(202_411, 202_502), 3);
  });

  it('filters the tiles with the search’s own names, and in live mode not by what they do not show', () => {
    const query = new URLSearchParams('at=1,2,3&color=growth&min_value=5&flood_sfha=true&area=0,0;1,1;0,1');
    assert.equal(tileFilters(query, 'test'), 'min_value=5&flood_sfha=true&area=0%2C0%3B1%2C1%3B0%2C1');
    assert.equal(tileFilters(query, 'live'), 'min_value=5&area=0%2C0%3B1%2C1%3B0%2C1');
  });
});

describe('a layer that shows nothing', () => {
  it('says whether there is nothing or the map is too far out; what is drawn needs no words', () => {
    assert.deepEqual(
      reasonsOfNothing(['parcels', 'flood', 'liens'], 9, () => false),
      ['Zoom in to see flood zones.', 'No open liens in view.'],
    );
    assert.deepEqual(
      reasonsOfNothing(['flood', 'tracts'], 12, (layers) => layers.includes('flood')),
      ['No census tracts in view.'],
    );
  });
});

describe('measuring', () => {
  it('is right to a percent for a block', () => {
    const corner = (x: number, y: number): [number, number] => [-87.9 + x / 1e3, 43 + y / 1e3];
    const block = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    assert.ok(Math.abs(lengthFeet(block.slice(0, 2)) - 266.8) < 2.7);
    assert.ok(Math.abs(areaSqft(block) - 266.8 * 364.8) < 1_000);
    assert.equal(writeLength(266.8), '267 ft');
    assert.equal(writeLength(10_560), '2 mi');
    assert.equal(writeGround(97_330), '2.23 acres');
  });
});

describe('a market whose sales ended long ago', () => {
  it('is told from one that is up to date, and from one that does not say', () => {
    const now = Date.parse('2026-11-01');
    const market = (id: string, through: string | null) => ({ id, name: id, sales_through: through });
    const old = oldSalesOf([market('king', '2015-05-27'), market('new', '2026-09-30'), market('silent', null)], now);
    assert.deepEqual([...old.keys()], ['king']);
    assert.equal(old.get('king')!.through, '2015-05-27');
  });
});

describe('charts and formatting', () => {
  it('use round ticks inside the range', () => {
    assert.deepEqual(ticksOf(0, 100), [0, 25, 50, 75, 100]);
    assert.deepEqual(ticksOf(5, 5), [5]);
    assert.deepEqual(rangeOf([], false), [0, 1]);
  });

  it('name each year once, on its first day, and no more of them than fit', () => {
    const years = (first: string, last: string, most = 6) =>
      yearTicks(Date.parse(first), Date.parse(last), most).map((at) => new Date(at).toISOString().slice(0, 10));
    assert.deepEqual(years('2020-01-01', '2022-01-01'), ['2020-01-01', '2021-01-01', '2022-01-01']);
    assert.deepEqual(years('2020-03-01', '2021-12-31'), ['2021-01-01']);
    assert.deepEqual(years('2015-03-31', '2015-03-31'), ['2015-03-31']);
    assert.deepEqual(years('1999-06-01', '2026-06-01', 4), ['2000-01-01', '2010-01-01', '2020-01-01']);
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
