// Batches: submit addresses as objects, CSV, or NDJSON, wait for completion, and stream the results.
import type { Call, CallPages } from './call.ts';
import { PlatbookError } from './errors.ts';
import { readLines, type Pages } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Batch, BatchItem, BatchResult, BatchWithResults, Operations } from './types.ts';

type Part = 'property' | 'risk' | 'valuation';

export interface BatchInput {
  items: BatchItem[];
  include?: Part[];
}

/** Text or bytes. */
export type SheetFile = string | Uint8Array | Blob;

export interface Batches {
  /** The plan limits the number of items. A retry never creates a second batch. */
  create(input: BatchInput, options?: CallOptions): Promise<Batch>;
  /** Uploads a file unchanged: a spreadsheet as CSV or XLSX, or NDJSON. */
  upload(file: SheetFile, type: 'csv' | 'xlsx' | 'ndjson', include?: Part[], options?: CallOptions): Promise<Batch>;
  get(id: string, options?: CallOptions): Promise<Batch>;
  list(query?: NonNullable<Operations['list_batches']['query']>, options?: CallOptions): Pages<Batch>;
  /** Resolves when the batch ends. `onProgress` is called after every poll. */
  wait(id: string, onProgress?: (batch: Batch) => void, options?: CallOptions): Promise<Batch>;
  /** Streams every result in input order, and resumes if the stream breaks. */
  results(id: string, options?: CallOptions): AsyncIterable<BatchResult>;
  cancel(id: string, options?: CallOptions): Promise<Batch>;
  delete(id: string, options?: CallOptions): Promise<void>;
}

const OVER = new Set(['completed', 'failed', 'canceled', 'expired']);
export const CONTENT_TYPES = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson',
};
const WAIT_SECONDS = 20;
const MAX_BROKEN_STREAMS = 5;

export function createBatches(call: Call, send: Transport, pages: CallPages): Batches {
  const batches: Batches = {
    create: ({ items, include }, options) =>
      call('create_batch', { body: { items, ...(include && { include }) } }, options),

    async upload(file, type, include, options) {
      const headers = { ...options?.headers, 'content-type': CONTENT_TYPES[type] };
      const query = include && { include: include.join(',') };
      const response = await send('create_batch', { body: file, query }, { ...options, headers });
      return (await response.json()) as Batch;
    },

    get: (id, options) => call('get_batch', { path: { id } }, options),
    list: (query = {}, options) => pages('list_batches', { query }, options),

    async wait(id, onProgress, options) {
      for (;;) {
        const batch: BatchWithResults = await call(
          'get_batch',
          { path: { id }, query: { wait: WAIT_SECONDS } },
          options,
        );
        onProgress?.(batch);
        if (OVER.has(batch.status)) return batch;
      }
    },

    async *results(id, options) {
      let lastIndex = -1;
      for (let broken = 0; ;) {
        const query = { format: 'ndjson', ...(lastIndex >= 0 && { after_index: lastIndex }) };
        const response = await send('list_batch_results', { path: { id }, query }, options);
        try {
          for await (const result of readLines<BatchResult>(response)) {
            lastIndex = result.index;
            yield result;
          }
          return;
        } catch (error) {
          if (error instanceof PlatbookError || options?.signal?.aborted || ++broken > MAX_BROKEN_STREAMS) throw error;
        }
      }
    },

    cancel: (id, options) => call('cancel_batch', { path: { id } }, options),
    delete: (id, options) => call('delete_batch', { path: { id } }, options),
  };
  return batches;
}
