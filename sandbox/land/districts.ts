// All neighborhoods of the sandbox.
import type { District } from './district.ts';
import { QUILLMOOR_DISTRICTS } from './quillmoor.ts';
import { WENDEMERE_DISTRICTS } from './wendemere.ts';

export const DISTRICTS: readonly District[] = [...WENDEMERE_DISTRICTS, ...QUILLMOOR_DISTRICTS];
