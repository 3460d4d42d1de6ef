// The name and logo of an account: set, shown on every page of its PDFs and on shared pages, and refused if hostile.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { SCOPES_OF_ROLE } from '../../src/customers/people/team.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';

const api = await testClient();
const { app } = api;
/** Two by two pixels, with transparency. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFklEQVR4nGPgTOb8z5nM2cAAJED4PwAlYQRT216MkgAAAABJRU5ErkJggg==';
const put = (body: object, key = api.testKey) => api.call('PUT', '/account/branding', { body, key });
const id = DEMO.property_id;
const report = (await api.post('/reports', { property: { id } })).body;
const review = (
  await api.post('/reviews', {
    property: { id },
    appraisal: { value: 900_000, effective_date: '2026-06-15', comparables: [] },
  })
).body;

async function pdf(path: string) {
  const answer = await app.inject({ method: 'GET', url: `/api/v1${path}`, headers: { 'x-api-key': api.testKey } });
  assert.equal(answer.statusCode, 200);
  return {
    pages: readPdf(answer.rawPayload).pages,
    images: answer.rawPayload.toString('latin1').split('/Subtype /Image').length - 1,
  };
}

describe('the name and logo of an account', () => {
  it('are on every page of its PDFs, once as an image, and on what it shares', async () => {
    const plain = await pdf(`/reports/${report.id}/pdf`);
    assert.equal(plain.images, 0);
    const { body: shared } = await api.post('/shares', { property_id: id });
    const answer = await put({ name: 'Harbor Lending', logo: LOGO });
    assert.equal(answer.status, 200, answer.text);
    for (const path of [`/reports/${report.id}/pdf`, `/reviews/${review.id}/pdf`]) {
      const { pages, images } = await pdf(path);
      for (const page of pages) assert.ok(page.includes('Harbor Lending'), path);
      assert.ok(images > 0 && images <= 2, `${images}`);
    }
    const opened = await app.inject({ method: 'GET', url: `${new URL(shared.url).pathname}/content` });
    const { shared_by } = opened.json();
    assert.equal(shared_by.name, 'Harbor Lending');
    assert.match(shared_by.logo, /^data:image\/png;base64,iVBOR/);
    assert.equal((await put({ name: null })).body.logo, shared_by.logo, 'what is left out stays');
    assert.equal((await put({ logo: null })).body.logo, null);
    assert.deepEqual((await pdf(`/reports/${report.id}/pdf`)).pages, plain.pages);
  });

  it('are refused if the image is none, and need `account:write`', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    for (const logo of [
      svg,
      LOGO.slice(0, 60),
      'not base64!',
      `data:image/svg+xml;base64,${svg}`,
      'A'.repeat(400_000),
    ]) {
      const answer = await put({ logo });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.errors[0].pointer, '/body/logo');
    }
    assert.equal((await api.get('/account/branding')).body.logo, null);
    for (const scopes of [SCOPES.filter((scope) => scope !== 'account:write'), SCOPES_OF_ROLE.viewer])
      assert.equal((await put({ name: 'X' }, await api.keyWith(scopes))).status, 403);
    const stranger = await testClient();
    await put({ name: 'Ours' });
    assert.equal((await stranger.get('/account/branding')).body.name, null);
  });
});
