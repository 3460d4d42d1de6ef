// Builds the explorer and the dashboard into dist/web with Vite when they are missing or older than their sources.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Progress } from '../base/progress.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = join(ROOT, 'web');
export const WEB_FOLDER = join(ROOT, 'dist', 'web');

export async function buildWeb(onProgress?: Progress): Promise<void> {
  const newest = newestSource();
  if (builtFrom() >= newest || !isWritable(ROOT)) return;
  onProgress?.(0, 2, 'reading');
  // Loaded here, so that only a start that builds waits for Vite.
  const { build } = await import('vite');
  onProgress?.(1, 2, 'bundling');
  // Built next to its final folder, so that one rename moves it into place and nobody reads a partial build.
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const fresh = mkdtempSync(join(ROOT, 'dist', 'web-'));
  // A temporary folder is private to its creator, but any user who starts the program serves from this one.
  chmodSync(fresh, 0o755);
  try {
    await build({
      root: SOURCES,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: fresh,
        emptyOutDir: true,
        target: 'es2023',
        cssTarget: 'chrome125',
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 2_000,
        reportCompressedSize: false,
      },
    });
    // Dated by the sources, not the build: an edit made while building is noticed at the next start.
    utimesSync(join(fresh, 'index.html'), new Date(newest), new Date(newest));
    putInPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  onProgress?.(2, 2, 'web app ready');
}

/** Another process may move its build there between our two steps; then ours replaces it. */
function putInPlace(fresh: string): void {
  rmSync(WEB_FOLDER, { recursive: true, force: true });
  try {
    renameSync(fresh, WEB_FOLDER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    putInPlace(fresh);
  }
}

/** A program installed by one user and started by another serves the build made at installation. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function builtFrom(): number {
  const index = join(WEB_FOLDER, 'index.html');
  return existsSync(index) ? statSync(index).mtimeMs : -1;
}

function newestSource(): number {
  const files = [
    ...globSync('**/*.*', { cwd: SOURCES }).map((file) => join(SOURCES, file)),
    join(ROOT, 'package-lock.json'),
  ];
  return Math.floor(Math.max(...files.map((file) => statSync(file).mtimeMs)));
}
