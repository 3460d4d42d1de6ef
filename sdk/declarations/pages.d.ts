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
export declare function pagesOf<Item>(load: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item>;
/** Yields NDJSON lines as they arrive. */
export declare function readLines<Item>(response: Response): AsyncGenerator<Item>;
