import type { Call, CallPages } from './call.ts';
import { type Pages } from './pages.ts';
import { type CallOptions, type Transport } from './transport.ts';
import type { Export, ExportPatch, ExportRun, ExportWithRun, NewExport, Operations } from './types.ts';
/** Written after the data, so every file it lists is ready. */
export interface ExportManifest {
    object: 'export_manifest';
    export_id: string;
    run_id: string;
    dataset: string;
    kind: 'full' | 'delta';
    format: 'parquet' | 'ndjson' | 'csv';
    row_count: number;
    byte_count: number;
    files: {
        name: string;
        rows: number;
        bytes: number;
        sha256: string;
    }[];
    /** `to` is the change feed cursor to continue from after this run. */
    cursor: {
        from: string | null;
        to: string;
    };
}
type Paging = NonNullable<Operations['list_exports']['query']>;
export interface Exports {
    /** Starts the first run immediately and returns it. */
    create(body: NewExport, options?: CallOptions): Promise<ExportWithRun>;
    list(query?: Paging, options?: CallOptions): Pages<Export>;
    get(id: string, options?: CallOptions): Promise<Export>;
    /** Renames, reschedules, pauses, or resumes the export. */
    update(id: string, body: ExportPatch, options?: CallOptions): Promise<Export>;
    /** Keeps files that were already delivered. */
    delete(id: string, options?: CallOptions): Promise<void>;
    run(id: string, options?: CallOptions): Promise<ExportRun>;
    runs(id: string, query?: Paging, options?: CallOptions): Pages<ExportRun>;
    getRun(id: string, runId: string, options?: CallOptions): Promise<ExportRun>;
    /** Resolves when the run is delivered or fails. `onProgress` is called after every poll. */
    wait(id: string, runId: string, onProgress?: (run: ExportRun) => void, options?: CallOptions): Promise<ExportRun>;
    manifest(id: string, runId: string, options?: CallOptions): Promise<ExportManifest>;
    /** The raw response. Stream its `body` or read it with `arrayBuffer()`. */
    file(id: string, runId: string, name: string, options?: CallOptions): Promise<Response>;
    /** Streams every row of an NDJSON run, file by file. */
    rows<Row = Record<string, unknown>>(id: string, runId: string, options?: CallOptions): AsyncIterable<Row>;
}
export declare function createExports(call: Call, send: Transport, pages: CallPages): Exports;
export {};
