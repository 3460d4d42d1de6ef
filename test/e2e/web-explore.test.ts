// The map in a real browser: strangers, colors, filters, layers, drawing, a phone, an operator's basemap.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { encodeTile } from '../../src/records/tiles/mvt.ts';
import { testClient } from '../harness.ts';
import { pmtiles } from '../pmtiles.ts';
import { until } from '../until.ts';
import { findBarriers, needsBrowser, openSite, WAIT_MS } from './browser.ts';

const site = await openSite({ hasMaps: true });

describe('the explorer', needsBrowser, () => {
  it('shows strangers the sandbox: the map on the home page, a home by its address, its value, nobody’s name', async () => {
    const page = await site.open('/');
    await page.locator('.home-hero .map-canvas[data-styled="true"]').waitFor();
    await page.getByRole('combobox', { name: 'Search by address' }).pressSequentially('1208 lantern', { delay: 20 });
    await page.getByRole('option', { name: /1208 Lantern Hill Dr/ }).click();
    await page.waitForURL(`**/p/${DEMO.property_id}`);
    await page.getByRole('heading', { level: 1, name: '1208 Lantern Hill Dr' }).waitFor();
    await page.locator('.value-big').first().waitFor();
    await page.getByRole('link', { name: 'Sign up free' }).waitFor();
    const { owner } = (await site.client.get(`/properties/${DEMO.property_id}?include=owner`)).body;
    const shown = (await page.locator('main').textContent()) ?? '';
    for (const name of owner.names) assert.ok(!shown.includes(name), `${name} is shown`);
    for (const [path, heading] of [
      ['/explore', 'Explore properties'],
      ['/accuracy', 'Accuracy'],
      ['/coverage', 'Coverage'],
      ['/pricing', 'Pricing'],
    ]) {
      await page.goto(site.origin + path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'attached' });
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      assert.equal(await page.getByText('Sign in to continue').count(), 0, path);
    }
    await page.goto(`${site.origin}/dashboard`);
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.context().close();
  });

  it('opens with a pasted key and draws the market from our own tiles', async () => {
    const page = await site.open('/sign-in');
    const drawn = (tiles: RegExp) =>
      page.waitForResponse((response) => response.ok() && tiles.test(new URL(response.url()).pathname));
    const boundaries = drawn(/^\/api\/v1\/tiles\/boundaries\/.*\.mvt$/);
    const properties = drawn(/^\/api\/v1\/tiles\/\d.*\.mvt$/);
    await page.getByLabel('API key').fill(site.client.testKey);
    await page.getByRole('button', { name: 'Continue with key' }).click();
    await page.getByText(/properties in view/).waitFor();
    await page.locator('.results li').first().waitFor();
    await Promise.all([boundaries, properties]);
    await page.locator('.map-canvas[data-idle="true"]').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.context().close();
  });

  it('filters with API parameters and keeps them in the URL', async () => {
    const page = await site.open('/explore', { key: site.client.testKey });
    let asked = '';
    page.on('request', (request) => {
      if (request.url().endsWith('/properties/search')) asked = request.postData()!;
    });
    await page.getByText(/properties in view/).waitFor();
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByLabel('Townhouse').check();
    await page.getByLabel('Bedrooms, minimum').fill('3');
    await page.getByLabel('City').fill('Port Ellowby');
    await page.getByRole('button', { name: /^Show [\d,]+ results?$/ }).click();
    await page.getByText('Bedrooms from 3').waitFor();
    const query = new URL(page.url()).searchParams;
    assert.equal(query.get('property_type'), 'townhouse');
    assert.equal(query.get('min_bedrooms'), '3');
    // The old list stays, marked as busy, until the new one arrives.
    await page.locator('.explore-list[aria-busy="false"] .results li').first().waitFor();
    const kinds = (await page.locator('.result .fine').allTextContents()).filter((text) => text.includes('·'));
    assert.deepEqual(
      kinds.filter((text) => !text.startsWith('Townhouse')),
      [],
    );
    const { body: answer } = await site.client.post('/properties/search', JSON.parse(asked));
    assert.ok(answer.data.length >= 10, `${answer.data.length} townhouses in view`);
    assert.equal(await page.locator('.explore-list .results li').count(), answer.data.length);
    await page.getByText(`${answer.pagination.total.toLocaleString('en-US')} properties in view`).waitFor();
    await page.context().close();
  });

  it('colors by a figure, filters by brushing it, and draws only what matches', async () => {
    const page = await site.open('/explore', { key: site.client.testKey });
    await page.getByText(/properties in view/).waitFor();
    await page.locator('.legend-histogram rect').first().waitFor();
    const release = Promise.withResolvers<void>();
    await page.route(/\.mvt\?color=year_built/, async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.getByLabel('Color by').selectOption('year_built');
    await page.waitForURL((url) => url.searchParams.get('color') === 'year_built');
    // Until the years are there, nothing can be filtered by them: the amounts on the map are still dollars.
    await page.locator('.map-canvas[data-idle="false"]').waitFor();
    assert.equal(await page.locator('.legend-histogram').count(), 0);
    assert.equal(await page.getByText('No year built in view.').count(), 0);
    release.resolve();
    await page.locator('.legend-histogram rect').first().waitFor();
    const asked = page.waitForRequest((request) => /\.mvt\?.*min_year_built=\d{4}/.test(request.url()));
    const brush = page.getByRole('slider', { name: 'Filter by the figure shown' });
    await brush.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await asked;
    await page.getByText(/^Year built from \d{4}/).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('min_year_built'));
    // Undone while tiles are on their way, which must not be the last that are drawn.
    for (let round = 0; round < 4; round++) {
      await brush.press('ArrowRight');
      await brush.press('ArrowRight');
      await brush.press('Escape');
      await page.locator('.legend-histogram rect').first().waitFor();
    }
    // Nothing in view matches: what filters is still there to be undone.
    await page.route(/\.mvt\?.*min_year_built=/, (route) => route.fulfill({ body: '' }));
    await brush.press('ArrowRight');
    await page.getByText('No year built in view.').waitFor();
    await brush.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('min_year_built'));
    await page.context().close();
  });

  it('loads tiles again whose features the library looks for in the bytes of another answer', async () => {
    const page = await site.open('/sign-in', { key: site.client.testKey });
    await page.addInitScript(`{
      const listen = Worker.prototype.addEventListener;
      Worker.prototype.addEventListener = function (type, heard, ...rest) {
        const mixUp = (event) => {
          const { data } = event.data;
          const isFirst = !window.homesAreShownAgain && data?.rawTileData;
          if (isFirst && data.featureIndex.bucketLayerIDs.flat().includes('cells')) {
            window.tilesMixedUp = (window.tilesMixedUp ?? 0) + 1;
            data.rawTileData = new ArrayBuffer(0);
            if (window.tilesMixedUp === 2) window.homesAreShownAgain = true;
          }
          return heard(event);
        };
        return listen.call(this, type, type === 'message' ? mixUp : heard, ...rest);
      };
    }`);
    await page.goto(`${site.origin}/explore`);
    await page.locator('.legend-histogram rect').first().waitFor();
    await page.locator('.map-canvas[data-idle="true"]').waitFor();
    assert.equal(await page.evaluate('window.tilesMixedUp'), 2);
    await page.context().close();
  });

  it('filters the tiles by a drawn area and by figures that are no column, and keeps its style in another theme', async () => {
    const { longitude: x, latitude: y } = (await site.client.get(`/properties/${DEMO.property_id}`)).body;
    const area = `${x - 0.01},${y - 0.01};${x + 0.01},${y - 0.01};${x},${y + 0.01}`;
    const page = await site.open(`/explore?at=${y},${x},14&color=growth&area=${area}`, { key: site.client.testKey });
    const drawn = await page.waitForResponse((response) => /\.mvt\?.*area=/.test(response.url()));
    assert.equal(drawn.status(), 200);
    await page.getByText(/properties in this area/).waitFor();
    await page.locator('.legend-histogram rect').first().waitFor();
    const brushed = page.waitForResponse((response) => /\.mvt\?.*min_growth=/.test(response.url()));
    await page.getByRole('slider', { name: 'Filter by the figure shown' }).press('ArrowRight');
    assert.equal((await brushed).status(), 200);
    await page.getByText(/^Growth per year from/).waitFor();
    // While the map is busy with tiles, which is when a style is easily touched too early.
    for (const colorScheme of ['dark', 'light', 'dark'] as const) await page.emulateMedia({ colorScheme });
    await page.emulateMedia({ media: 'print' });
    await page.emulateMedia({ media: 'screen' });
    await page.locator('.map-canvas[data-idle="true"]').waitFor();
    await page.context().close();
  });

  it('draws an operator’s own basemap from this server alone, in the colors of its style', async () => {
    const square = (west: number, south: number, east: number, north: number): [number, number][][] => [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ];
    const world = encodeTile(
      [
        { name: 'earth', areas: [{ polygons: [square(-170, -80, 170, 80)], properties: { kind: 'earth' } }] },
        { name: 'water', areas: [{ polygons: [square(-100, 20, -40, 60)], properties: { kind: 'ocean' } }] },
        { name: 'places', points: [{ longitude: -70, latitude: 40, properties: { kind: 'locality', name: 'Port' } }] },
      ],
      { z: 0, x: 0, y: 0 },
    );
    const file = join(site.home, 'world.pmtiles');
    writeFileSync(file, pmtiles([{ z: 0, x: 0, y: 0, data: world }]));
    const own = await testClient({ settings: { BASEMAP: file, PLATBOOK_HOME: site.home } });
    const origin = await own.app.listen({ port: 0, host: '127.0.0.1' });
    const page = await (await site.open('/sign-in')).context().newPage();
    const blank = await page.context().newPage();
    page.setDefaultTimeout(WAIT_MS);
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || /image .* could not be loaded/i.test(message.text()))
        problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) problems.push(request.url());
    });
    const range = page.waitForResponse((response) => response.url().endsWith('/basemap.pmtiles'));
    await page.goto(`${origin}/explore?at=40,-70,6`);
    assert.equal((await range).status(), 206);
    // Water as Protomaps paints it, where our own ground has the open sea in another blue. The dot of a town is near the
    // middle: a tile of the world is no finer.
    await until(async () => {
      const picture = (await page.locator('.map-canvas').screenshot()).toString('base64');
      const [water, ...middle] = await blank.evaluate(async (data: string) => {
        const { document, createImageBitmap, fetch } = globalThis as any;
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const colorAt = (x: number, y: number) =>
          [...context.getImageData(image.width / 2 + x, image.height / 2 + y, 1, 1).data] as number[];
        const near = Array.from({ length: 17 }, (_, k) => k - 8);
        return [colorAt(0, -image.height / 4), ...near.flatMap((x) => near.map((y) => colorAt(x, y)))];
      }, picture);
      const isNear = (color: number[], wanted: number[]) =>
        wanted.reduce((sum, part, k) => sum + Math.abs(part - color[k]), 0) < 30;
      return isNear(water, [0x80, 0xde, 0xea]) && middle.some((color) => isNear(color, [0x6b, 0x76, 0x71]));
    });
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('switches layers on, moves through the sales of years, measures, and shares it all as a link', async () => {
    const page = await site.open('/explore?layers=sales', { key: site.client.testKey });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Twelve months of sales').press('ArrowLeft');
    await page.waitForURL((url) => /^\d{6}-\d{6}$/.test(url.searchParams.get('sold') ?? ''));
    await page.getByRole('button', { name: 'Layers' }).click();
    await page.getByLabel('Census tracts').check();
    await page.getByLabel('Flood zones').check();
    await page.getByLabel('Shade tracts by').selectOption('poverty_rate');
    await page.getByRole('button', { name: 'Layers' }).click();
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.locator('.map canvas').focus();
    await page.keyboard.press('Enter');
    const before = page.url();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.href !== before);
    await page.keyboard.press('Enter');
    await page.getByText(/^[\d.]+ (ft|mi)$/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Link copied').waitFor();
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    assert.deepEqual(link.searchParams.get('layers')!.split(',').sort(), ['flood', 'sales', 'tracts']);
    assert.equal(link.searchParams.get('tracts'), 'poverty_rate');
    await page.context().close();
  });

  it('is a sheet over the map on a phone, and a map as wide as the paper in print', async () => {
    const page = await site.open('/explore', { isPhone: true });
    await page.getByText(/properties in view/).waitFor();
    const heightOf = async () => (await page.locator('.explore-panel').boundingBox())!.height;
    const low = await heightOf();
    await page.getByRole('button', { name: 'Show the list' }).click();
    await page.getByRole('button', { name: 'Show the map' }).waitFor();
    await until(async () => (await heightOf()) > low * 1.5);
    // Paper is as narrow as a phone.
    await page.emulateMedia({ media: 'print' });
    await until(async () => (await page.locator('.explore .map').boundingBox())!.width === 390);
    await page.context().close();
  });

  it('draws fewer pixels while it moves where frames are slow, without letting go of it, and all of them at rest', async () => {
    const { latitude, longitude } = (await site.client.get(`/properties/${DEMO.property_id}`)).body;
    const page = await site.open(`/explore?at=${latitude},${longitude},14`, { key: site.client.testKey });
    await page.locator('.map-canvas[data-idle="true"]').waitFor();
    const canvas = page.locator('.map canvas');
    const pixels = () => canvas.evaluate((element) => (element as any).width as number);
    const sharp = await pixels();
    // A machine that needs longer than this one may for a frame.
    await page.evaluate(`{
      const work = () => {
        for (const end = performance.now() + 60; performance.now() < end; );
        requestAnimationFrame(work);
      };
      requestAnimationFrame(work);
    }`);
    const { x, y, width, height } = (await canvas.boundingBox())!;
    await page.mouse.move(x + width * 0.75, y + height / 2);
    await page.mouse.down();
    let step = 0;
    const drag = () => page.mouse.move(x + width * 0.75 - 2 * ++step, y + height / 2);
    await until(async () => {
      await drag();
      return (await pixels()) < sharp;
    });
    for (let more = 0; more < 20; more++) await drag();
    await page.mouse.up();
    await until(async () => (await pixels()) === sharp);
    // As far as the hand, and then some: a map that is let go glides on.
    const degrees = (360 * 2 * step) / (512 * 2 ** 14);
    const [, moved] = new URL(page.url()).searchParams.get('at')!.split(',').map(Number);
    assert.ok(moved - longitude > 0.9 * degrees, `${moved - longitude} of ${degrees}`);
    await page.context().close();
  });

  it('draws an area without a mouse, with corners at the crosshair or as text', async () => {
    const page = await site.open('/explore', { key: site.client.testKey });
    await page.getByText(/properties in view/).waitFor();
    await page.getByRole('button', { name: 'Draw an area' }).click();
    await page.locator('.map canvas').focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
      await page.keyboard.press('Enter');
      const before = page.url();
      await page.keyboard.press(key);
      // The map position is in the URL and changes when the move ends.
      await page.waitForURL((url) => url.href !== before);
    }
    await page.getByText('3 corners').waitFor();
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Drawn area').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('area')!.split(';').length, 3);
    await page.getByText(/properties in this area|property in this area/).waitFor();

    await page.getByRole('button', { name: 'Draw an area' }).click();
    await page.getByRole('button', { name: 'Enter coordinates' }).click();
    await page.getByLabel('Corners').fill('nonsense');
    await page.getByRole('button', { name: 'Search this area' }).click();
    await page.getByText('“nonsense” is not a latitude and longitude.').waitFor();
    const { latitude, longitude } = (await site.client.get(`/properties/${DEMO.property_id}`)).body;
    const [south, north, west, east] = [latitude - 0.001, latitude + 0.001, longitude - 0.001, longitude + 0.001];
    await page
      .getByLabel('Corners')
      .fill(`POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`);
    await page.getByRole('button', { name: 'Search this area' }).click();
    await page.getByRole('link', { name: /1208 Lantern Hill Dr/ }).waitFor();
    await page.context().close();
  });

  it('shows each comparable with adjustments that add up', async () => {
    const page = await site.open(`/p/${DEMO.property_id}`, { key: site.client.testKey });
    const grid = page.getByRole('region', { name: 'Adjustment grid' });
    await grid.waitFor();
    const rows = await grid
      .locator('tbody tr')
      .evaluateAll((elements) =>
        elements.map((row) =>
          [...row.children].map((cell) => (cell.querySelector('.amount') ?? cell).textContent ?? ''),
        ),
      );
    const dollars = (text: string) => Number(text.replaceAll(/[$,+]/g, '').replace('–', '0'));
    const at = (name: string) => rows.findIndex(([head]) => head === name);
    const [price, adjusted] = [at('Sale price'), at('Adjusted price')];
    for (let column = 2; column < rows[price].length; column++) {
      const steps = rows.slice(price, adjusted).map((row) => dollars(row[column]));
      assert.equal(
        steps.reduce((sum, step) => sum + step, 0),
        dollars(rows[adjusted][column]),
      );
    }
    await page.locator('.map .map-number').first().waitFor();
    await page.context().close();
  });

  it('logged no errors and contacted no third party', () => assert.deepEqual(site.complaints, []));
});
