// Prints reports on a thread of their own.
import { openPrinter, type Printer } from '../../base/pdf/print-thread.ts';
import type { MapDrawing } from './map.ts';
import type { Report } from './schema.ts';

export interface PrintJob {
  report: Report;
  map: MapDrawing | null;
  author: string;
}

declare module '../../base/deps.ts' {
  interface Deps {
    printer: Printer<PrintJob>;
  }
}

export function createPrinter(): Printer<PrintJob> {
  return openPrinter(new URL('./print-worker.ts', import.meta.url));
}
