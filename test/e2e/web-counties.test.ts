// A county brought in by an operator in a real browser: from a file to a home with a value on the map.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { setOperator } from '../../src/customers/people/people.ts';
import { ownLayers } from '../../src/supply/catalog/catalog.ts';
import { formatLayers } from '../../src/supply/catalog/layers.ts';
import { startArcgis } from '../arcgis-server.ts';
import { COUNTY, writeCounty } from '../county-file.ts';
import { COUNTY_FIELDS, parcelOf } from '../county-layer.ts';
import { needsBrowser, openSite } from './browser.ts';

const site = await openSite({ settings: { WEBHOOK_ALLOW_PRIVATE: 'loopback' } });
const server = await startArcgis(7);
server.layers['arcgis/rest/services/State/FeatureServer/0'] = {
  fields: COUNTY_FIELDS,
  features: Array.from({ length: 400 }, (_, i) => parcelOf(i)),
  limit: 70,
};
const layer = { kind: 'parcels', name: '', format: 'arcgis', parcelField: 'PARCELNO', license: 'CC0' } as const;
const LAYERS = [{ ...layer, area: '55', url: `${server.url}/arcgis/rest/services/State/FeatureServer/0` }];
mkdirSync(dirname(ownLayers(site.home)), { recursive: true });
writeFileSync(ownLayers(site.home), formatLayers({ day: '2099-01-01', layers: LAYERS }, ''));

describe('counties', needsBrowser, () => {
  it('are not there for a customer', async () => {
    const person = await site.signUp('Carla Example', 'pro');
    const page = await site.open('/dashboard/counties', { person });
    await page.getByRole('heading', { name: 'Page not found' }).last().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Counties' }).count(), 0);
    await page.context().close();
  });

  it('come in from a file: a column mapped by hand, a preview, a load, a model, a home on the map', async () => {
    const person = await site.signUp('Olga Example', 'pro');
    await setOperator(site.client.deps, 'olga.example@example.com', true);
    const page = await site.open('/dashboard', { person });
    await page.getByRole('link', { name: 'Counties' }).click();
    await page.getByRole('button', { name: 'New county' }).click();
    await page.getByLabel('County', { exact: true }).fill(COUNTY.county);
    await page.getByLabel('Place').fill(COUNTY.place);
    await page.getByLabel('County FIPS code').fill(COUNTY.fips);
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'Gage parcels (2026).csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(writeCounty({ hasTellingNames: false, badRows: 3 })),
    });
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL('**/dashboard/counties/cty_*');

    await page.getByText(/No column is read as living area/).waitFor();
    await page.getByLabel('Meaning of COL_17').selectOption('sqft');
    await page.getByText(/No column is read as/).waitFor({ state: 'detached' });
    // A choice that is not applied survives a reload.
    await page.reload();
    await page.getByRole('button', { name: 'Apply 1 change' }).click();
    await page.getByText('Set by hand').waitFor();

    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Not a date in SALE_DATE').waitFor();
    const map = page.getByRole('img', { name: 'Map of where the properties lie' });
    await map.scrollIntoViewIfNeeded();
    assert.ok(await map.evaluate((image: any) => image.decode().then(() => image.naturalWidth > 0)));
    const examples = page.getByRole('region', { name: 'Examples' });
    await examples
      .getByText(/Beatrice/)
      .first()
      .waitFor();

    // Work that has begun goes on without the page.
    const begun = page.waitForResponse((response) => /\/counties\/\w+\/steps$/.test(response.url()));
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    assert.equal((await begun).status(), 202);
    await page.reload();
    await page.getByText('Trains a model, tests it').waitFor();
    await page.getByLabel('Quick first look').check();
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await page.getByText('Median error').waitFor();
    await page.getByText('Sales tested').waitFor();
    assert.equal(await page.getByText('The model was not published').count(), 0);

    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.waitForURL('**/explore?*');
    await page.getByText('Market: beatrice-ne').waitFor();
    await page.getByRole('region', { name: 'Results' }).getByText(/\$\d/).first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^Open \d+ / }).click();
    await page.getByText('Estimated value').first().waitFor();
    assert.deepEqual(site.complaints, []);
    await page.context().close();
  });

  it('come in by their name and a layer that is listed: search box, map, county, draft, load', async () => {
    const person = await site.signUp('Nora Example', 'pro');
    await setOperator(site.client.deps, 'nora.example@example.com', true);
    const page = await site.open('/dashboard/counties', { person });
    const map = page.getByRole('img', { name: /Counties of the United States/ });
    await map.waitFor();
    assert.ok((await map.locator('path').count()) > 3_000);
    assert.equal(await map.locator('.county-listed[data-fips^="55"]').count(), 72);
    await page.getByLabel('County and state').fill('richlnd wi');
    await page.getByRole('link', { name: 'Richland County, Wisconsin' }).click();
    await page.getByRole('heading', { name: 'Richland County, Wisconsin' }).waitFor();
    await page.getByText('License: CC0.').waitFor();
    await page.getByRole('button', { name: 'Load this' }).click();
    await page.waitForURL('**/dashboard/counties/cty_*');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('img', { name: 'Map of where the properties lie' }).waitFor();
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.getByText('Trains a model, tests it').waitFor();
    await page.goto(`${site.origin}/dashboard/counties/55103`);
    await page.getByText('200 properties are loaded.').waitFor();
    await page
      .getByRole('table', { name: /Fields in Richland County/ })
      .getByText('structure.year_built')
      .waitFor();
    await page.getByText(/Read on/).waitFor();
    await page.goto(`${site.origin}/dashboard/counties`);
    await map.locator('.county-loaded[data-fips="55103"]').waitFor();
    assert.deepEqual(site.complaints, []);
    await page.context().close();
  });

  it('shows in words what is wrong with a file, on a phone too', async () => {
    const person = await site.signUp('Otto Example', 'pro');
    await setOperator(site.client.deps, 'otto.example@example.com', true);
    const page = await site.open('/dashboard/counties', { person, isPhone: true });
    await page.getByRole('button', { name: 'New county' }).first().click();
    await page.getByLabel('County', { exact: true }).fill(COUNTY.county);
    await page.getByLabel('Place').fill(COUNTY.place);
    await page.getByLabel('County FIPS code').fill(COUNTY.fips);
    const input = page.getByLabel('File', { exact: true });
    await input.setInputFiles({
      name: 'parcels.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('%PDF-1.7 not a table'),
    });
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('parcels.csv is a PDF document; it holds no table that can be read.').waitFor();
    await page.getByRole('button', { name: 'Delete draft' }).click();
    await page.getByRole('button', { name: 'Confirm delete' }).click();
    await page.waitForURL('**/dashboard/counties');
    assert.deepEqual(site.complaints, []);
    await page.context().close();
  });
});
