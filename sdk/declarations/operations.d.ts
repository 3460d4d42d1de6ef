import type { Operations } from './types.ts';
/** Method and path of every operation. */
export declare const OPERATIONS: Readonly<Record<keyof Operations, readonly [method: string, path: string]>>;
