// The change feed: read up to the present as a list or a stream, or follow it indefinitely.
import type { Call, CallPages } from './call.ts';
import { readLines, type Pages } from './pages.ts';
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

const WAIT_SECONDS = 30;

export function createChanges(call: Call, send: Transport, pages: CallPages): Changes {
  return {
    list: (query = {}, options) => pages('list_changes', { query }, options),

    async *stream(query = {}, options) {
      for (let cursor = query.cursor; ;) {
        const response = await send('list_changes', { query: { ...query, cursor, format: 'ndjson' } }, options);
        let isEmpty = true;
        for await (const change of readLines<FeedChange>(response)) {
          isEmpty = false;
          yield change;
        }
        cursor = response.headers.get('x-next-cursor')!;
        // A filter can leave a page empty mid-feed, and only the JSON format says whether this is the end.
        if (
          isEmpty &&
          !(await call('list_changes', { query: { ...query, cursor, limit: 1 } }, options)).pagination.has_more
        )
          return;
      }
    },

    async *follow(query = {}, options) {
      for (let cursor = query.cursor; ;) {
        const { data, pagination } = await call(
          'list_changes',
          { query: { ...query, ...(cursor !== undefined && { cursor }), wait: WAIT_SECONDS } },
          options,
        );
        cursor = pagination.next_cursor!;
        if (data.length > 0) yield { changes: data, cursor };
      }
    },
  };
}
