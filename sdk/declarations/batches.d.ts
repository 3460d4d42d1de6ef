import type { Call, CallPages } from './call.ts';
import { type Pages } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Batch, BatchItem, BatchResult, Operations } from './types.ts';
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
export declare const CONTENT_TYPES: {
    csv: string;
    xlsx: string;
    ndjson: string;
};
export declare function createBatches(call: Call, send: Transport, pages: CallPages): Batches;
export {};
