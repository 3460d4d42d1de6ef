// Dataset exports: create, run, wait, and download files.
import type { Call, CallPages } from './call.ts';
import { readLines, type Pages } from './pages.ts';
import { sleep, type CallOptions, type Transport } from './transport.ts';
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
  files: { name: string; rows: number; bytes: number; sha256: string }[];
  /** `to` is the change feed cursor to continue from after this run. */
  cursor: { from: string | null; to: string };
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

const OVER = new Set(['delivered', 'failed']);
const POLL_MS = 1_000;

export function createExports(call: Call, send: Transport, pages: CallPages): Exports {
  const exports: Exports = {
    create: (body, options) => call('create_export', { body }, options),
    list: (query = {}, options) => pages('list_exports', { query }, options),
    get: (id, options) => call('get_export', { path: { id } }, options),
    update: (id, body, options) => call('update_export', { path: { id }, body }, options),
    delete: (id, options) => call('delete_export', { path: { id } }, options),
    run: (id, options) => call('run_export', { path: { id } }, options),
    runs: (id, query = {}, options) => pages('list_export_runs', { path: { id }, query }, options),
    getRun: (id, runId, options) => call('get_export_run', { path: { id, run_id: runId } }, options),

    async wait(id, runId, onProgress, options) {
      for (;;) {
        const run = await exports.getRun(id, runId, options);
        onProgress?.(run);
        if (OVER.has(run.status)) return run;
        await sleep(POLL_MS, options?.signal);
      }
    },

    async manifest(id, runId, options) {
      return (await (await exports.file(id, runId, '_manifest.json', options)).json()) as ExportManifest;
    },
    file: (id, runId, name, options) => send('get_export_file', { path: { id, run_id: runId, name } }, options),

    async *rows<Row>(id: string, runId: string, options?: CallOptions) {
      const { format, files } = await exports.manifest(id, runId, options);
      if (format !== 'ndjson') throw new TypeError(`rows() reads NDJSON; this run is ${format}. Use file().`);
      for (const { name } of files) yield* readLines<Row>(await exports.file(id, runId, name, options));
    },
  };
  return exports;
}
