// An operator's own layer: a recipe and a file, exactly as docs/internals/layers.md has them, in every part of the
// product without a restart; and the other ways in which homes find their values.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { readSources } from '../../sources/sources.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { readRows } from '../../src/delivery/exports/rows.ts';
import { columnsOf } from '../../src/delivery/exports/columns.ts';
import { readPresent } from '../../src/delivery/changes/positions.ts';
import { listPropertyRows } from '../../src/records/properties/properties.ts';
import { readRiskReports } from '../../src/records/risk/risk.ts';
import { followLoad } from '../../src/operate/refresh.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import type { Source } from '../../src/supply/ingest/source.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';
import { drain } from '../../src/worker.ts';

const api = await testClient();
const { deps } = api;
const folder = mkdtempSync(join(tmpdir(), 'platbook-layers-'));
const PAGE = readFileSync(new URL('../../docs/internals/layers.md', import.meta.url), 'utf8');
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE)![1];

const FIPS = 55_001;
const ELSEWHERE = 55_003;
const idOf = (pin: string, fips = FIPS) => propertyId(fips, pin);

const countyRecipe = (fips: number, name: string) =>
  parseRecipe(
    `
id: ${name.toLowerCase()}-wi
market: { name: ${name}, state: WI, description: Invented }
counties: [{ fips: ${fips}, name: ${name} County, state: WI }]
datasets:
  parcels:
    publisher: ${name}
    license: CC0
    published_on: 2026-01-01
    format: { type: csv }
    files: [${name}.csv]
    key: { parcel: { text: pin } }
    records:
      - into: properties
        complete: true
        fields:
          address_line1: { upper: address }
          zip: { zip: zip }
          latitude: { latitude: lat }
          longitude: { longitude: lon }
          block_group: { text: group }
          property_type: { constant: single_family }
    layers: [properties]
`,
    name,
  );
const adams = countyRecipe(FIPS, 'Adams');
const ashland = countyRecipe(ELSEWHERE, 'Ashland');

const put = (name: string, lines: string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
put('Adams.csv', [
  'pin,address,zip,lat,lon,group',
  '1,1 N Main St,53910,44.001,-89.801,550019501001',
  '2,2 N Main St,53911,44.02,-89.82,550019501002',
  '3,3 N Main St,53910,,,',
]);
put('Ashland.csv', ['pin,address,zip,lat,lon,group', '9,9 N Main St,54806,46.5,-90.8,']);

async function load(source: Source) {
  const all = [...readSources(), adams, ashland];
  const [report] = await ingest(
    { data: deps.data, clock: deps.clock, cacheFolder: join(folder, 'downloads') },
    [source],
    all,
    { from: folder, afterLoad: (market) => followLoad(deps, all, market) },
  );
  deps.catalog.forget();
  return report;
}

const live = { key: api.liveKey };
const outcomesOf = (report: any) => report.decision.rules.map(({ outcome }: any) => outcome);
const layersOf = async (id: string, query = '') => (await api.get(`/properties/${id}/risk${query}`, live)).body.layers;
const found = async (layer: string) => {
  const { body } = await api.get(`/properties/search?state=WI&layer=${encodeURIComponent(layer)}&fields=id`, live);
  return body.data.map(({ id }: { id: string }) => id).sort();
};

await load(adams);
await load(ashland);
await deps.data.query(`update properties set value = 200000 where id = $1`, [idOf('1')]);
writeFileSync(join(folder, 'radon.csv'), blockOf('csv'));
const radon = parseRecipe(blockOf('yaml'), 'radon');

describe('an eighth layer by one recipe and one file', () => {
  it('is loaded while the service runs', async () => {
    assert.equal((await layersOf(idOf('1'))).radon, undefined);
    const { targets } = await load(radon);
    assert.equal(targets.layer_values?.inserted, 3);
  });

  it('is in the risk report, where covered and where not', async () => {
    const { radon: layer } = await layersOf(idOf('1'));
    assert.deepEqual(
      { ...layer, source: layer.source.name },
      {
        status: 'found',
        title: 'Radon',
        summary: 'Zone 1 of 3, on average 4.6 pCi/L in homes.',
        level: 'bad',
        zone: 1,
        mean: 4.6,
        source: 'counties',
      },
    );
    const other = (await layersOf(idOf('9', ELSEWHERE), '?layers=radon')).radon;
    assert.deepEqual([other.status, other.zone, other.source], ['not_covered', null, null]);
    const wrong = await api.get(`/properties/${idOf('1')}/risk?layers=radom`, live);
    assert.match(wrong.body.detail, /did you mean `radon`/);
    const included = await api.get(`/properties/${idOf('1')}?include=risk`, live);
    assert.equal(included.body.risk.layers.radon.zone, 1);
  });

  it('filters searches and counts, by values, by ranges and by level', async () => {
    const ofAdams = ['1', '2', '3'].map((pin) => idOf(pin)).sort();
    for (const layer of [
      'radon.zone:1',
      'radon.mean:4..',
      'radon.mean:..5',
      'radon.mean:4.6..4.6',
      'radon.level:bad,fair',
    ])
      assert.deepEqual(await found(layer), ofAdams, layer);
    for (const layer of ['radon.zone:2,3', 'radon.mean:..4.5', 'radon.zone:1;radon.mean:9..'])
      assert.deepEqual(await found(layer), [], layer);
    const body = { state: 'WI', layer: ['radon.zone:1', 'radon.mean:4..5'] };
    assert.equal((await api.post('/properties/search', body, live)).body.data.length, 3);
    const { detail } = (await api.get('/properties/search?layer=radon.depth:1', live)).body;
    assert.match(detail, /`depth` is not a field of `radon`: use zone, mean, level/);
    assert.match((await api.get('/properties/count?layer=argon.zone:1', live)).body.detail, /not a loaded layer/);
    assert.match((await api.get('/properties/count?layer=radon', live)).body.detail, /is not a condition such as/);
  });

  it('has columns of its own in exports, typed', async () => {
    const { layers } = await deps.catalog.read();
    const columns = new Map(columnsOf('risk', layers));
    assert.deepEqual(
      ['radon_status', 'radon_zone', 'radon_mean', 'radon_level'].map((name) => columns.get(name)),
      ['text', 'integer', 'double', 'text'],
    );
    const query = {
      dataset: 'risk' as const,
      mode: 'live' as const,
      mayReadOwners: false,
      from: undefined,
      filter: { layer: 'radon.zone:1' },
      to: await readPresent(deps.data),
    };
    const rows: Record<string, unknown>[] = [];
    for await (const some of readRows(deps, query)) rows.push(...some);
    assert.deepEqual(
      rows.map(({ radon_status, radon_zone }) => [radon_status, radon_zone]),
      Array.from({ length: 3 }, () => ['found', 1]),
    );
  });

  it('is described to people and to programs', async () => {
    const { body } = await api.get('/layers');
    const layer = body.data.find(({ name }: { name: string }) => name === 'radon');
    assert.equal(layer.is_built_in, false);
    assert.deepEqual(layer.fields.find(({ name }: { name: string }) => name === 'mean').unit, 'pCi/L');
    assert.equal(layer.levels[0].reads, 'bad');
    const openApi = (await api.call('GET', '//openapi.json')).body;
    assert.deepEqual(openApi.components.schemas.RadonLayer.properties.zone.type, ['integer', 'null']);
    assert.ok(openApi.components.schemas.RiskReport.properties.layers.properties.radon);
    assert.match((await api.call('GET', '//docs/risk.md')).text, /### Radon: `radon`/);
    assert.match((await api.call('GET', '//llms.txt')).text, /, radon/);
  });

  it('counts in coverage, and in the share of homes that have a value', async () => {
    const { body } = await api.get('/coverage?market=adams-wi', live);
    assert.equal(body.data.find(({ layer }: { layer: string }) => layer === 'radon').record_count, 1);
    const fields = (await api.get('/coverage/fields?market=adams-wi')).body.data[0].fields;
    const share = fields.find(({ field }: { field: string }) => field === 'risk.radon');
    assert.deepEqual([share.share, share.source], [1, 'radon/counties']);
  });

  it('tells of another headline as a change of each home, and of another figure not at all', async () => {
    const csv = blockOf('csv');
    writeFileSync(join(folder, 'radon.csv'), csv.replace('Adams,1,4.6', 'Adams,1,4.8'));
    await load(radon);
    const changesOf = async () =>
      (await deps.data.query(`select property_id, before, after from changes where changed_fields = '{radon}'`)).rows;
    assert.deepEqual(await changesOf(), []);
    writeFileSync(join(folder, 'radon.csv'), csv.replace('Adams,1,4.6', 'Adams,2,3.8'));
    await load(radon);
    const changes = await changesOf();
    assert.equal(changes.length, 3);
    assert.deepEqual([changes[0].before.radon.zone, changes[0].after.radon.zone], [1, 2]);
    assert.equal((await layersOf(idOf('1'))).radon.level, 'fair');
  });

  it('follows its definition when that is loaded again', async () => {
    const louder = blockOf('yaml').replace(`'zone:2', reads: fair`, `'zone:2', reads: bad`);
    await load(parseRecipe(louder, 'radon'));
    assert.equal((await layersOf(idOf('1'))).radon.level, 'bad');
    await load(radon);
  });
});

describe('the same two files, with a county of the sandbox in them', () => {
  const { property_id: home, address } = DEMO;

  before(async () => {
    writeFileSync(join(folder, 'radon.csv'), `${blockOf('csv')}99001,Wendemere,1,5.2\n`);
    await load(radon);
    // No load of the country's files covers the sandbox, which alone has a model, a map and rules to try here.
    await deps.data.query(
      `insert into coverage (fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count)
       select 99001, 'sandbox', layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count
       from coverage where layer = 'radon' and fips = $1`,
      [FIPS],
    );
    deps.catalog.forget();
  });

  it('are in the lender’s file and its PDF, and a rule refers by them', async () => {
    const rules = [
      { when: 'layer_matches', limit: ['radon.zone:1'], outcome: 'refer' },
      { when: 'layer_matches', limit: ['radon.mean:..4'], outcome: 'decline' },
    ];
    const report = (await api.post('/reports', { property: { id: home }, rules })).body;
    assert.equal(report.risk.layers.radon.zone, 1);
    assert.deepEqual([report.decision.outcome, ...outcomesOf(report)], ['refer', 'refer', 'pass']);
    const url = `/api/v1/reports/${report.id}/pdf`;
    const { rawPayload } = await api.app.inject({ url, headers: { 'x-api-key': api.testKey } });
    const text = readPdf(rawPayload).pages.join('\n').replace(/\s+/g, ' ');
    assert.match(text, /Radon/);
    assert.match(text, /Zone 1 of 3, on average 5\.2 pCi\/L in homes\./);
  });

  it('are exposure of a portfolio', async () => {
    const list = (await api.post('/watchlists', { name: 'radon', property_ids: [home] })).body;
    const { exposure } = (await api.get(`/watchlists/${list.id}/portfolio`)).body;
    const held = exposure.risk.find((each: any) => each.layer === 'radon');
    assert.deepEqual([held.title, held.property_count, held.not_known_count], ['Radon', 1, 0]);
  });

  it('are columns of a batch as CSV', async () => {
    const batch = (await api.post('/batches', { items: [{ address }], include: ['risk'] })).body;
    await drain(deps, ['batches']);
    const { text } = await api.get(`/batches/${batch.id}/results?format=csv`);
    const [head, cells] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
    const cellOf = (name: string) => cells[head.indexOf(name)];
    assert.deepEqual([cellOf('radon_zone'), cellOf('radon_level')], ['1', 'bad']);
  });

  it('color the tracts of the map', async () => {
    const { rows } = await deps.data.query('select latitude, longitude from properties where id = $1', [home]);
    const z = 12;
    const x = Math.floor(((rows[0].longitude + 180) / 360) * 2 ** z);
    const radians = (rows[0].latitude * Math.PI) / 180;
    const y = Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** z);
    const url = `/api/v1/tiles/boundaries/${z}/${x}/${y}.mvt`;
    const { rawPayload } = await api.app.inject({ url, headers: { 'x-api-key': api.testKey } });
    const { tracts } = new VectorTile(new PbfReader(rawPayload)).layers;
    assert.equal(tracts.feature(0).properties['layer.radon'], 'bad');
  });

  it('are told to agents', async () => {
    const params = { name: 'get_risk', arguments: { property_id: home, layers: ['radon'] } };
    const answer = await api.call('POST', '//mcp', {
      headers: { accept: 'application/json, text/event-stream', host: 'localhost' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    assert.match(answer.text, /Zone 1 of 3, on average 5\.2 pCi\/L in homes\./);
  });

  it('find homes, and tell those who watch of another zone', async () => {
    const page = await api.get('/properties/search?fips=99001&limit=40&fields=id&include=risk');
    for (const { id, risk } of page.body.data.slice(0, 5))
      assert.deepEqual(risk, (await api.get(`/properties/${id}/risk`)).body);
    assert.ok(page.body.data.every(({ risk }: any) => risk.layers.radon.zone === 1));
    const { body } = await api.get('/properties/count?state=ZZ&layer=radon.zone:1');
    const county = await api.get('/properties/count?fips=99001');
    assert.equal(body.count, county.body.count);
    const query = { name: 'zone', filter: { state: ['ZZ'], layer: ['radon.zone:1'] } };
    assert.equal((await api.post('/watchlists', query)).status, 201);
  });
});

const recipeOf = (layer: string, dataset: string) =>
  parseRecipe(
    `
id: tried
layers:
  tried:
    title: Tried
    description: Tried.
    headline: word
    fields:
      word: { type: text, label: Word }
      rate: { type: share, label: Rate }
      cost: { type: money, label: Cost, times_value: rate }
    ${layer}
datasets:
  rows:
    publisher: Nobody
    license: CC0
    published_on: 2026-02-01
    ${dataset}
    layers: [tried]
`,
    'tried',
  );
const csvOf = (fields: string, more = '') =>
  `format: { type: csv }
    files: [tried.csv]
    ${more}
    records:
      - into: layer_values
        fields: { ${fields}, word: { text: word }, rate: { decimal: rate } }`;
const wordsOf = async () =>
  Promise.all(
    [idOf('1'), idOf('2'), idOf('3'), idOf('9', ELSEWHERE)].map(async (id) => {
      const { tried } = await layersOf(id);
      return tried.word ?? tried.status;
    }),
  );

describe('how homes find their values', () => {
  it('by ZIP code', async () => {
    put('tried.csv', ['zip,word,rate', '53910,a,0.01', '53912,b,0.02']);
    await load(recipeOf('join: zip', csvOf('zip: { zip: zip }')));
    assert.deepEqual(await wordsOf(), ['a', 'none_found', 'a', 'not_covered']);
    const { tried } = await layersOf(idOf('1'));
    assert.equal(tried.cost, 2000);
    assert.deepEqual(await found('tried.word:A'), [idOf('1'), idOf('3')].sort());
    assert.equal((await layersOf(idOf('3'))).tried.cost, null);
  });

  it('by block group; a home without one is not covered', async () => {
    put('tried.csv', ['group,word,rate', '550019501001,c,']);
    await load(recipeOf('join: block_group', csvOf('block_group: { digits: group, length: 12 }')));
    assert.deepEqual(await wordsOf(), ['c', 'none_found', 'not_covered', 'not_covered']);
  });

  it('by county in a list of every record there is: where it has none there is none', async () => {
    put('tried.csv', ['fips,word,rate', '55001,d,']);
    await load(recipeOf('join: county\n    covers: country', csvOf('county: { digits: fips, length: 5 }')));
    assert.deepEqual(await wordsOf(), ['d', 'd', 'd', 'none_found']);
  });

  it('by parcel number', async () => {
    put('tried.csv', ['pin,word,rate', '2,e,', '77,f,']);
    const key = `key: { fips: ${FIPS}, parcel: { text: pin } }`;
    const { targets } = await load(
      recipeOf('join: parcel', csvOf('rate: { decimal: rate }', key).replace(', rate: { decimal: rate } }', ' }')),
    );
    assert.deepEqual([targets.layer_stamps?.inserted, targets.layer_stamps?.unjoined], [1, 1]);
    assert.deepEqual(await wordsOf(), ['none_found', 'e', 'none_found', 'not_covered']);
    assert.deepEqual(await found('tried.word:e'), [idOf('2')]);
  });

  it('by the nearest site within reach, with its distance', async () => {
    put('tried.csv', [
      'id,lat,lon,word,rate',
      's1,44.001,-89.82,far,',
      's2,44.001,-89.811,near,',
      's3,47.5,-90.8,away,',
    ]);
    const nearest = `join: nearest
    within_miles: 1
    levels: [{ if: 'distance_miles:..0.6', reads: bad }]`;
    await load(
      recipeOf(nearest, csvOf('id: { text: id }, latitude: { latitude: lat }, longitude: { longitude: lon }')),
    );
    assert.deepEqual(await wordsOf(), ['near', 'none_found', 'not_covered', 'not_covered']);
    const { tried } = await layersOf(idOf('1'));
    assert.deepEqual([tried.distance_miles, tried.level], [0.5, 'bad']);
    assert.deepEqual(await found('tried.distance_miles:..0.6'), [idOf('1')]);
    assert.deepEqual(await found('tried.distance_miles:..0.4'), []);
  });

  it('by the areas that hold their point, the worst of several', async () => {
    const square = (west: number, south: number, size: number) => [
      [
        [west, south],
        [west + size, south],
        [west + size, south + size],
        [west, south + size],
        [west, south],
      ],
    ];
    const feature = (id: string, word: string, coordinates: number[][][]) => ({
      type: 'Feature',
      properties: { id, word },
      geometry: { type: 'Polygon', coordinates },
    });
    const features = [
      feature('a', 'fine', square(-89.9, 43.9, 0.2)),
      feature('b', 'wet', square(-89.805, 43.999, 0.005)),
    ];
    writeFileSync(join(folder, 'tried.geojson'), JSON.stringify({ type: 'FeatureCollection', features }));
    const inside = `join: inside
    levels: [{ if: 'word:wet', reads: bad }, { if: 'word:fine', reads: good }]`;
    const records = `format: { type: geojson }
    files: [tried.geojson]
    records:
      - into: layer_values
        fields: { id: { text: id }, word: { text: word } }`;
    await load(recipeOf(inside, records));
    assert.deepEqual(await wordsOf(), ['wet', 'fine', 'not_covered', 'not_covered']);
    assert.deepEqual(await found('tried.level:bad'), [idOf('1')]);
    // Homes that come later find the map there.
    put('Adams.csv', [readFileSync(join(folder, 'Adams.csv'), 'utf8').trim(), '4,4 N Main St,53910,44.0011,-89.8011,']);
    await load(adams);
    assert.equal((await layersOf(idOf('4'))).tried.word, 'wet');
  });
});

describe('news of a layer', () => {
  const newsOf = async (layer: string) => {
    const { rows } = await deps.data.query(
      `select p.apn, c.before -> $1 ->> 'word' as before, c.after -> $1 ->> 'word' as after from changes c
       join properties p on p.fips = c.fips and p.id = c.property_id where $1 = any(c.changed_fields) order by p.apn`,
      [layer],
    );
    await deps.data.query(`delete from changes where $1 = any(changed_fields)`, [layer]);
    return rows.map(({ apn, before, after }) => [apn, before, after]);
  };
  const load2 = async (join: string, fields: string, [first, second]: [string[], string[]], more = '') => {
    const recipe = recipeOf(join, csvOf(fields, more).replace(', rate: { decimal: rate }', '').replace('{ , ', '{ '));
    put('tried.csv', first);
    await load(recipe);
    await newsOf('tried');
    put('tried.csv', second);
    await load(recipe);
    return newsOf('tried');
  };

  it('by parcel is of those whose word changed, came or went', async () => {
    const lists: [string[], string[]] = [
      ['pin,word', '1,a', '2,b', '3,c'],
      ['pin,word', '1,a', '2,x', '4,new'],
    ];
    const key = `key: { fips: ${FIPS}, parcel: { text: pin } }`;
    const news = await load2('join: parcel', '', lists, key);
    assert.deepEqual(
      news.toSorted((a, b) => a[0].localeCompare(b[0])),
      [
        ['2', 'b', 'x'],
        ['3', 'c', null],
        ['4', null, 'new'],
      ],
    );
  });

  it('by ZIP code is of the homes of those that left the list, unless the file adds to others', async () => {
    const lists: [string[], string[]] = [
      ['zip,word', '53910,a', '53911,b'],
      ['zip,word', '53911,c'],
    ];
    const news = await load2('join: zip', 'zip: { zip: zip }', lists);
    assert.deepEqual(news.map(([pin, before, after]) => `${pin}: ${before} to ${after}`).sort(), [
      '1: a to null',
      '2: b to c',
      '3: a to null',
      '4: a to null',
    ]);
  });

  it('of the nearest site is told where that closed', async () => {
    const lists: [string[], string[]] = [
      ['id,lat,lon,word', 's1,44.001,-89.802,near', 's2,44.0205,-89.82,kept'],
      ['id,lat,lon,word', 's2,44.0205,-89.82,kept'],
    ];
    const fields = 'id: { text: id }, latitude: { latitude: lat }, longitude: { longitude: lon }';
    const news = await load2('join: nearest\n    within_miles: 1', fields, lists);
    assert.deepEqual(news.sort(), [
      ['1', 'near', null],
      ['4', 'near', null],
    ]);
  });
});

describe('a field', () => {
  const recipe = (join: string, records: string) =>
    parseRecipe(
      `
id: typed
layers:
  typed:
    title: Typed
    description: Typed.
    join: ${join}
    headline: word
    sentence: 'In {word} since {built}, {since}.'
    fields:
      word: { type: text, label: Word, values: ['wet, mostly', dry] }
      built: { type: year, label: Built }
      since: { type: date, label: Since }
datasets:
  rows:
    publisher: Nobody
    license: CC0
    published_on: 2026-02-01
    ${records}
    layers: [typed]
`,
      'typed',
    );
  const fields = 'word: { text: word }, built: { expression: number(built) }, since: { text: since }';
  const byZip = recipe(
    'zip',
    `format: { type: csv }\n    files: [typed.csv]\n    records: [{ into: layer_values, fields: { zip: { zip: zip }, ${fields} } }]`,
  );

  it('has a value of its type and of its words, or the row is set aside', async () => {
    put('typed.csv', [
      'zip,word,built,since',
      '53910,"wet, mostly",1980,2017-06-30',
      '53911,damp,1980,2017-06-30',
      '53912,dry,1980.5,2017-06-30',
      '53913,dry,1980,soon',
      ...Array.from({ length: 9 }, (_, k) => `5392${k},dry,,`),
    ]);
    const report = await load(byZip);
    assert.deepEqual([report.targets.layer_values?.inserted, report.rowsQuarantined], [10, 3]);
    const { summary, built } = (await layersOf(idOf('1'), '?layers=typed')).typed;
    assert.deepEqual([summary, built], ['In wet, mostly since 1980, Jun 30, 2017.', 1980]);
  });

  it('is asked for by a word with a comma, by years of a day, and by no range that nothing could meet', async () => {
    for (const layer of [
      'word:Wet, mostly',
      'word:dry,wet, mostly',
      'since:2016..2017',
      'since:2017-06..',
      'built:..1980',
    ])
      assert.ok((await found(`typed.${layer}`)).includes(idOf('1')) === (layer !== 'word:dry,wet, mostly'), layer);
    for (const layer of ['since:..2016', 'since:2017-07..', 'built:1981..'])
      assert.deepEqual(await found(`typed.${layer}`), [], layer);
    for (const layer of ['word:a..c', 'built:old..', 'since:soon..', 'level:1..2']) {
      const { status, body } = await api.get(`/properties/count?layer=typed.${layer}`, live);
      assert.deepEqual([status, / has no such range/.test(body.detail)], [400, true], layer);
    }
  });

  it('is checked on a map as well', async () => {
    const ring = [-89.9, -89.7, -89.7, -89.9, -89.9].map((x, k) => [x, k < 2 || k === 4 ? 43.9 : 44.1]);
    const features = ['dry', 'damp'].map((word, k) => ({
      type: 'Feature',
      properties: { id: `${k}`, word, built: k === 0 ? 1999 : 2000, since: '2020-01-01' },
      geometry: { type: 'Polygon', coordinates: [ring] },
    }));
    writeFileSync(join(folder, 'typed.geojson'), JSON.stringify({ type: 'FeatureCollection', features }));
    const map = `format: { type: geojson }\n    files: [typed.geojson]\n    records: [{ into: layer_values, fields: { id: { text: id }, ${fields} } }]`;
    const report = await load(recipe('inside', map));
    assert.deepEqual([report.targets.areas?.inserted, report.rowsQuarantined], [1, 1]);
    assert.equal((await layersOf(idOf('2'), '?layers=typed')).typed.built, 1999);
  });
});

describe('a page of homes', () => {
  it('reads layers by recipe with two statements more, however many there are', async () => {
    const rows = await listPropertyRows(
      deps,
      ['1', '2', '3'].map((pin) => idOf(pin)),
    );
    const count = async (names: string[] | undefined) => {
      let sent = 0;
      const data = new Proxy(deps.data, {
        get: (pool, name) => {
          if (name === 'query') sent++;
          const member = Reflect.get(pool, name) as unknown;
          return typeof member === 'function' ? member.bind(pool) : member;
        },
      });
      await readRiskReports({ ...deps, data }, rows, names);
      return sent;
    };
    assert.equal((await deps.catalog.read()).layers.size, 7);
    assert.equal(await count(['radon', 'tried', 'hazards']), 2);
    assert.equal(await count(['radon', 'hazards']), 1);
  });
});

describe('mistakes in a definition', () => {
  const refusal = (change: (text: string) => string) => {
    try {
      parseRecipe(change(blockOf('yaml')), 'radon');
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  it('are told with their line', () => {
    const cases: [(text: string) => string, RegExp][] = [
      [
        (text) => text.replace('headline: zone', 'headline: zones'),
        /line 7, layers.radon.headline: is none of its fields: zone, mean/,
      ],
      [(text) => text.replace(`if: 'zone:1'`, `if: 'depth:1'`), /levels.0.if: is not a condition on one of zone, mean/],
      [(text) => text.replace('join: county', 'join: contry'), /did you mean `county`/],
      [
        (text) => text.replace('county: { digits', 'contry: { digits'),
        /needs `county`, by which homes find their value/,
      ],
      [
        (text) => text.replace('mean: { decimal', 'average: { decimal'),
        /average: is no field of the layer; it has county, zone, mean/,
      ],
      [(text) => text.replaceAll('radon:', 'flood:'), /`flood` is the name of something else/],
      [(text) => text.replace('join: county', 'join: nearest'), /`nearest` needs `within_miles`/],
      [(text) => text.replace('mean: { type', 'status: { type'), /every layer has a member of this name/],
      [(text) => text.replace('mean: { type', 'n: { type'), /layers.radon.fields.n/],
      [(text) => text.replace('mean: { type', 'Mean level: { type'), /layers.radon.fields/],
      [(text) => text.replace('  radon:\n', '  Radon level:\n'), /layers/],
      [(text) => text.replace(`if: 'zone:1'`, `if: 'zone:one..'`), /is not a condition on one of zone, mean/],
    ];
    for (const [change, message] of cases) assert.match(refusal(change) ?? 'none', message);
  });
});
