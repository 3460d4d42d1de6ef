// The public status page, and the same as JSON. Read from the database at most every few seconds.
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { presentStatus } from '../status/present.ts';
import { readStatus, type StatusReport } from '../status/status.ts';
import { PAGE_POLICY } from './layout.ts';
import { renderStatus } from './status-page.ts';

const FRESH_MS = 10_000;
const CACHE = 'public, max-age=30';

export function statusRoutes(app: App, deps: Deps): void {
  const config = { isHidden: true };
  let held: { readAt: number; report: Promise<StatusReport> } | undefined;
  const read = () => {
    if (held && performance.now() - held.readAt < FRESH_MS) return held.report;
    const fresh = { readAt: performance.now(), report: readStatus(deps) };
    held = fresh;
    fresh.report.catch(() => {
      if (held === fresh) held = undefined;
    });
    return fresh.report;
  };

  app.get('/status', { config }, async (_request, reply) => {
    const page = renderStatus(await read());
    return reply
      .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': CACHE })
      .type('text/html; charset=utf-8')
      .send(page);
  });
  app.get('/status.json', { config }, async (_request, reply) =>
    reply.headers({ 'cache-control': CACHE, 'access-control-allow-origin': '*' }).send(presentStatus(await read())),
  );
}
