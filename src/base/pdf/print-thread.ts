// A thread that prints documents, one after the other: one takes a few hundred milliseconds, in which this thread answers
// others.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Printer<Job> {
  print(job: Job): Promise<Buffer>;
}

/** `script` receives jobs as messages and answers each with its PDF. */
export function openPrinter<Job>(script: URL): Printer<Job> {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function printNext(job: Job): Promise<Buffer> {
    const thread = (worker ??= new Worker(script));
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
