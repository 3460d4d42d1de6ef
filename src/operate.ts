// Small commands for operators and maintainers: migrate, and the two files that are made from the program itself.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import type { Queryable } from './db/postgres.ts';
import { dumpSchema } from './db/schema-dump.ts';
import { open } from './open.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export async function migrateOnly(config: Config): Promise<void> {
  const { close } = await open(config);
  console.log('The database is at the newest schema.');
  await close();
}

export async function writeOpenApi(config: Config): Promise<void> {
  const { deps, close } = await open(config);
  const { app, openApi } = await buildApp(deps);
  await app.ready();
  writeFileSync(inRepository('openapi.json'), formatOpenApi(openApi()));
  await app.close();
  await close();
}

export function formatOpenApi(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

export async function writeSchema(config: Config): Promise<void> {
  const { deps, close } = await open(config);
  writeFileSync(inRepository('db/schema.sql'), await describeSchema(deps.data, deps.control));
  await close();
}

export async function describeSchema(data: Queryable, control: Queryable): Promise<string> {
  const head =
    '-- The schema that the migrations add up to. Made by `npx platbook schema`; a test holds it current.\n\n';
  return head + (await dumpSchema(data, 'data')) + '\n' + (await dumpSchema(control, 'control'));
}
