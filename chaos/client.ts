// A caller that survives whatever happens to the service, and writes down what it saw.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from './fleet.ts';
import type { Ground } from './ground.ts';
import { count, type Call, type Ledger } from './ledger.ts';
import type { Random } from './random.ts';

const GIVE_UP_MS = 30_000;
const PAUSE_MS = 250;

export interface Client {
  /** One call to any of the processes. Its fate goes to the ledger. */
  call(method: 'GET' | 'POST', path: string, options?: CallOptions): Promise<Call>;
  /** Repeats a call that may safely be repeated until it is answered with a 2xx. */
  insist(method: 'GET' | 'POST', path: string, options?: CallOptions): Promise<Call>;
}

interface CallOptions {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
}

export function createClient(
  { apis, ground }: { apis: Member[]; ground: Pick<Ground, 'presents'> },
  key: string,
  ledger: Ledger,
  random: Random,
): Client {
  async function call(method: 'GET' | 'POST', path: string, options: CallOptions = {}): Promise<Call> {
    const id = `chaos_${randomBytes(12).toString('hex')}`;
    const { url } = random.pick(apis);
    const [from, to] = ground.presents();
    const nothing = { fate: 'unknown', status: undefined, meter: 'none', units: 0, body: undefined } as const;
    const made: Call = { id, path, ...nothing, span: [from, to] };
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          'x-api-key': options.key ?? key,
          'x-request-id': id,
          ...(options.body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      made.status = response.status;
      const text = await response.text();
      made.body = text ? JSON.parse(text) : undefined;
      made.fate = response.ok ? 'answered' : 'refused';
      made.meter = response.headers.get('x-usage-meter') ?? 'none';
      made.units = Number(response.headers.get('x-usage-units') ?? 0);
    } catch {
      made.fate = 'unknown';
    }
    const [earliest, latest] = ground.presents();
    made.span = [Math.min(from, earliest), Math.max(to, latest)];
    const code = made.fate === 'refused' ? ` ${made.body?.code ?? made.body?.error?.code ?? ''}` : '';
    count(ledger.statuses, made.fate === 'unknown' ? 'no answer' : `${made.status}${code}`);
    if (made.status === 500) ledger.wrong.push(`${method} ${path} was answered with 500: ${JSON.stringify(made.body)}`);
    ledger.calls.set(id, { ...made, body: undefined });
    return made;
  }

  return {
    call,
    async insist(method, path, options) {
      for (;;) {
        const made = await call(method, path, options);
        if (made.fate === 'answered') return made;
        const isHopeless = made.fate === 'refused' && made.status! < 500 && made.status !== 429 && made.status !== 409;
        if (isHopeless) throw new Error(`${method} ${path}: ${made.status} ${JSON.stringify(made.body)}`);
        await sleep(PAUSE_MS);
      }
    },
  };
}
