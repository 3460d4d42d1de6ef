// Address resolution over the real records of every place at hand: groups of cases, drawn evenly. Skipped without the
// records.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildCases } from '../../bench/address/cases.ts';
import { HELD_OUT } from '../../bench/address/held-out.ts';
import { expectFrom } from '../../bench/address/expectation.ts';
import { askRoundTrip } from '../../bench/address/round-trip.ts';
import { loadSitus } from '../../bench/address/situs.ts';
import { resolve } from '../../src/records/address/match/resolve.ts';
import { formatLine } from '../../src/records/address/parse/format.ts';
import { createMemoryStore } from '../memory-store.ts';

const folder = process.env.PLATBOOK_DATA ?? join(import.meta.dirname, '../../../shared/data');
const options = { skip: existsSync(folder) ? false : 'the public records are not here' };
const all = await loadSitus(folder);
const store = createMemoryStore(all);
const expected = expectFrom(all);

async function answer(text: string): Promise<string> {
  const found = await resolve(store, text);
  return found.outcome === 'match' ? found.property_id : found.outcome;
}

describe('the records of every place', options, () => {
  test('resolve to themselves as they are written', async () => {
    const sample = all.filter((_, index) => index % 800 === 0);
    const { asked, itself, shared, failures } = await askRoundTrip(store, sample);
    assert.ok(asked > 500);
    assert.deepEqual(failures, []);
    assert.ok(itself > 0.95 * asked, `${itself} of ${asked}, ${shared} shared`);
  });

  test('resolve with the suffixes of their own source', async () => {
    for (const suffix of ['TR', 'PK', 'CR', 'WA']) {
      const own = all.filter(({ line1, suffixes }) => suffixes?.[suffix] && line1.endsWith(` ${suffix}`));
      const { failures } = await askRoundTrip(
        store,
        own.filter((_, index) => index % 20 === 0),
      );
      assert.ok(own.length > 50, `${own.length} with ${suffix}`);
      assert.deepEqual(failures, []);
    }
  });

  test('written in ways nobody tuned for: none wrong, no absent one found, every ambiguous one seen', async () => {
    const cases = buildCases(all, expected, { perType: 6, seed: 4711, corruptions: HELD_OUT });
    const positives = cases.filter(({ kind }) => kind === 'positive');
    let right = 0;
    for (const { kind, type, text, propertyId } of cases) {
      const got = await answer(text);
      if (kind === 'positive') {
        assert.ok(got === propertyId || got === 'ambiguous' || got === 'not_resolved', `${type}: ${text} → ${got}`);
        if (got === propertyId) right++;
      } else if (kind === 'ambiguous') assert.equal(got, 'ambiguous', `${type}: ${text}`);
      else assert.ok(got === 'ambiguous' || got === 'not_resolved', `${type}: ${text} → ${got}`);
    }
    assert.ok(right >= 0.97 * positives.length, `${right} of ${positives.length}`);
  });

  test('in Queens resolve under their postal city, without a ZIP', async () => {
    const names: Record<string, string> = {
      11102: 'Astoria', 11101: 'Long Island City', 11104: 'Sunnyside', 11354: 'Flushing', 11355: 'Flushing', 11361: 'Bayside',
      11364: 'Oakland Gardens', 11368: 'Corona', 11372: 'Jackson Heights', 11373: 'Elmhurst', 11374: 'Rego Park', 11375: 'Forest Hills',
      11377: 'Woodside', 11378: 'Maspeth', 11385: 'Ridgewood', 11432: 'Jamaica', 11691: 'Far Rockaway', 11412: 'Saint Albans',
    }; // prettier-ignore
    for (const [zip, city] of Object.entries(names)) {
      const homes = all.filter((situs) => situs.zip === zip && situs.unit === '' && situs.parts).slice(0, 10);
      const answers = [];
      for (const { line1, propertyId } of homes) {
        const got = await answer(`${line1}, ${city}, NY`);
        assert.ok(got === propertyId || got === 'ambiguous' || got === 'not_resolved', `${line1}, ${city} → ${got}`);
        answers.push(got === propertyId);
      }
      assert.ok(answers.filter(Boolean).length >= 0.7 * homes.length && homes.length > 0, `${city}: ${answers}`);
    }
  });

  test('in another script are not guessed at', async () => {
    for (const situs of all.filter(({ city }) => city === 'QUEENS').slice(0, 20)) {
      const found = await resolve(store, `${formatLine(situs)} 플러싱`);
      assert.equal(found.outcome === 'not_resolved' && found.reason, 'not_latin');
    }
  });
});
