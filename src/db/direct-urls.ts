// Where the planes are reached with a session of one's own, past any pooler.
import type { Config } from '../config.ts';
import type { Plane } from './postgres.ts';

export function directUrls(config: Config, embeddedUrl: string | undefined): Record<Plane, string> {
  const control = config.directUrl ?? config.databaseUrl ?? embeddedUrl!;
  return { control, data: config.dataDirectUrl ?? config.dataDatabaseUrl ?? control };
}
