// Dependencies on one database for both planes, without replica, log or telemetry, where no process is started for them.
import type { Pool } from '../src/db/postgres.ts';
import type { Config } from '../src/config.ts';
import type { Deps } from '../src/deps.ts';
import { systemClock } from '../src/lib/clock.ts';
import { deriveSecrets } from '../src/lib/secrets.ts';
import { createLog } from '../src/log.ts';
import { createDeps } from '../src/open.ts';
import { NO_TELEMETRY } from '../src/telemetry/telemetry.ts';

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
