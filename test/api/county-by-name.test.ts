// Counties by name: what a stranger types brings a county's parcels onto the map and into search, whatever its server is like.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { runCounty } from '../../src/operate/commands/county.ts';
import { COUNTIES, homesOf, HOMES, serveCounties, WRITES_GEODATABASES, type NamedCounty } from '../county-services.ts';
import { testClient } from '../harness.ts';

const home = mkdtempSync(join(tmpdir(), 'platbook-named-'));
const api = await testClient({ settings: { PLATBOOK_HOME: home, TRAINING: 'tiny' } });
const live = { key: api.liveKey };
const IN_GEODATABASES = new Set(['06063', '19013']);
const counties = COUNTIES.filter(({ fips }) => WRITES_GEODATABASES || !IN_GEODATABASES.has(fips));
const { portalUrls } = await serveCounties(home, counties, 0.03);

/** Parcels that lie beside each other are in one tile of the middle one, or in its neighbors. */
async function drawnAt(latitude: number, longitude: number): Promise<string[]> {
  const sine = Math.sin((latitude * Math.PI) / 180);
  const x = Math.floor(((longitude + 180) / 360) * 2 ** 16);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** 16);
  const url = `/api/v1/tiles/16/${x}/${y}.mvt`;
  const answer = await api.app.inject({ url, headers: { 'x-api-key': api.liveKey } });
  assert.equal(answer.statusCode, 200, answer.payload);
  const { properties } = new VectorTile(new PbfReader(answer.rawPayload)).layers;
  return Array.from({ length: properties?.length ?? 0 }, (_, i) => String(properties.feature(i).properties.id));
}

async function addByName({ asked, fips, layer, ...county }: NamedCounty): Promise<void> {
  const given = portalUrls.get(asked);
  const options = given ? ['--untrained', '--layer', given] : ['--untrained'];
  await runCounty(api.deps.config, ['add', asked, ...options], { waitMs: 5, pauseMs: 0 });
  api.deps.catalog.forget();
  api.deps.places.forget();
  // A table beside the layer names the parcels that the layer cannot send.
  const broken = county.tables ? 0 : (layer?.badRows?.length ?? 0);
  const found = await api.get(`/properties/search?fips=${fips}&limit=500`, live);
  assert.equal(found.status, 200, found.text);
  assert.equal(found.body.data.length, HOMES - broken);
  const numbers = new Set(found.body.data.map(({ identifiers }: any) => identifiers.apn.replaceAll(/\W/g, '')));
  const homes = homesOf({ asked, fips, ...county }).filter((_, i) => !layer?.badRows?.includes(i + 1));
  assert.deepEqual(
    homes.filter(({ parcel }) => !numbers.has(parcel.replaceAll(/\W/g, ''))),
    [],
  );
  const { latitude, longitude } = homes[40];
  const drawn = new Set(await drawnAt(latitude, longitude));
  const there = found.body.data.filter(
    (row: any) => Math.abs(row.latitude - latitude) < 1e-4 && Math.abs(row.longitude - longitude) < 1e-4,
  );
  assert.equal(there.length, 1);
  assert.ok(drawn.has(there[0].id), `${drawn.size} homes are drawn there`);
  const line = `${homes[40].number} ${homes[40].street} ${homes[40].type}`;
  const hasCity = there[0].address.city !== null && there[0].address.city !== undefined;
  for (const place of [`${county.state} ${county.zip}`, ...(hasCity ? [`${county.city}, ${county.state}`] : [])]) {
    const address = new URLSearchParams({ address: `${line}, ${place}` });
    const { body, text } = await api.get(`/properties/lookup?${address}`, live);
    assert.equal(body.id, there[0].id, text.slice(0, 300));
  }
}

describe('a county that is added by its name', () => {
  for (const county of counties)
    it(`${county.asked} is on the map, in search and found by address`, () => addByName(county));
});
