// `platbook endpoints`: writes the list of every route into docs/internals/routes.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { collectRoutes, formatRouteLines, type RouteLine } from './route-list.ts';
import { withApp } from './with-app.ts';

const FILE = fileURLToPath(new URL('../docs/internals/routes.md', import.meta.url));
const BLOCK = /(<!-- routes -->\n```\n)[^]*?(\n```\n<!-- end of routes -->)/;

/** The document with its list of routes made anew. */
export function withRoutes(document: string, routes: RouteLine[]): string {
  return document.replace(BLOCK, (_block, head: string, tail: string) => head + formatRouteLines(routes) + tail);
}

if (import.meta.main) {
  const { routes, beforeRoutes } = collectRoutes();
  await withApp(() => writeFileSync(FILE, withRoutes(readFileSync(FILE, 'utf8'), routes)), { beforeRoutes });
}
