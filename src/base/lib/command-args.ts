// The command line after the command's name: its options and positional arguments.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export const FLAG = { type: 'boolean' } as const;
export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;

export const readArgs = <const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) =>
  parseArgs({ args, allowPositionals: true, options });
