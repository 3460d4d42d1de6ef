// What was typed after the name of a command: its options, and the other words in order.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export const FLAG = { type: 'boolean' } as const;
export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;

export const readArgs = <const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) =>
  parseArgs({ args, allowPositionals: true, options });
