// Prints documents on one thread, one after the other: each takes a few hundred milliseconds, in which this thread answers
// other requests.
import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createTurns } from '../lib/turns.ts';

/** A module that prints one kind of document. */
interface DocumentModule {
  render(content: never): Promise<Buffer>;
}

interface Printer {
  /** `file` is the document's module; its content is copied to the thread. */
  print<Module extends DocumentModule>(file: URL, content: Parameters<Module['render']>[0]): Promise<Buffer>;
}

declare module '../deps.ts' {
  interface Deps {
    printer: Printer;
  }
}

/** Tells the thread from others that import this file. */
const THREAD = 'printer';

export function createPrinter(): Printer {
  let worker: Worker | undefined;
  const inTurn = createTurns();

  async function printNext(order: { file: string; content: unknown }): Promise<Buffer> {
    const thread = (worker ??= new Worker(new URL(import.meta.url), { workerData: THREAD }));
    const answered = new AbortController();
    // A thread without work does not keep the process alive.
    thread.ref();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage(order);
      const answers = ['message', 'exit'].map((name) => once(thread, name, { signal: answered.signal }));
      const [pdf] = (await Promise.race(answers)) as [Uint8Array | number];
      if (typeof pdf === 'number') throw new Error(`the printing thread ended with code ${pdf}`);
      return Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
    } catch (error) {
      // The thread ended with the error; the next document gets a new one.
      worker = undefined;
      throw error;
    } finally {
      answered.abort();
      thread.unref();
    }
  }

  return { print: (file, content) => inTurn(() => printNext({ file: file.href, content })) };
}

if (workerData === THREAD && parentPort) {
  parentPort.on('message', async ({ file, content }: { file: string; content: never }) => {
    const { render } = (await import(file)) as DocumentModule;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort!.postMessage(await render(content));
  });
}
