// The service reduced to what is tested: real keys, limits, metering and journal around routes that do nothing. Started
// several times by metering-crash.test.ts, and killed.
import Fastify from 'fastify';
import { readConfig } from '../../src/base/config.ts';
import { openPool } from '../../src/base/db/postgres.ts';
import { createDeps } from '../../src/operate/open.ts';
import { decorateRequests } from '../../src/edge/gate/caller.ts';
import { createAuthenticator, requireKey } from '../../src/edge/gate/auth.ts';
import { registerErrors } from '../../src/base/http/errors.ts';
import { registerHeaders } from '../../src/base/http/headers.ts';
import { limitCalls } from '../../src/edge/gate/limits.ts';
import { meterCalls } from '../../src/edge/gate/metering.ts';
import type { App } from '../../src/base/http/types.ts';
import { fail } from '../../src/base/lib/errors.ts';
import { systemClock } from '../../src/base/lib/clock.ts';
import { deriveSecrets } from '../../src/base/lib/secrets.ts';
import { createLog } from '../../src/base/log.ts';
import { NO_TELEMETRY } from '../../src/base/telemetry/telemetry.ts';
import { createUsage } from '../../src/customers/usage/usage.ts';

const config = readConfig();
const control = openPool(config.databaseUrl!, 'control', { size: 4, statementTimeoutMs: 15_000 });
const deps = createDeps({
  config,
  control,
  data: control,
  dataReplica: control,
  controlUrl: config.databaseUrl!,
  dataUrl: config.databaseUrl!,
  clock: systemClock,
  secrets: deriveSecrets(config.secret!),
  log: createLog('error'),
  telemetry: NO_TELEMETRY,
});
const app: App = Fastify({ loggerInstance: deps.log }).withTypeProvider();
registerErrors(app);
registerHeaders(app);
decorateRequests(app);
const authenticator = createAuthenticator(deps);
const usage = createUsage(deps);
await app.register(async (scope) => {
  const keyed = scope as App;
  meterCalls(keyed, deps, usage);
  requireKey(keyed, authenticator, async () => undefined);
  limitCalls(keyed, deps, usage);
  keyed.get('/call', { config: { scope: 'properties:read', meter: 'standard' } }, async (request) => {
    if ((request.query as { fails?: string }).fails) fail('property_not_found', 'It fails, as asked.');
    return { object: 'answer' };
  });
});
await usage.start();
await authenticator.start();
await app.listen({ port: 0, host: '127.0.0.1' });
process.send!({ port: (app.server.address() as { port: number }).port });

process.on('message', async () => {
  await app.close();
  await authenticator.stop();
  await usage.stop();
  await control.end();
  process.exit(0);
});
