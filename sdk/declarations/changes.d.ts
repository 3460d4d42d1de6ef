import type { Call, CallPages } from './call.ts';
import { type Pages } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { FeedChange, Operations } from './types.ts';
type FeedQuery = Omit<NonNullable<Operations['list_changes']['query']>, 'format' | 'wait'>;
export interface ChangePortion {
    changes: FeedChange[];
    /** Save it once the changes are applied, and start from it next time. No change is missed, even after a crash. */
    cursor: string;
}
export interface Changes {
    /** Every change up to the present. Pages are fetched as you iterate. */
    list(query?: FeedQuery, options?: CallOptions): Pages<FeedChange>;
    /** The same changes, streamed line by line as NDJSON. */
    stream(query?: FeedQuery, options?: CallOptions): AsyncIterable<FeedChange>;
    /** Yields changes as they happen, using long polling. Never ends; stop it with `break` or a signal. */
    follow(query?: FeedQuery, options?: CallOptions): AsyncIterable<ChangePortion>;
}
export declare function createChanges(call: Call, send: Transport, pages: CallPages): Changes;
export {};
