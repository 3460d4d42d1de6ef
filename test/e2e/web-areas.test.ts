// The area page in a real browser: figures that match the API, comparison, map, downloads, and a link that keeps it all.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { createTileCaches } from '../../src/records/tiles/tile-cache.ts';
import { until } from '../until.ts';
import { findBarriers, needsBrowser, openSite } from './browser.ts';

const site = await openSite({ hasMaps: true });

describe('the area page', needsBrowser, () => {
  const zips = async (): Promise<string[]> =>
    (await site.client.get('/analytics/rankings?kind=zip&figure=sales&limit=5')).body.data.map(
      ({ area }: any) => area.id,
    );

  it('opens on the market, with its figures, map, ranking and homes', async () => {
    const page = await site.open('/areas', { key: site.client.testKey });
    await page.getByRole('heading', { level: 1, name: 'Sandbox Isle' }).waitFor();
    const { body } = await site.client.get('/analytics/series?kind=market&area=sandbox&interval=quarter');
    const last = body.data.findLast((point: any) => !point.is_open);
    await page.getByRole('heading', { name: `At a glance, ${last.period}` }).waitFor();
    await page
      .getByText(`$${last.median_price.toLocaleString('en-US')}`, { exact: true })
      .first()
      .waitFor();
    const then = last.growth_bases.find(({ years }: any) => years === 1).n.toLocaleString('en-US');
    await page.getByText(`from ${then} sales then`).first().waitFor();
    await page.locator('.area-map [data-styled="true"] canvas').waitFor();
    const { body: ranking } = await site.client.get(
      '/analytics/rankings?kind=zip&figure=median_price&interval=quarter',
    );
    await page.getByRole('link', { name: `ZIP ${ranking.data[0].area.id}` }).waitFor();
    for (const name of ['Over time', 'Homes', 'Values', 'Permits, violations, liens']) {
      await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
    }
    await page.context().close();
  });

  it('compares up to five areas and keeps them in the link', async () => {
    const [first, second, third] = await zips();
    const page = await site.open(`/areas?area=zip:${first}`, { key: site.client.testKey });
    await page.getByRole('heading', { level: 1, name: `ZIP ${first}` }).waitFor();
    for (const zip of [second, third]) {
      await page.getByLabel('Area', { exact: true }).fill(zip);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('button', { name: `ZIP ${zip} Remove` }).waitFor();
    }
    await page.getByLabel('Figure', { exact: true }).selectOption('Price per sq ft');
    await page.getByRole('button', { name: 'Years' }).click();
    await page.locator('.period-chart .legend').getByText(`ZIP ${third}`).waitFor();
    const again = await site.open(new URL(page.url()).pathname + new URL(page.url()).search, {
      key: site.client.testKey,
    });
    await again.locator('.period-chart .legend').getByText(`ZIP ${third}`).waitFor();
    assert.equal(await again.getByLabel('Figure', { exact: true }).inputValue(), 'median_price_per_sqft');
    assert.equal(await again.getByRole('button', { name: 'Years' }).getAttribute('aria-pressed'), 'true');
    await page.context().close();
    await again.context().close();
  });

  it('downloads the figures as CSV and the chart as PNG', async () => {
    const [zip] = await zips();
    const page = await site.open(`/areas?area=zip:${zip}&interval=year`, { key: site.client.testKey });
    await page.locator('.period-chart svg path').first().waitFor();
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Over time' }) });
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        card.getByRole('button', { name, exact: true }).click(),
      ]);
      return readFileSync(await download.path());
    };
    const [head, ...lines] = (await save('CSV')).toString().trim().split('\r\n');
    const { body } = await site.client.get(`/analytics/series?kind=zip&area=${zip}&interval=year`);
    const columns = head.split(',');
    assert.equal(lines.length, body.data.length);
    for (const [i, line] of lines.entries()) {
      const cells = line.split(',');
      for (const name of ['period', 'n', 'median_price', 'turnover']) {
        assert.equal(cells[columns.indexOf(name)], String(body.data[i][name] ?? ''), `${body.data[i].period} ${name}`);
      }
    }
    const png = await save('PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.readUInt32BE(16) > 800 && png.length > 10_000, `${png.length} bytes`);
    await page.context().close();
  });

  it('fills tracts on the map, opens the area that is clicked, and says what an unknown area could be', async () => {
    const page = await site.open('/areas?parts=tract&interval=year&figure=homes', { key: site.client.testKey });
    await page.locator('.area-map [data-styled="true"] canvas').waitFor();
    // The note about circles goes once the boundaries have arrived.
    await page.getByText('Each circle is at the middle').waitFor({ state: 'detached' });
    const canvas = page.locator('.area-map canvas');
    const tract = page.getByRole('heading', { level: 1, name: /^Tract / });
    // The first click may come before the tracts are filled.
    await until(async () => {
      if (!(await tract.isVisible())) await canvas.click();
      return tract.isVisible();
    });
    await page.goto(`${site.origin}/areas?area=zip:99999`);
    await page.getByText('are on record for the zip').first().waitFor();
    await page
      .getByRole('button', { name: /^ZIP 001/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^ZIP 001/ }).waitFor();
    await page.context().close();
  });

  it('fills ZIP codes whose boundaries are loaded, and draws circles for others', async () => {
    const path = '/areas?parts=zip&interval=year&figure=homes';
    const page = await site.open(path, { key: site.client.testKey });
    await page.locator('.area-map [data-styled="true"] canvas').waitFor();
    const canvas = page.locator('.area-map canvas');
    const zip = page.getByRole('heading', { level: 1, name: /^ZIP / });
    await until(async () => {
      if (!(await zip.isVisible())) await canvas.click();
      return zip.isVisible();
    });
    assert.equal(await page.getByText('Each circle is at the middle').count(), 0);
    await page.context().close();

    await site.client.deps.data.query(`delete from areas where fips = 0 and kind = 'zip'`);
    site.client.deps.tiles = createTileCaches();
    const without = await site.open(path, { key: site.client.testKey });
    await without.getByText('Each circle is at the middle').waitFor();
    await without.context().close();
  });

  it('is reached from the property page, the explorer and the top bar', async () => {
    const page = await site.open(`/p/${DEMO.property_id}`, { key: site.client.testKey });
    await page.getByRole('link', { name: 'Area', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^ZIP / }).waitFor();
    await page.goto(`${site.origin}/explore?city=Port+Ellowby`);
    await page.getByRole('link', { name: 'Area figures' }).click();
    await page.getByRole('heading', { level: 1, name: 'Port Ellowby' }).waitFor();
    await page.getByRole('link', { name: 'Areas', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sandbox Isle' }).waitFor();
    await page.context().close();
  });

  it('shows the sales of a drawn area and of a search, as the API has them', async () => {
    const { longitude: x, latitude: y } = (await site.client.get(`/properties/${DEMO.property_id}`)).body;
    const ring = [
      [x - 0.02, y - 0.02],
      [x + 0.02, y - 0.02],
      [x, y + 0.02],
    ];
    const drawn = { geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] } };
    const several = { zip: (await zips()).slice(0, 2).join(','), min_bedrooms: 3 };
    for (const [query, filter, name, property_type] of [
      [`area=${ring.map(String).join(';')}`, drawn, 'Drawn area', 'residential'],
      [`property_type=single_family&zip=${several.zip}&min_bedrooms=3`, several, 'Search', 'single_family'],
    ] as const) {
      const page = await site.open(`/explore?${query}`, { key: site.client.testKey });
      await page.getByRole('link', { name: 'Area figures' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const { body } = await site.client.post('/analytics/series', { ...filter, property_type, interval: 'quarter' });
      await page.getByText(`${body.n.toLocaleString('en-US')} sales.`).waitFor();
      assert.ok(body.n > 0);
      // The link alone opens the same again.
      await page.reload();
      await page.getByText(`${body.n.toLocaleString('en-US')} sales.`).waitFor();
      await page.getByRole('heading', { name: 'ZIP codes of Sandbox Isle' }).waitFor();
      await page.context().close();
    }
  });

  it('has no barriers in either theme, and fits a phone', async () => {
    const [first, second] = await zips();
    for (const [colors, isPhone] of [
      ['light', false],
      ['dark', true],
    ] as const) {
      const path = `/areas?area=zip:${first}&area=zip:${second}`;
      const page = await site.open(path, { key: site.client.testKey, colors, isPhone });
      await page.getByRole('heading', { name: 'Values', exact: true }).waitFor();
      await page.locator('.period-chart svg path').first().waitFor();
      assert.deepEqual(await findBarriers(page), []);
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
      await page.context().close();
    }
  });

  it('logged no errors and contacted no third party', () =>
    assert.deepEqual(
      site.complaints.filter((complaint) => !complaint.includes('404')),
      [],
    ));
});
