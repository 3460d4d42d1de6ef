// `platbook audit`: checks the hash chains of the audit logs, the receipts anchored in them, and the sealed samples.
import { verifyAuditLogs } from '../../base/audit/verify.ts';
import type { Config } from '../../base/config.ts';
import type { Deps } from '../../base/deps.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { checkReceipts } from '../../insight/quality/anchors.ts';
import { checkSeals } from '../../insight/quality/sample.ts';
import { withDeps } from '../with-deps.ts';

export async function runAudit(config: Config, [act, ...ids]: string[]): Promise<void> {
  if (act !== 'verify' && act !== 'receipts')
    throw new CommandError('Usage: audit verify, or audit receipts [val_… …]');
  await withDeps(config, act === 'verify' ? verify : (deps) => verifyReceipts(deps, ids));
}

async function verify(deps: Deps): Promise<void> {
  const checks = await verifyAuditLogs(deps);
  const broken = checks.filter(({ brokenSequence }) => brokenSequence !== undefined);
  for (const { accountId, brokenSequence } of broken) console.log(`${accountId} is BROKEN at entry ${brokenSequence}`);
  const entries = checks.reduce((sum, check) => sum + check.entries, 0);
  console.log(`${checks.length} logs with ${entries} entries checked, ${broken.length} broken.`);
  if (broken.length > 0) process.exitCode = 1;
}

/** Checks every anchored receipt, or the named ones, and the standing random samples. */
async function verifyReceipts(deps: Deps, ids: string[]): Promise<void> {
  const { checked, broken } = await checkReceipts(deps, ids.length > 0 ? ids : undefined);
  for (const { id, flaw } of broken) console.log(`${id} is BROKEN: ${flaw.replace('_', ' ')}`);
  console.log(`${checked} anchored receipts checked, ${broken.length} broken.`);
  const samples = await checkSeals(deps);
  if (samples.broken) console.log(`the sample of ${samples.broken.market} on ${samples.broken.sampled_on} is BROKEN`);
  console.log(`${samples.seals} sealed samples checked.`);
  if (broken.length > 0 || samples.broken) process.exitCode = 1;
}
