// Small commands for operators and maintainers: migrate, and the files that are made from the program itself.
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
  const document = openApi();
  writeFileSync(inRepository('openapi.json'), formatOpenApi(document));
  // What is made from the document goes with it; the generators need the development packages, which a server does without.
  const [{ generateTypes }, { makePostman }] = await Promise.all([
    import('../sdk/generate.ts'),
    import('../sdk/postman.ts'),
  ]);
  writeFileSync(inRepository('sdk/src/types.ts'), generateTypes(document));
  writeFileSync(inRepository('docs/site/postman.json'), `${JSON.stringify(await makePostman(document), null, 1)}\n`);
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
