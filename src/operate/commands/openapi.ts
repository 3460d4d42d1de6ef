// `platbook openapi`: writes openapi.json, what is generated from it (the SDK's types and declarations, and the Postman
// collection), and the schema of recipes.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../../app.ts';
import type { Config } from '../../base/config.ts';
import { RECIPE_SCHEMA } from '../../supply/ingest/recipes.ts';
import { open } from '../open.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** What the compiler writes of the SDK for `GET /sdk.tgz`: a server has no compiler. */
export const DECLARATIONS = ['-p', '.', '--emitDeclarationOnly', '--outDir', 'declarations'];

export async function runOpenApi(config: Config): Promise<void> {
  const { deps, close } = await open(config);
  const { app, openApi } = await buildApp(deps);
  await app.ready();
  const document = openApi();
  writeFileSync(inRepository('openapi.json'), formatOpenApi(document));
  writeFileSync(inRepository('docs/site/recipe.schema.json'), formatOpenApi(RECIPE_SCHEMA));
  // The generators need development packages, which a server does without.
  const [{ generateTypes }, { makePostman }] = await Promise.all([
    import('../../../sdk/generate.ts'),
    import('../../../sdk/postman.ts'),
  ]);
  writeFileSync(inRepository('sdk/src/types.ts'), generateTypes(document));
  execFileSync(inRepository('node_modules/.bin/tsc'), DECLARATIONS, { cwd: inRepository('sdk') });
  writeFileSync(inRepository('docs/site/postman.json'), `${JSON.stringify(await makePostman(document), null, 1)}\n`);
  await app.close();
  await close();
}

export function formatOpenApi(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
