// Paginated lists. `for await` iterates over every item, and `page` returns one page with its cursor.
import type { Pagination } from './types.ts';

export interface Page<Item> {
  object: 'list';
  data: Item[];
  pagination: Pagination;
}

export interface Pages<Item> extends AsyncIterable<Item> {
  /** The first page, or the page at a cursor. */
  page(cursor?: string): Promise<Page<Item>>;
  /** Iterates page by page. */
  pages(): AsyncIterable<Page<Item>>;
  /** The first items, up to `limit`. */
  take(limit: number): Promise<Item[]>;
}

export function pagesOf<Item>(load: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item> {
  async function* pages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    do {
      const page = await load(cursor);
      yield page;
      // The change feed returns a cursor even at its end, for later calls.
      cursor = page.pagination.has_more ? (page.pagination.next_cursor ?? undefined) : undefined;
    } while (cursor !== undefined);
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const { data } of pages()) yield* data;
  }
  return {
    page: load,
    pages,
    async take(limit) {
      const taken: Item[] = [];
      if (limit <= 0) return taken;
      for await (const item of items()) {
        taken.push(item);
        if (taken.length >= limit) break;
      }
      return taken;
    },
    [Symbol.asyncIterator]: items,
  };
}

/** Yields NDJSON lines as they arrive. */
export async function* readLines<Item>(response: Response): AsyncGenerator<Item> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      // Hold back an incomplete line. If the stream breaks, resuming it delivers the line in full.
      rest = lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Item;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
