// Probes the service twice a minute as a caller would: over HTTP at its public URL, with its own sandbox key.
import { createAccount, createKey } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { DEMO } from '../../supply/sandbox/fixtures.ts';
import type { Component } from './components.ts';
import * as sql from './sql.ts';

const EVERY_MS = 30_000;
const SCOPES = ['properties:read', 'avm:read'] as const;

interface Trial {
  component: Component;
  path: string;
  body?: object;
}

const TRIALS: Trial[] = [
  { component: 'api', path: '/api/v1/markets' },
  { component: 'search', path: '/api/v1/properties/search?state=ZZ&limit=1' },
  { component: 'valuations', path: '/api/v1/avm/estimate', body: { property: { id: DEMO.property_id } } },
  { component: 'dashboard', path: '/sign-in' },
];

type ProbeDeps = Pick<Deps, 'control' | 'clock' | 'secrets' | 'outcomes' | 'log'>;

interface ProbeOptions {
  url: string;
  /** Whether these queues are on time, which HTTP cannot show. */
  isInTime: (component: 'batches' | 'webhooks') => Promise<boolean>;
  withinMs?: number;
}

export async function tryAll(deps: ProbeDeps, { url, isInTime, withinMs = 10_000 }: ProbeOptions): Promise<void> {
  const key = await probeKey(deps).catch(() => undefined);
  const overHttp = TRIALS.map(async (trial) =>
    deps.outcomes.tried(trial.component, await isUp(url, trial, key, withinMs)),
  );
  const byQueue = (['batches', 'webhooks'] as const).map(async (component) =>
    deps.outcomes.tried(component, await isInTime(component).catch(() => false)),
  );
  await Promise.all([...overHttp, ...byQueue]);
}

/** Immediately and then every 30 seconds, so that every minute of a running worker is measured. */
export function startProbing(deps: ProbeDeps, options: ProbeOptions): { stop(): Promise<void> } {
  let trying: Promise<void> = Promise.resolve();
  const look = () => {
    trying = tryAll(deps, options).catch((error: Error) => deps.log.error({ err: error }, 'trying the service failed'));
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await trying;
    },
  };
}

async function isUp(url: string, { path, body }: Trial, key: string | undefined, withinMs: number): Promise<boolean> {
  try {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        'user-agent': 'Platbook-Status/1',
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Created once for the whole service; the key is stored encrypted. */
async function probeKey(deps: ProbeDeps): Promise<string> {
  const known = await sql.findProbeKey(deps.control);
  if (known) return deps.secrets.decrypt('stored-secrets', known);
  const account = await createAccount(deps.control, deps.clock(), 'Status page', 'trial', { anchorAt: null });
  const made = await createKey(deps, account.id, { name: 'Status page', mode: 'test', scopes: [...SCOPES] });
  await sql.insertProbe(deps.control, account.id, deps.secrets.encrypt('stored-secrets', made.secret));
  return probeKey(deps);
}
