// The predefined conservative rule set, each rule with its reason.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Rule } from './schema.ts';

const written = readFileSync(new URL('./standard-rules.yaml', import.meta.url), 'utf8');
export const STANDARD_RULES = parse(written) as readonly Rule[];
