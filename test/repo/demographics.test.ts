// No model may read who lives around a home. test/api/quality.test.ts changes every tract and expects the same bytes.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { noAttributes } from '../../src/insight/avm/attributes.ts';
import { isDemographic } from '../../src/insight/valuations/demographics.ts';
import { categoryFeatures, numberFeatures } from '../../src/insight/avm/features.ts';
import { TARGETS } from '../../src/supply/ingest/map/targets.ts';
import { attributesOf } from '../../src/insight/valuations/records.ts';
import type { AttributeRow } from '../../src/insight/valuations/sql.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const FIGURES = TARGETS.census_tracts.columns.filter((name) => !['geoid', 'vintage'].includes(name));
const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe('demographics', () => {
  it('are no feature and no attribute of the model', () => {
    const names = [...numberFeatures, ...categoryFeatures, ...Object.keys(noAttributes)];
    assert.deepEqual(
      names.filter((name) => isDemographic(name) || FIGURES.includes(name) || FIGURES.map(camel).includes(name)),
      [],
    );
    assert.ok(FIGURES.includes('hispanic_share') && FIGURES.includes('median_household_income'));
  });

  it('are not named where models are made and applied', () => {
    const files = globSync('src/insight/{avm,training}/**/*.ts', { cwd: ROOT });
    assert.ok(files.length > 40);
    const words = FIGURES.flatMap((name) => [name, camel(name)]);
    const wrong = files.filter((file) => words.some((word) => new RegExp(`\\b${word}\\b`).test(read(file))));
    assert.deepEqual(wrong, []);
  });

  it('are not in the query that reads homes and sales', () => {
    const sql = read('src/insight/valuations/sql.ts');
    const start = sql.indexOf('const ATTRIBUTES');
    const queries = sql.slice(start, sql.indexOf('export type NewValue'));
    assert.ok(queries.includes('from properties p') && !queries.includes('census_tracts'));
  });

  it('are dropped where a source brings them as extras', () => {
    const extras = { waterfront: 1, medianIncome: 50_000, pct_hispanic: 0.4, 'Black share': 0.2, whitewashed: 1 };
    const { extras: kept } = attributesOf({ extras } as unknown as AttributeRow);
    assert.deepEqual(kept, { waterfront: 1, whitewashed: 1 });
  });

  it('are in no extras of our own recipes', () => {
    for (const file of globSync('sources/**/*.yaml', { cwd: ROOT })) {
      const blocks = [...read(file).matchAll(/^( *)extras:\n((?:\1 +.*\n)+)/gm)];
      const names = blocks.flatMap(([, , block]) => [...block.matchAll(/^ *([a-z_]+):/gm)].map(([, name]) => name));
      assert.deepEqual(names.filter(isDemographic), [], file);
    }
  });
});
