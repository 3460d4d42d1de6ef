// What a load is told by its caller.
import type { Clock } from '../lib/clock.ts';
import type { FetchPlace } from './read/fetch.ts';
import type { Progress } from './progress.ts';
import type { Row } from './read/rows.ts';

export interface LoadOptions {
  place: FetchPlace;
  /** Compare again even when the files are those of the last load, and accept a file that lost many parcels. */
  force?: boolean;
  clock: Clock;
  makeProgress(label: string, totalBytes: number): Progress;
  /** Rows from the quarantine, instead of the files. */
  replay?: { header: string[]; file: string; rows: Row[] }[];
  authorityOf(sourceId: string): number;
  /** Layers that datasets behind this one in the same run will bring. */
  willCover?: string[];
}
