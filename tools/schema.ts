// `platbook schema`: writes db/schema.sql, the schema that all migrations add up to.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../src/base/config.ts';
import type { Queryable } from '../src/base/db/postgres.ts';
import { open } from '../src/operate/open.ts';
import { dumpSchema } from './schema-dump.ts';

const SCHEMA_FILE = fileURLToPath(new URL('../db/schema.sql', import.meta.url));

export async function describeSchema(data: Queryable, control: Queryable): Promise<string> {
  const head =
    '-- The schema that the migrations add up to. Made by `npx platbook schema`; a test holds it current.\n\n';
  return head + (await dumpSchema(data, 'data')) + '\n' + (await dumpSchema(control, 'control'));
}

if (import.meta.main) {
  const { deps, close } = await open(readConfig());
  writeFileSync(SCHEMA_FILE, await describeSchema(deps.data, deps.control));
  await close();
}
