// Minimal deps on one database for both planes, without replica, log or telemetry.
import type { Pool } from '../src/base/db/postgres.ts';
import type { Config } from '../src/base/config.ts';
import type { Deps } from '../src/base/deps.ts';
import { systemClock } from '../src/base/lib/clock.ts';
import { deriveSecrets } from '../src/base/lib/secrets.ts';
import { createLog } from '../src/base/log.ts';
import { createDeps } from '../src/operate/open.ts';
import { NO_TELEMETRY } from '../src/base/telemetry/telemetry.ts';

export function createPlainDeps(config: Config, url: string, { data, control }: { data: Pool; control: Pool }): Deps {
  return createDeps({
    config,
    data,
    dataReplica: data,
    control,
    controlUrl: url,
    dataUrl: url,
    clock: systemClock,
    secrets: deriveSecrets(config.secret!),
    log: createLog('silent'),
    telemetry: NO_TELEMETRY,
  });
}
