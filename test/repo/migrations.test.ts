// Migrations: those of a released version never change, and later ones let the version before keep serving.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWithoutTransaction, readMigrations, splitStatements } from '../../src/base/db/migrate.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const releases = globSync('db/releases/*.json', { cwd: ROOT })
  .map((file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')))
  .map((release) => release as { version: string; migrations: Record<string, string> });
const present = (['control', 'data'] as const).flatMap((plane) =>
  readMigrations(plane).map((migration) => ({ ...migration, plane, path: `${plane}/${migration.name}` })),
);
const isReleased = (path: string) => releases.some(({ migrations }) => path in migrations);
const fresh = present.filter(({ path }) => !isReleased(path));

/** Tables with a row per property, call or event: locking one for as long as an index takes stops the service. */
const LARGE = new Set(
  `properties property_claims property_keys changes addresses transactions assessments owners taxes permits code_violations
   tax_liens flood_stamps lineage usage_events request_log events webhook_deliveries webhook_attempts valuations batch_items
   audit_log watchlist_members`.split(/\s+/),
);

/** What takes away or renames something that the version before still uses, or rewrites or scans a table under a lock. */
const CONTRACTIONS: [pattern: RegExp, what: string][] = [
  [/\bdrop\s+(table|column|view|function|schema)\b/i, 'drops something'],
  [/\brename\b/i, 'renames something'],
  [/\balter\s+(column\s+)?\w+\s+set\s+not\s+null\b/i, 'requires a column that old processes may leave out'],
  [/\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i, 'changes a type'],
  [/\badd\s+column\b(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i, 'adds a required column without a default'],
  [/(^|;)\s*truncate\b/im, 'empties a table'],
];

/** `-- since 1.4.0 nothing reads accounts.nickname` above a statement says that no running process needs it any more. */
const EXCUSE = /^--\s*since\s+(\d+\.\d+\.\d+)\s+nothing\s+\w+/im;

export function findProblems(text: string): string[] {
  const created = new Set(
    [...text.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(([, name]) => name),
  );
  const excuse = EXCUSE.exec(text)?.[1];
  const isExcused = excuse !== undefined && releases.some(({ version }) => version === excuse);
  return splitStatements(text).flatMap((statement) => {
    const table = /\b(?:alter\s+table|truncate)\s+(?:only\s+)?(\w+)/i.exec(statement)?.[1];
    const isOwn = table !== undefined && created.has(table);
    const body = /^create\s+(or\s+replace\s+)?function\b/i.test(statement) ? '' : statement;
    const taken =
      isOwn || isExcused ? [] : CONTRACTIONS.filter(([pattern]) => pattern.test(body)).map(([, what]) => what);
    const index = /^create\s+(?:unique\s+)?index\s+(concurrently\s+if\s+not\s+exists\s+)?\w+\s+on\s+(\w+)/i.exec(
      statement,
    );
    const isBlocking = index !== null && !index[1] && LARGE.has(index[2]) && !created.has(index[2]);
    const isMisplaced = index?.[1] !== undefined && !isWithoutTransaction({ text });
    return [
      ...taken,
      ...(isBlocking ? [`locks ${index[2]}: create the index concurrently if not exists`] : []),
      ...(isMisplaced ? ['needs `-- no transaction` on the first line'] : []),
    ];
  });
}

describe('released migrations', () => {
  it('are there with the text they were released with', () => {
    assert.ok(releases.length > 0);
    const texts = new Map(present.map(({ path, sha256 }) => [path, sha256]));
    for (const { version, migrations } of releases) {
      for (const [path, sha256] of Object.entries(migrations))
        assert.equal(texts.get(path), sha256, `db/migrations/${path} of ${version} was changed or is missing`);
    }
  });

  it('come before every later one, so that a new and an upgraded database are the same', () => {
    for (const plane of ['control', 'data']) {
      const names = present.filter((migration) => migration.plane === plane).map(({ path }) => path);
      const last = names.findLastIndex(isReleased);
      assert.deepEqual(
        names.slice(0, last + 1).filter((path) => !isReleased(path)),
        [],
      );
    }
  });
});

describe('migrations since the last release', () => {
  it('leave what the version before needs, and lock no large table', () => {
    for (const { path, text } of fresh) assert.deepEqual(findProblems(text), [], path);
  });

  it('are found out otherwise', () => {
    const bad = [
      'alter table accounts drop column name;',
      'drop table sessions;',
      'alter table accounts rename column name to title;',
      'alter table accounts alter column contract set not null;',
      'alter table accounts alter column name type varchar;',
      'alter table accounts add column color text not null;',
      'create index changes_kind on changes (kind);',
      'create index concurrently if not exists changes_kind on changes (kind);',
      '-- since 99.0.0 nothing reads accounts.name\nalter table accounts drop column name;',
    ];
    for (const text of bad) assert.notDeepEqual(findProblems(text), [], text);
    const good = [
      "alter table accounts add column color text not null default 'red', add column note text;",
      'create table notes (id text primary key);\ncreate index notes_id on notes (id);\nalter table notes alter column id set not null;',
      '-- no transaction\ncreate index concurrently if not exists changes_kind on changes (kind);',
      `-- since ${releases[0].version} nothing reads accounts.name\nalter table accounts drop column name;`,
    ];
    for (const text of good) assert.deepEqual(findProblems(text), [], text);
  });
});
