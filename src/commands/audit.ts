// `platbook audit verify`: checks the hash chain of every account's audit log.
import { verifyAuditLogs } from '../audit/verify.ts';
import type { Config } from '../config.ts';
import { CommandError } from '../lib/command-error.ts';
import { withDeps } from './with-deps.ts';

export async function runAudit(config: Config, [act]: string[]): Promise<void> {
  if (act !== 'verify') throw new CommandError('Usage: audit verify');
  await withDeps(config, async (deps) => {
    const checks = await verifyAuditLogs(deps);
    const broken = checks.filter(({ brokenSequence }) => brokenSequence !== undefined);
    for (const { accountId, brokenSequence } of broken)
      console.log(`${accountId} is BROKEN at entry ${brokenSequence}`);
    const entries = checks.reduce((sum, check) => sum + check.entries, 0);
    console.log(`${checks.length} logs with ${entries} entries checked, ${broken.length} broken.`);
    if (broken.length > 0) process.exitCode = 1;
  });
}
