// Prints the evidence of quality on a thread of its own.
import { openPrinter, type Printer } from '../../base/pdf/print-thread.ts';
import type { Names } from './pdf.ts';
import type { Quality } from './schema.ts';

export interface PrintJob {
  quality: Quality;
  names: Names;
}

declare module '../../base/deps.ts' {
  interface Deps {
    qualityPrinter: Printer<PrintJob>;
  }
}

export function createQualityPrinter(): Printer<PrintJob> {
  return openPrinter(new URL('./print-worker.ts', import.meta.url));
}
