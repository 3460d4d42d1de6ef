// Requests and responses in full for the dashboard's log: kept for a day, encrypted, without secrets, and in
// live mode without the names of people.
import type { Static } from 'typebox';
import { createTurns } from '../../base/lib/turns.ts';
import type { KeyMode } from '../accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { openJson, sealJson } from '../../base/lib/sealed-json.ts';
import * as sql from './details-sql.ts';
import type { RequestExchange } from './schema.ts';

/** As long as answers to repeated requests are kept. */
const KEPT_MS = 24 * 3_600_000;
/** As many as a person can read; the log itself lists every request. */
const MOST_PER_ACCOUNT = 500;
const MOST_PER_SECOND = 5;
/** Of all accounts, in a process: 64 kB each. */
const MOST_WAITING = 256;
export const MAX_BODY_BYTES = 32 * 1024;

interface Exchange {
  accountId: string;
  requestId: string;
  mode: KeyMode;
  at: Date;
  url: string;
  requestHeaders: Record<string, string>;
  body: unknown;
  responseHeaders: Record<string, string>;
  /** Undefined for what is not text, such as a tile or a file. */
  answer: string | undefined;
  answerBytes: number | null;
}

type Detail = Static<typeof RequestExchange>;

export interface RequestDetails {
  /** Keeps it in the background; a burst is kept in part, and the rest is not even described. */
  keep(accountId: string, describe: () => Exchange): void;
  settle(): Promise<void>;
}

type DetailDeps = Pick<Deps, 'control' | 'clock' | 'secrets' | 'log'>;

export function createRequestDetails(deps: DetailDeps): RequestDetails {
  const taken = new Map<string, number>();
  let second = 0;
  let waiting = 0;
  const inTurn = createTurns();

  function isWithinBudget(accountId: string): boolean {
    const now = Math.floor(deps.clock().getTime() / 1000);
    if (now !== second) taken.clear();
    second = now;
    const before = taken.get(accountId) ?? 0;
    taken.set(accountId, before + 1);
    return before < MOST_PER_SECOND;
  }

  return {
    keep(accountId, describe) {
      if (waiting >= MOST_WAITING || !isWithinBudget(accountId)) return;
      const exchange = describe();
      waiting += 1;
      void inTurn(() => store(deps, exchange))
        .catch((error: Error) => deps.log.warn({ err: error }, 'could not keep the details of a request'))
        .finally(() => (waiting -= 1));
    },
    settle: () => inTurn(async () => {}),
  };
}

async function store(deps: DetailDeps, exchange: Exchange): Promise<void> {
  const { accountId, requestId, mode, at } = exchange;
  const sealed = await sealJson(deps.secrets, 'request-details', detailOf(exchange));
  await sql.insertDetail(deps.control, { accountId, requestId, mode, at, sealed });
}

export const detailOf = ({ url, mode, body, answer, ...exchange }: Exchange): Detail => ({
  url: redactQuery(url, mode),
  request_headers: exchange.requestHeaders,
  request_body: textOf(body, mode),
  response_headers: exchange.responseHeaders,
  response_body: textOf(answer, mode),
  response_bytes: exchange.answerBytes,
});

export async function readDetail(
  deps: DetailDeps,
  request: { accountId: string; requestId: string; mode: KeyMode },
): Promise<Detail | undefined> {
  const sealed = await sql.findDetail(deps.control, request, new Date(deps.clock().getTime() - KEPT_MS));
  return sealed && openJson<Detail>(deps.secrets, 'request-details', sealed);
}

export async function forgetOldDetails(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  const before = new Date(deps.clock().getTime() - KEPT_MS);
  await sql.deleteDetails(deps.control, { before, mostPerAccount: MOST_PER_ACCOUNT });
}

const SECRET = /secret|token|password|api_key|authorization|signature|access_key/i;
/** Members that name people, in any route; the sandbox's people are invented. */
const PERSONAL = /^(owners?|owner_name|buyers?|sellers?|grantors?|grantees?|borrowers?|parties|mailing_address)$/;
const HIDDEN = '[not kept]';

const isHidden = (name: string, mode: KeyMode): boolean =>
  SECRET.test(name) || (mode === 'live' && PERSONAL.test(name));

/** Such a URL grants access by itself, without a key. */
const isSignedUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:.*[?&](x-amz-signature|signature|token|sig)=/i.test(value);

function redactQuery(url: string, mode: KeyMode): string {
  const [path, query] = url.split('?', 2);
  if (query === undefined) return path;
  const parts = query.split('&').map((part) => {
    const [name] = part.split('=', 1);
    return isHidden(decodeURIComponent(name), mode) ? `${name}=${encodeURIComponent(HIDDEN)}` : part;
  });
  return `${path}?${parts.join('&')}`;
}

/** The JSON with secrets and people removed; null if it is too long, or not JSON and so cannot be redacted. */
function textOf(body: unknown, mode: KeyMode): string | null {
  if (body === undefined || body === null) return null;
  try {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const value = isText ? (JSON.parse(body.toString()) as unknown) : body;
    const text = JSON.stringify(value, (name, member: unknown) =>
      member && (isHidden(name, mode) || isSignedUrl(member)) ? HIDDEN : member,
    );
    return Buffer.byteLength(text) > MAX_BODY_BYTES ? null : text;
  } catch {
    return null;
  }
}
