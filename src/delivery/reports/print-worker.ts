// The thread that prints reports: receives them and answers with their PDF.
import { parentPort } from 'node:worker_threads';
import { renderReport } from './pdf.ts';
import type { PrintJob } from './printer.ts';

parentPort!.on('message', async ({ report, map, author }: PrintJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(await renderReport(report, map, author));
});
