// Lists every route as it is registered, with its scope, its meter and the file that handles it.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '../src/base/http/types.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface RouteLine {
  method: string;
  path: string;
  scope: string;
  meter: string;
  file: string;
}

/** `beforeRoutes` is for `buildApp`, which fills `routes`. */
export function collectRoutes(): { routes: RouteLine[]; beforeRoutes(app: App): void } {
  const routes: RouteLine[] = [];
  const beforeRoutes = (app: App) => {
    app.addHook('onRoute', ({ method, url, config }) => {
      // Fastify adds a HEAD route to every GET route.
      if (method === 'HEAD') return;
      const line = { path: url, scope: config?.scope ?? '-', meter: config?.meter ?? '-', file: registeringFile() };
      for (const each of [method].flat()) routes.push({ method: each, ...line });
    });
  };
  return { routes, beforeRoutes };
}

/** Fastify runs the hook while the route is being registered, so the stack leads to the file that does it. */
function registeringFile(): string {
  const frames = new Error().stack?.split('\n') ?? [];
  const urls = frames.flatMap((frame) => /\(?(file:\/\/[^)\s]+?):\d+:\d+\)?$/.exec(frame)?.[1] ?? []);
  const files = urls.map((url) => relative(ROOT, fileURLToPath(url)));
  return files.find((file) => file.startsWith('src/')) ?? 'unknown';
}

/** One block per file, in the order of app.ts; columns are aligned, so that it reads in a terminal. */
export function formatRouteLines(lines: RouteLine[]): string {
  const width = (of: (line: RouteLine) => string) => Math.max(...lines.map((line) => of(line).length));
  const [method, path, scope] = [width((line) => line.method), width((line) => line.path), width((line) => line.scope)];
  const blocks = [...Map.groupBy(lines, ({ file }) => file)].map(([file, group]) =>
    [
      file,
      ...group.map((line) =>
        `  ${line.method.padEnd(method)} ${line.path.padEnd(path)} ${line.scope.padEnd(scope)} ${line.meter}`.trimEnd(),
      ),
    ].join('\n'),
  );
  return blocks.join('\n');
}
