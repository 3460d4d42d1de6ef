// Prints reports on a thread of its own, one after the other: a document takes a few hundred milliseconds, in which this
// thread answers others.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MapDrawing } from './map.ts';
import type { Report } from './schema.ts';

export interface PrintJob {
  report: Report;
  map: MapDrawing | null;
  author: string;
}

interface Printer {
  print(job: PrintJob): Promise<Buffer>;
}

declare module '../deps.ts' {
  interface Deps {
    printer: Printer;
  }
}

export function createPrinter(): Printer {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function printNext(job: PrintJob): Promise<Buffer> {
    const thread = (worker ??= new Worker(new URL('./print-worker.ts', import.meta.url)));
    // A thread without work does not keep the process alive.
    thread.ref();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage(job);
      const [pdf] = (await once(thread, 'message')) as [Uint8Array];
      return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
    } catch (error) {
      // The thread ended with the error; the next document gets a new one.
      worker = undefined;
      throw error;
    } finally {
      thread.unref();
    }
  }

  return {
    print(job) {
      const printed = last.then(() => printNext(job));
      last = printed.catch(() => {});
      return printed;
    },
  };
}
