// Checks the hash chain of every account's audit log, and that it still contains the state recorded by the last check.
import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { isSameBytes } from '../lib/secrets.ts';
import { findBreak, type Link } from './audit.ts';
import * as sql from './sql.ts';

const PAGE = 1_000;

interface LogCheck {
  accountId: string;
  entries: number;
  /** The first bad entry, or the one after which entries are missing; undefined if the chain is intact. */
  brokenSequence: number | undefined;
}

type CheckDeps = Pick<Deps, 'control' | 'clock' | 'secrets' | 'log'>;

/** Someone who can write to the database can truncate or recompute a plain hash chain. Each check therefore stores the
    last hash under an HMAC of our secret, and the next check must find that entry unchanged. */
export async function verifyAuditLogs(deps: CheckDeps): Promise<LogCheck[]> {
  const checks: LogCheck[] = [];
  for (const accountId of await sql.listLogs(deps.control)) {
    const check = await verifyLog(deps, accountId);
    checks.push(check);
    if (check.brokenSequence === undefined) continue;
    deps.log.error({ account: accountId, sequence: check.brokenSequence }, 'the audit log is broken');
  }
  return checks;
}

async function verifyLog(deps: CheckDeps, accountId: string): Promise<LogCheck> {
  const previous = await sql.findCheck(deps.control, accountId);
  const seen = previous && previous.sequence > 0 ? previous : undefined;
  let last: Link = { sequence: 0, hash: null };
  let broken: number | undefined;
  while (broken === undefined) {
    const rows = await sql.listEntriesAfter(deps.control, accountId, last.sequence, PAGE);
    broken = findBreak(rows, last)?.sequence;
    const witness = seen && rows.find(({ sequence }) => sequence === seen.sequence);
    if (witness && !isSameBytes(seen.signature, signatureOf(deps, accountId, witness))) broken ??= witness.sequence;
    last = rows.at(-1) ?? last;
    if (rows.length < PAGE) break;
  }
  if (seen && last.sequence < seen.sequence) broken ??= last.sequence + 1;
  const now = deps.clock();
  if (broken !== undefined) await sql.saveBreak(deps.control, accountId, now, broken);
  else {
    await sql.saveCheck(deps.control, {
      account_id: accountId,
      checked_at: now,
      sequence: last.sequence,
      signature: signatureOf(deps, accountId, last),
      broken_sequence: null,
    });
  }
  return { accountId, entries: last.sequence, brokenSequence: broken };
}

const signatureOf = ({ secrets }: CheckDeps, accountId: string, { sequence, hash }: Link): Buffer =>
  secrets.sign('audit', `${accountId} ${sequence} ${hash?.toString('hex') ?? ''}`);

/** Any process can serve it: the number comes from the last check's row in the database. */
export function registerAuditMetric(registry: Registry, deps: Pick<Deps, 'control'>): void {
  const gauge: Gauge = new Gauge({
    name: 'audit_log_broken_accounts',
    help: 'Accounts whose audit log failed its last check.',
    registers: [],
    // Another metric reports an unreachable database; this one keeps its last value.
    collect: () =>
      sql.countBroken(deps.control).then(
        (broken) => gauge.set(broken),
        () => {},
      ),
  });
  registry.registerMetric(gauge);
}
