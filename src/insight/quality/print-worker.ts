// The thread that prints evidence: receives it and answers with its PDF.
import { parentPort } from 'node:worker_threads';
import { renderQuality } from './pdf.ts';
import type { PrintJob } from './printer.ts';

parentPort!.on('message', async ({ quality, names }: PrintJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(await renderQuality(quality, names));
});
