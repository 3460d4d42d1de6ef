// The ready set of rules: what a careful lender looks at before a file is passed, each with its reason.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Rule } from './schema.ts';

const written = readFileSync(new URL('./standard-rules.yaml', import.meta.url), 'utf8');
export const STANDARD_RULES = parse(written) as readonly Rule[];
