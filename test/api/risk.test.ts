// The six layers and their four statuses; vector tiles.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newestCoverage } from '../../src/records/markets/catalog.ts';
import { listPropertyRows } from '../../src/records/properties/properties.ts';
import { readRiskReports } from '../../src/records/risk/risk.ts';
import { LAYER_NAMES } from '../../src/supply/layers/layers.ts';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const api = await testClient();

async function idWhere(condition: string): Promise<string> {
  const { rows } = await api.deps.data.query(
    `select id from properties where status = 'active' and ${condition} order by id limit 1`,
  );
  assert.ok(rows[0], condition);
  return rows[0].id;
}
const layersOf = async (id: string) => (await api.get(`/properties/${id}/risk`)).body.layers;

describe('GET /properties/:id/risk', () => {
  it('200: six layers and those by recipe, each with a status and, where covered, its source', async () => {
    const { status, body } = await api.get(`/properties/${DEMO.property_id}/risk`);
    assert.equal(status, 200);
    assert.equal(body.object, 'risk_report');
    assert.deepEqual(Object.keys(body.layers), [
      ...LAYER_NAMES,
      'hazards',
      'lending',
      'small_area_rents',
      'tract_rents',
    ]);
    for (const layer of Object.values<any>(body.layers)) {
      assert.ok(['found', 'none_found', 'not_covered', 'temporarily_unavailable'].includes(layer.status));
      if (layer.status !== 'not_covered') assert.ok(layer.source.licence && layer.source.loaded_at);
    }
  });

  it('200: layers selects', async () => {
    const { body } = await api.get(`/properties/${DEMO.property_id}/risk?layers=flood,census`);
    assert.deepEqual(Object.keys(body.layers), ['flood', 'census']);
  });

  it('flood: a special flood hazard area', async () => {
    const { flood } = await layersOf(await idWhere('flood_sfha'));
    assert.equal(flood.status, 'found');
    assert.equal(flood.sfha, true);
    assert.match(flood.zone, /^(A|V)/);
  });

  it('tax liens: found with open amounts; none_found is zero, not null', async () => {
    const { tax_liens } = await layersOf(await idWhere('open_tax_liens > 0'));
    assert.equal(tax_liens.status, 'found');
    const open = tax_liens.items.filter((item: any) => item.status === 'open');
    assert.equal(tax_liens.open_count, open.length);
    assert.equal(
      tax_liens.open_amount,
      open.reduce((sum: number, item: any) => sum + (item.amount ?? 0), 0),
    );
    const none = (
      await layersOf(
        await idWhere(
          `open_tax_liens = 0 and not exists (select 1 from tax_liens t where t.fips = properties.fips and t.property_id = properties.id)`,
        ),
      )
    ).tax_liens;
    assert.deepEqual([none.status, none.open_count, none.items], ['none_found', 0, []]);
  });

  it('permits and violations: found', async () => {
    const { permits } = await layersOf(await idWhere('permit_count > 0'));
    assert.equal(permits.status, 'found');
    assert.equal(permits.count, permits.items.length);
    const { code_violations } = await layersOf(await idWhere('open_violations > 0'));
    assert.equal(code_violations.status, 'found');
    assert.ok(code_violations.open_count > 0);
  });

  it('violations: not covered in the other county, which never looks like none', async () => {
    const { code_violations } = await layersOf(await idWhere('fips = 99003'));
    assert.equal(code_violations.status, 'not_covered');
    assert.equal(code_violations.open_count, null);
    assert.equal(code_violations.source, null);
  });

  it('opportunity zone: not covered in a county without a source, where a home was in none', async () => {
    const id = await idWhere('fips = 99003 and not opportunity_zone');
    const statusOf = async () => (await layersOf(id)).opportunity_zone.status;
    assert.equal(await statusOf(), 'none_found');
    const { rows } = await api.deps.data.query(
      `delete from coverage where fips = 99003 and layer = 'opportunity_zone' returning *`,
    );
    api.deps.catalog.forget();
    try {
      assert.equal(await statusOf(), 'not_covered');
    } finally {
      await api.deps.data.query('insert into coverage select * from jsonb_populate_recordset(null::coverage, $1)', [
        JSON.stringify(rows),
      ]);
      api.deps.catalog.forget();
    }
    assert.equal(await statusOf(), 'none_found');
  });

  it('census: the tract and its figures', async () => {
    const { census } = await layersOf(DEMO.property_id);
    assert.equal(census.status, 'found');
    assert.match(census.tract_geoid, /^99001\d{6}$/);
    assert.ok(census.population > 0 && census.poverty_rate >= 0 && census.poverty_rate <= 1);
  });

  it('opportunity zone: found inside, none_found outside, always on a 2010 tract', async () => {
    const inside = (await layersOf(await idWhere('opportunity_zone'))).opportunity_zone;
    assert.deepEqual([inside.status, inside.is_opportunity_zone, inside.tract_vintage], ['found', true, 2010]);
    const outside = (await layersOf(await idWhere('opportunity_zone = false'))).opportunity_zone;
    assert.deepEqual([outside.status, outside.is_opportunity_zone], ['none_found', false]);
  });

  it('one unavailable layer does not affect the others', async () => {
    const layers = await layersOf(sandboxId(99001, MAGIC_APN.layerAway));
    const statuses = Object.values<any>(layers).map((layer) => layer.status);
    assert.equal(statuses.filter((status) => status === 'temporarily_unavailable').length, 1);
    assert.ok(statuses.includes('found'));
  });

  it('400: an unknown layer; 404: an unknown property', async () => {
    const { status, body } = await api.get(`/properties/${DEMO.property_id}/risk?layers=floods`);
    assert.equal(status, 400);
    assert.match(body.detail, /did you mean `flood`/);
    assert.equal((await api.get(`/properties/${sandboxId(99001, 'none')}/risk`)).status, 404);
  });

  it('reads a report with at most nine queries', async () => {
    await layersOf(DEMO.property_id);
    const { data } = await api.deps.countStatements(() => layersOf(DEMO.property_id));
    assert.ok(data.length <= 9, data.join('\n'));
  });
});

describe('the source of a layer', () => {
  it('is found by county, without a scan of everything that is loaded', async () => {
    const catalog = await api.deps.catalog.readCovered([{ market: 'sandbox' }]);
    const ofMarket = () => assert.fail('every row of the coverage was read');
    const readCovered = async () => ({ ...catalog, coverage: { ...catalog.coverage, ofMarket } });
    const deps = { ...api.deps, catalog: { ...api.deps.catalog, readCovered } };
    const rows = await listPropertyRows(api.deps, [DEMO.property_id]);
    const [report] = await readRiskReports(deps, rows);
    assert.deepEqual(JSON.parse(JSON.stringify(report.layers)), await layersOf(DEMO.property_id));
  });

  it('is read with the coverage of its market alone, once until something is loaded', async () => {
    api.deps.catalog.forget();
    const coverageReadBy = async (path: string) => {
      const { data } = await api.deps.countStatements(() => api.get(path));
      return data.filter((text) => /\bfrom coverage where market = any/.test(text)).length;
    };
    assert.equal(await coverageReadBy('/properties/search?state=ZZ&limit=5'), 0);
    assert.equal(await coverageReadBy(`/properties/${DEMO.property_id}/risk`), 1);
    assert.equal(await coverageReadBy(`/properties/${DEMO.property_id}/risk`), 0);
    api.deps.catalog.forget();
    const { coverage } = await api.deps.catalog.readCovered([]);
    assert.throws(() => coverage.ofMarket('sandbox'), /no entry sandbox/);
  });

  it('is the one loaded last', async () => {
    const catalog = await api.deps.catalog.readCovered([{ market: 'sandbox' }]);
    const [row] = await listPropertyRows(api.deps, [DEMO.property_id]);
    const flood = newestCoverage(catalog, row, ({ layer }) => layer === 'flood')!;
    const later = { ...flood, source_id: 'later', loaded_at: new Date(flood.loaded_at.getTime() + 1) };
    const coverage = { ...catalog.coverage, ofPlace: () => [later, ...catalog.coverage.ofPlace(row)] };
    const newest = newestCoverage({ coverage }, row, ({ layer }) => layer === 'flood');
    assert.equal(newest?.source_id, 'later');
  });
});

describe('vector tiles', () => {
  const tileOf = (longitude: number, latitude: number, z: number) => {
    const sine = Math.sin((latitude * Math.PI) / 180);
    const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
    const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
    return `/tiles/${z}/${x}/${y}.mvt`;
  };

  it('200: the demo home is in its tile at zoom 15', async () => {
    const demo = (await api.get(`/properties/${DEMO.property_id}`)).body;
    const { status, headers, text } = await api.get(tileOf(demo.longitude, demo.latitude, 15));
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/vnd.mapbox-vector-tile');
    assert.ok(text.includes(DEMO.property_id) && text.includes('properties'));
  });

  it('200: cells with counts when zoomed out; empty elsewhere; nothing from the sandbox for live keys', async () => {
    const world = await api.get('/tiles/0/0/0.mvt');
    assert.ok(world.text.includes('cells') && world.text.includes('count'));
    const live = await api.get('/tiles/0/0/0.mvt', { key: api.liveKey });
    assert.equal(live.text.includes('count'), false);
  });

  it('404 and 400: tiles that do not exist', async () => {
    assert.equal((await api.get('/tiles/1/2/0.mvt')).status, 404);
    assert.equal((await api.get('/tiles/23/0/0.mvt')).status, 400);
    assert.equal((await api.get('/tiles/a/0/0.mvt')).status, 400);
    assert.equal((await api.get('/tiles/1/0/0.png')).status, 404);
  });

  it('200: TileJSON', async () => {
    const { body } = await api.get('/tiles');
    assert.equal(body.tilejson, '3.0.0');
    assert.match(body.tiles[0], /\{z\}\/\{x\}\/\{y\}\.mvt$/);
  });
});
