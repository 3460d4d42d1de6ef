// `platbook openapi`: writes openapi.json, what is generated from it (the SDK's types and declarations, and the Postman
// collection), and the schema of recipes.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateOperations, generateTypes } from '../sdk/generate.ts';
import { makePostman } from '../sdk/postman.ts';
import { RECIPE_SCHEMA } from '../src/supply/ingest/recipes.ts';
import { withApp } from './with-app.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The SDK's declarations for `GET /sdk.tgz`, because a server has no compiler; types.ts is its own declaration. */
const DECLARATIONS = ['-p', '.', '--emitDeclarationOnly', '--outDir', 'declarations'];

/** The one in the repository is of no server in particular. */
const PUBLIC_SERVER = {
  servers: [{ url: 'https://api.platbook.example', description: 'Production', 'x-internal': false }],
};

export function formatOpenApi(document: object): string {
  return formatJson('servers' in document ? { ...document, ...PUBLIC_SERVER } : document);
}

const formatJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

if (import.meta.main) {
  await withApp(async ({ openApi }) => {
    const document = openApi();
    writeFileSync(inRepository('openapi.json'), formatOpenApi(document));
    writeFileSync(inRepository('docs/site/recipe.schema.json'), formatOpenApi(RECIPE_SCHEMA));
    writeFileSync(inRepository('sdk/src/types.ts'), generateTypes(document));
    writeFileSync(inRepository('sdk/src/operations.ts'), generateOperations(document));
    execFileSync(inRepository('node_modules/.bin/tsc'), DECLARATIONS, { cwd: inRepository('sdk') });
    rmSync(inRepository('sdk/declarations/types.d.ts'));
    writeFileSync(inRepository('docs/site/postman.json'), `${JSON.stringify(await makePostman(document), null, 1)}\n`);
  });
}
