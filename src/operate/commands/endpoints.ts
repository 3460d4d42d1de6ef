// `platbook endpoints`: writes the list of every route into docs/internals/routes.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../../app.ts';
import type { Config } from '../../base/config.ts';
import { formatRouteLines, type RouteLine } from '../../base/http/route-list.ts';
import { open } from '../open.ts';

const FILE = fileURLToPath(new URL('../../../docs/internals/routes.md', import.meta.url));
const BLOCK = /(<!-- routes -->\n```\n)[^]*?(\n```\n<!-- end of routes -->)/;

export async function runEndpoints(config: Config): Promise<void> {
  const { deps, close } = await open(config);
  const { app, routes } = await buildApp(deps);
  writeFileSync(FILE, withRoutes(readFileSync(FILE, 'utf8'), routes));
  await app.close();
  await close();
}

/** The document with its list of routes made anew. */
export function withRoutes(document: string, routes: RouteLine[]): string {
  return document.replace(BLOCK, (_block, head: string, tail: string) => head + formatRouteLines(routes) + tail);
}
