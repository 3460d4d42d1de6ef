// `platbook restore`: restores a backup into PLATBOOK_HOME, on this machine or another.
import { restore, verifyBackup } from '../backup/restore.ts';
import { openTarget } from '../backup/targets.ts';
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs } from '../../base/lib/command-args.ts';

export async function runRestore(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, { replace: FLAG, verify: FLAG });
  if (positionals.length !== 1)
    throw new CommandError('Usage: restore <file or s3://bucket/key> [--replace] [--verify]');
  const target = openTarget(positionals[0], config.backup);
  if (values.verify) {
    const header = await verifyBackup(config, target);
    console.log(`${target.name} is whole: Platbook ${header.version}, made ${header.created_at}.`);
    return;
  }
  if (config.databaseUrl)
    throw new CommandError(
      'A backup is restored into the embedded database. Unset DATABASE_URL, or use the tools of your server.',
    );
  const { header, keptAside } = await restore(config, target, { replaces: values.replace ?? false });
  console.log(`Restored ${config.home} to ${header.created_at}. Start it with \`platbook start\`.`);
  if (keptAside) console.log(`What was there before is in ${keptAside}; delete it when you no longer need it.`);
}
