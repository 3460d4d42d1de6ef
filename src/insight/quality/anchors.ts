// Proof that a receipt is unchanged: the Merkle root of a few minutes' receipts is written to the account's audit log,
// and the customer gets it signed, so even someone with database access cannot replace it unnoticed.
import { findEntry } from '../../base/audit/sql.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { ANCHORED, recordAudit } from '../../base/audit/audit.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvents } from '../../base/events/events.ts';
import { canonicalJson, followPath, pathOf, rootOf, type PathStep } from '../../base/math/hashes.ts';
import { getReceipt, hashReceipts } from '../valuations/receipts.ts';
import type { ReceiptProof } from './schema.ts';
import * as sql from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

type AnchorDeps = Pick<Deps, 'control' | 'clock' | 'secrets'>;

const MAX_RECEIPTS = 5_000;
const HASH_BYTES = 32;

/** Anchors every pending receipt and returns their number. */
export async function anchorReceipts(deps: AnchorDeps): Promise<number> {
  let anchored = 0;
  for (const accountId of await sql.listUnanchoredAccounts(deps.control)) {
    for (let count = MAX_RECEIPTS; count === MAX_RECEIPTS; anchored += count)
      count = await anchorAccount(deps, accountId);
  }
  return anchored;
}

async function anchorAccount({ control, clock, secrets }: AnchorDeps, accountId: string): Promise<number> {
  return inTransaction(control, async (client) => {
    const waiting = await sql.listUnanchored(client, accountId, MAX_RECEIPTS);
    if (waiting.length === 0) return 0;
    const ids = waiting.map(({ id }) => id);
    const hashes = (await hashReceipts(client, ids)) as Buffer[];
    const root = rootOf(hashes);
    const now = clock();
    const entry = await recordAudit(client, {
      accountId,
      actor: 'system',
      action: ANCHORED,
      details: { root: root.toString('hex'), receipts: ids.length },
      at: now,
    });
    const of = { account_id: accountId, receipts: ids.length, anchored_at: now };
    const anchored = { ...of, root, audit_sequence: entry.sequence };
    await sql.insertAnchor(client, { ...anchored, hashes: Buffer.concat(hashes) }, ids);
    // A recipient of the root is a witness outside our database.
    const data = signed(secrets, anchored);
    const modes = [...new Set(waiting.map(({ mode }) => mode))];
    await recordEvents(
      client,
      modes.map((mode) => ({ accountId, mode, type: 'receipts.anchored', data, occurredAt: now })),
    );
    return ids.length;
  });
}

type Anchored = Omit<sql.AnchorRow, 'id' | 'hashes'>;

/** The statement of a root, with our signature and its position in the log. */
function signed(secrets: Deps['secrets'], { account_id, anchored_at, receipts, root, audit_sequence }: Anchored) {
  const statement = { account_id, anchored_at: anchored_at.toISOString(), receipts, root: root.toString('hex') };
  return { ...statement, signature: secrets.attest(canonicalJson(statement)).toString('base64'), audit_sequence };
}

/** Anchors since a time and after an anchor, oldest first. */
export async function listRoots({ control, secrets }: AnchorDeps, ...range: [string, Date, number, number]) {
  const anchors = await sql.listAnchors(control, ...range);
  return anchors.map((anchor) => ({ id: anchor.id, statement: signed(secrets, anchor) }));
}

/** Why a receipt can no longer be proven. */
type Flaw = NonNullable<ReceiptProof['flaw']>;

interface Inclusion {
  hash: Buffer;
  anchor?: sql.AnchorRow & { path: PathStep[]; auditHash: Buffer | null };
  flaw?: Flaw;
}

/** Verifies a receipt from its bytes to the log entry; every step is recomputed. */
async function include({ control }: Pick<Deps, 'control'>, id: string): Promise<Inclusion | undefined> {
  const [hash] = await hashReceipts(control, [id]);
  if (!hash) return undefined;
  const anchor = await sql.findAnchorOf(control, id);
  if (!anchor) return { hash };
  const leaves = Array.from({ length: anchor.hashes.length / HASH_BYTES }, (_, i) =>
    anchor.hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  const index = leaves.findIndex((leaf) => leaf.equals(hash));
  const path = index < 0 ? [] : pathOf(leaves, index);
  const entry = await findEntry(control, anchor.account_id, anchor.audit_sequence);
  const isLogged = entry?.action === ANCHORED && entry.details.root === anchor.root.toString('hex');
  const found = { hash, anchor: { ...anchor, path, auditHash: entry?.hash ?? null } };
  if (index < 0) return { ...found, flaw: 'receipt_changed' };
  if (!followPath(hash, path).equals(anchor.root)) return { ...found, flaw: 'anchor_changed' };
  return isLogged ? found : { ...found, flaw: 'log_changed' };
}

export async function proveReceipt(
  deps: Pick<Deps, 'control' | 'secrets'>,
  asker: { accountId: string; mode: KeyMode },
  id: string,
): Promise<ReceiptProof> {
  await getReceipt(deps, asker, id);
  const { hash, anchor, flaw } = (await include(deps, id))!;
  const proof = { object: 'receipt_proof' as const, id, receipt_hash: hash.toString('hex') };
  if (!anchor) return { ...proof, status: 'pending', flaw: null, anchor: null };
  return {
    ...proof,
    status: flaw ? 'broken' : 'anchored',
    flaw: flaw ?? null,
    anchor: {
      ...signed(deps.secrets, anchor),
      path: anchor.path.map((step) => ({ side: step.side, hash: step.hash.toString('hex') })),
      audit_hash: anchor.auditHash?.toString('hex') ?? null,
    },
  };
}

interface ReceiptCheck {
  checked: number;
  broken: { id: string; flaw: Flaw }[];
}

const PAGE = 1_000;

/** Checks receipts against their anchors: the named ones, or all that are anchored. */
export async function checkReceipts(deps: Pick<Deps, 'control'>, ids?: string[]): Promise<ReceiptCheck> {
  const check: ReceiptCheck = { checked: 0, broken: [] };
  for (let page = ids ?? (await sql.listAnchoredIds(deps.control, '', PAGE)); page.length > 0;) {
    for (const id of page) {
      const found = await include(deps, id);
      if (!found?.anchor) continue;
      check.checked++;
      if (found.flaw) check.broken.push({ id, flaw: found.flaw });
    }
    page = ids ? [] : await sql.listAnchoredIds(deps.control, lastOf(page), PAGE);
  }
  return check;
}
