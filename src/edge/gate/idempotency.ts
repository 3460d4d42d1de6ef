// `Idempotency-Key` on every POST: the first request with a key claims it and its answer is stored for a day; a retry
// gets that answer and is not charged. Successes and permanent errors are stored. A request that failed on our side,
// was invalid, or hit a temporary limit or state had no effect, so its key is released.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { openJson, sealJson } from '../../base/lib/sealed-json.ts';
import { text } from '../../base/lib/schema.ts';
import * as sql from './sql.ts';

const KEPT_MS = 24 * 3_600_000;
/** Longer than any POST takes. An older claim was lost with its process, and the next retry takes it over. */
const CLAIM_MS = 120_000;
const RETRY_AFTER_SECONDS = 2;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const KEPT_HEADERS = ['content-type', 'location'];
const OF_THE_MOMENT = new Set([400, 402, 409, 429]);

const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    text(255, {
      minLength: 1,
      description:
        'Any text of yours that is new for each request, such as a UUID. Repeating a request with its key within 24 hours ' +
        'returns the first answer, with `idempotency-replayed: true`, and does and charges nothing.',
    }),
  ),
});

interface Answer {
  headers: Record<string, string>;
  body: string;
}

interface Claim {
  holder: sql.KeyHolder;
  claimedUntil: Date;
}

/** The owner of a key and the caller's scopes: an answer is not replayed to a caller with fewer scopes. */
type OwnerOf = (request: FastifyRequest) => (Omit<sql.KeyHolder, 'key'> & { rights: readonly string[] }) | undefined;

type IdempotencyDeps = Pick<Deps, 'control' | 'clock' | 'secrets' | 'log'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** An earlier request with the same key: this one is answered from it, or rejected. */
    earlier?: sql.KeptRequest;
    /** Determines the id of the created resource. Stable across retries after a crash. */
    claimId?: string;
    claim?: Claim;
  }
}

/** Runs before the limits: a retry uses no allowance, which the first request may have used up. */
export function findEarlierAnswers(app: App, deps: IdempotencyDeps, ownerOf: OwnerOf): void {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || !route.schema) return;
    route.schema.headers = IdempotencyHeader;
    const errors = ['idempotency_mismatch', 'idempotency_in_progress', 'answer_not_kept'] as const;
    route.config = { ...route.config, errors: [...(route.config?.errors ?? []), ...errors] };
  });
  app.addHook('onRequest', async (request) => {
    const holder = holderOf(request, ownerOf);
    const earlier = holder && (await sql.findKept(deps.control, holder, keptSince(deps)));
    // An expired claim is taken over by a request that has passed the limits.
    if (earlier && (earlier.status !== null || earlier.claimed_until >= deps.clock())) request.earlier = earlier;
  });
}

/** Runs after all other checks, right before execution. */
export function keepAnswers(app: App, deps: IdempotencyDeps, ownerOf: OwnerOf): void {
  app.addHook('preHandler', async (request, reply) => {
    const holder = holderOf(request, ownerOf);
    if (!holder) return;
    const digest = digestOf(request, ownerOf(request)!.rights);
    request.earlier ??= await claim(request, holder, digest);
    if (request.earlier) return repeat(request, reply, request.earlier, digest);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.claim) return payload;
    const { claim } = request;
    request.claim = undefined;
    return keep(claim, reply, payload).catch((error: Error) => {
      // The work is done and its answer is sent; a retry waits until the claim expires.
      deps.log.warn({ err: error }, 'could not keep the answer to a request with an idempotency key');
      return payload;
    });
  });

  async function claim(
    request: FastifyRequest,
    holder: sql.KeyHolder,
    digest: Buffer,
  ): Promise<sql.KeptRequest | undefined> {
    const now = deps.clock();
    const claimedUntil = new Date(now.getTime() + CLAIM_MS);
    const claimId = randomId('claim');
    const terms = { digest, claimId, claimedUntil, now, keptSince: keptSince(deps) };
    request.claimId = await sql.claimKey(deps.control, holder, terms);
    if (request.claimId !== undefined) {
      request.claim = { holder, claimedUntil };
      return undefined;
    }
    // Released between the two statements: treat the other request as still in progress.
    return (await sql.findKept(deps.control, holder, keptSince(deps))) ?? inProgress();
  }

  async function repeat(request: FastifyRequest, reply: FastifyReply, earlier: sql.KeptRequest, digest: Buffer) {
    if (!earlier.digest.equals(digest))
      fail(
        'idempotency_mismatch',
        'This Idempotency-Key was already used for a different request. Use a new key for each new request.',
      );
    if (earlier.status === null) inProgress();
    if (earlier.answer === null)
      fail(
        'answer_not_kept',
        'The request with this Idempotency-Key was carried out, but its answer was too large to keep.',
      );
    const { headers, body } = await openJson<Answer>(deps.secrets, 'kept-answers', earlier.answer);
    request.usageUnits = 0;
    reply.headers({ ...headers, 'idempotency-replayed': 'true' });
    return reply.code(earlier.status).send(body);
  }

  async function keep({ holder, claimedUntil }: Claim, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const status = reply.statusCode;
    const isFinal = status < 500 && !OF_THE_MOMENT.has(status) && !reply.hasHeader('set-cookie');
    if (!isFinal) {
      // After a failure on our side the claim expires but is kept, so a retry finds what was already created.
      if (status >= 500) await sql.endClaim(deps.control, holder, claimedUntil);
      else await sql.releaseKey(deps.control, holder, claimedUntil);
      return payload;
    }
    // Every POST answer is text, sometimes as bytes.
    const body = Buffer.isBuffer(payload) ? payload.toString() : (payload ?? '');
    const isSmall = typeof body === 'string' && Buffer.byteLength(body) <= MAX_ANSWER_BYTES;
    const answer = isSmall ? await seal(reply, body) : null;
    await sql.keepAnswer(deps.control, holder, { claimedUntil, status, answer });
    return payload;
  }

  async function seal(reply: FastifyReply, body: string): Promise<Buffer> {
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
    );
    return sealJson(deps.secrets, 'kept-answers', { headers, body } satisfies Answer);
  }
}

export async function forgetOldAnswers(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  await sql.deleteKeptBefore(deps.control, keptSince(deps));
}

/** Keys of API keys belong to the account, one set for the sandbox and one for live data. Guests have none. */
export const ownerByCaller: OwnerOf = ({ caller }) =>
  caller && !caller.isGuest
    ? { accountId: caller.account.id, mode: caller.key.mode, rights: caller.key.scopes }
    : undefined;

/** In the dashboard, a key belongs to the person. */
export const ownerBySession: OwnerOf = ({ signedIn }) =>
  signedIn && { accountId: signedIn.account.id, mode: 'session', rights: [signedIn.user.id, signedIn.role] };

const keptSince = (deps: Pick<Deps, 'clock'>): Date => new Date(deps.clock().getTime() - KEPT_MS);

function holderOf(request: FastifyRequest, ownerOf: OwnerOf): sql.KeyHolder | undefined {
  const key = request.headers['idempotency-key'];
  // The route's schema checks the length later.
  if (request.method !== 'POST' || typeof key !== 'string' || key === '' || key.length > 255) return undefined;
  const owner = ownerOf(request);
  return owner && { accountId: owner.accountId, mode: owner.mode, key };
}

function digestOf({ url, body }: FastifyRequest, rights: readonly string[]): Buffer {
  const hash = createHash('sha256').update(JSON.stringify([url, rights.toSorted()]));
  return hash.update(Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? '')).digest();
}

function inProgress(): never {
  return fail('idempotency_in_progress', 'The first request with this Idempotency-Key is still being processed.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
