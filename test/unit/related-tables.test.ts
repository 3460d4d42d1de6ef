// Tables of a publisher that are joined before they are read, whatever their size and order.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { joinRelated } from '../../src/supply/ingest/related.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import type { Recipe } from '../../src/supply/ingest/recipe/schema.ts';
import { compileRecipe } from '../../src/supply/ingest/recipe/compile.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-related-'));
const cache = join(folder, 'cache');
const COUNT = 2000;
const numbers = Array.from({ length: COUNT }, (_, n) => n);

const { datasets } = compileRecipe({
  id: 'joined-zy',
  counties: [{ fips: 99_801, name: 'Bench', state: 'ZY' }],
  datasets: {
    lots: {
      publisher: 'Nobody',
      license: 'CC0',
      published_on: '2026-01-01',
      format: { type: 'csv' },
      files: ['lots.csv'],
      related: [
        { file: 'papers.csv', key: 'PAPER', columns: { kind: { upper: 'KIND' } } },
        {
          file: 'parties.csv',
          key: 'NUMBER',
          on: 'PAPER',
          many: true,
          columns: { parties: { text: 'NAME' } },
        },
        {
          file: 'references.csv',
          key: 'NUMBER',
          on: 'PAPER',
          many: true,
          related: [{ file: 'papers.csv', key: 'PAPER', on: 'OTHER', columns: { its_kind: { text: 'KIND' } } }],
          columns: { others: { text: 'its_kind' } },
        },
      ],
      key: { parcel: { text: 'LOT' } },
      records: [{ into: 'properties', fields: { land_use: { text: 'kind' } } }],
    },
  },
} as unknown as Recipe);
const [lots] = datasets;

function writeTables(): void {
  const write = (name: string, lines: string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  write('lots.csv', ['LOT,PAPER', ...numbers.map((n) => `L${n},${n}`), 'cut-off', 'L-none,none']);
  write('papers.csv', ['PAPER,KIND', ...numbers.toReversed().map((n) => `${n},kind ${n % 7}`)]);
  write('parties.csv', [
    'NUMBER,NAME',
    ...numbers.flatMap((n) => [`${n},"A ""${n}"" | Co"`, `${n},B${n}`, `${n},B${n}`]),
    'broken',
  ]);
  write('references.csv', ['NUMBER,OTHER', ...numbers.map((n) => `${n},${(n + 1) % COUNT}`)]);
}

async function joined(partBytes?: number) {
  const notes: string[] = [];
  const place = { from: folder, cache, onNote: (text: string) => void notes.push(text) };
  const [file] = await joinRelated(lots, await fetchFiles(lots, lots.files, place), place, partBytes);
  const { header, rows } = await openTable(file.path, { ...lots.format, ...file.spec.format });
  const all: string[][] = [];
  for await (const batch of rows) all.push(...batch.map(({ cells }) => cells));
  return { header, rows: all.toSorted(), notes, sha256: file.sha256 };
}

describe('related tables', () => {
  it('add to each row what they say under its key, in one part or in many, and lose none', async () => {
    writeTables();
    const many = await joined(2_000);
    assert.deepEqual(many.header, ['LOT', 'PAPER', 'kind', 'parties', 'others']);
    assert.equal(many.rows.length, COUNT + 2);
    for (const n of numbers) {
      const row = many.rows.find(([lot]) => lot === `L${n}`);
      assert.deepEqual(row, [
        `L${n}`,
        String(n),
        `KIND ${n % 7}`,
        `A "${n}" / Co|B${n}`,
        `kind ${((n + 1) % COUNT) % 7}`,
      ]);
    }
    assert.deepEqual(
      many.rows.filter(([lot]) => !/^L\d/.test(lot)),
      [['L-none', 'none', '', '', ''], ['cut-off']],
    );
    assert.deepEqual(many.notes, ['parties.csv: 1 rows cannot be read and are left out']);
    const again = await joined(2_000);
    assert.deepEqual([again.notes, again.sha256], [[], many.sha256], 'joined anew, though nothing changed');
    assert.equal(
      readdirSync(cache).some((name) => !name.endsWith('.tsv')),
      false,
    );
    writeFileSync(join(folder, 'papers.csv'), 'PAPER,KIND\n7,other\n');
    const after = await joined();
    assert.notEqual(after.sha256, many.sha256);
    assert.deepEqual(after.rows.find(([lot]) => lot === 'L7')?.slice(2), ['OTHER', 'A "7" / Co|B7', '']);
  });
});
