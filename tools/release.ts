// `platbook release`: records the migrations of this version in db/releases/<version>.json. From then on they may not
// change, and a test holds every later version to that.
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../src/base/db/migrate.ts';
import { VERSION } from '../src/base/version.ts';

const file = fileURLToPath(new URL(`../db/releases/${VERSION}.json`, import.meta.url));
if (existsSync(file)) {
  console.error(`${VERSION} has been released already. Raise "version" in package.json first.`);
  process.exitCode = 1;
} else {
  const migrations = (['control', 'data'] as const).flatMap((plane) =>
    readMigrations(plane).map(({ name, sha256 }) => [`${plane}/${name}`, sha256]),
  );
  writeFileSync(file, `${JSON.stringify({ version: VERSION, migrations: Object.fromEntries(migrations) }, null, 2)}\n`);
  console.log(`Recorded ${migrations.length} migrations of ${VERSION}. Commit db/releases/${VERSION}.json.`);
}
