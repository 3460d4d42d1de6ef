// The authorization server's rows in the control plane: found by the digest of an id, readable only with our secret.
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { openJson, sealJson } from '../../base/lib/sealed-json.ts';
import type { Secrets } from '../../base/lib/secrets.ts';
import * as sql from './sql.ts';

export type StoreDeps = Pick<Deps, 'control' | 'clock' | 'secrets'>;

/** Lifetime of a self-registered client without any consent. */
const UNCLAIMED_CLIENT_MS = DAY_MS;
/** Maximum number of such clients; beyond that the oldest are deleted. */
const MOST_UNCLAIMED_CLIENTS = 10_000;
/** A client outlives any grant made on its last day. */
const CLAIMED_CLIENT_MS = 365 * DAY_MS;

export const digestOf = (secrets: Secrets, model: string, id: string): Buffer =>
  secrets.sign('oauth', `${model}:${id}`);

/** One for each kind of row. */
export function createStore({ control, clock, secrets }: StoreDeps, model: string): Adapter {
  const digest = (id: string) => digestOf(secrets, model, id);
  const read = async (row: sql.RecordRow | undefined): Promise<AdapterPayload | undefined> =>
    row && {
      ...(await openJson<AdapterPayload>(secrets, 'oauth', row.payload)),
      ...(row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }),
    };
  return {
    async upsert(id, payload, expiresIn) {
      const now = clock();
      const lifeMs = expiresIn === undefined ? UNCLAIMED_CLIENT_MS : expiresIn * 1000;
      await sql.saveRecord(control, {
        model,
        digest: digest(id),
        grant_id: model === 'Grant' ? id : (payload.grantId ?? null),
        uid: payload.uid ?? null,
        payload: await sealJson(secrets, 'oauth', payload),
        created_at: now,
        consumed_at: null,
        expires_at: new Date(now.getTime() + lifeMs),
      });
      if (model !== 'Client') return;
      await sql.deleteClientsBeyond(control, new Date(now.getTime() + UNCLAIMED_CLIENT_MS), MOST_UNCLAIMED_CLIENTS);
    },
    find: async (id) => read(await sql.findRecord(control, model, digest(id), clock())),
    findByUid: async (uid) => read(await sql.findRecordByUid(control, model, uid, clock())),
    // Device codes are not offered.
    findByUserCode: async () => undefined,
    async consume(id) {
      if (await sql.consumeRecord(control, model, digest(id), clock())) return;
      throw new errors.InvalidGrant('already used');
    },
    destroy: async (id) => void (await sql.deleteRecord(control, model, digest(id))),
    revokeByGrantId: (grantId) => endGrant({ control, clock }, grantId),
  };
}

/** Revokes everything issued under a grant, once. */
export const endGrant = (
  { control, clock }: Pick<Deps, 'control' | 'clock'>,
  grantId: string,
  alongside?: (client: Client, grant: sql.GrantRow) => Promise<void>,
): Promise<void> =>
  inTransaction(control, async (client) => {
    const grant = await sql.lockGrant(client, grantId);
    if (!grant) return;
    await sql.endGrant(client, grant, clock());
    await alongside?.(client, grant);
  });

/** Someone has consented to the client, so it is no longer subject to early deletion. */
export async function keepClient({ control, clock, secrets }: StoreDeps, clientId: string): Promise<void> {
  const until = new Date(clock().getTime() + CLAIMED_CLIENT_MS);
  await sql.keepRecordUntil(control, 'Client', digestOf(secrets, 'Client', clientId), until);
}

export const forgetOldRecords = async ({ control, clock }: Pick<Deps, 'control' | 'clock'>): Promise<void> =>
  void (await sql.deleteExpiredRecords(control, clock()));
