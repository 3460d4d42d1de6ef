// Keeps the finished fits of a training on disk until it ends, so that a killed training resumes where it stopped.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sale } from '../../avm/attributes.ts';
import { pack, unpack } from '../../avm/pack.ts';
import type { FitResult, RunFits } from './fits.ts';

type Checkpoints = {
  /** Runs the fits that no earlier run finished. A training requests its fits in the same order every time. */
  resume(run: RunFits): RunFits;
  /** Fits of this run, and how many of them an earlier run had finished. */
  count(): { fits: number; reused: number };
  remove(): void;
};

type TrainingInputs = { market: string; parameters: object; sales: Sale[]; days: (number | undefined)[] };

const HASH_BYTES = 32;

/** Deletes fits of the market that were made from other sales, parameters or code. */
export function openCheckpoints(home: string, occasion: TrainingInputs): Checkpoints {
  const market = join(home, 'training', occasion.market);
  const key = keyOf(occasion);
  const folder = join(market, key);
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(market)) if (other !== key) remove(join(market, other));
  let [fits, reused] = [0, 0];

  const resume =
    (run: RunFits): RunFits =>
    async (jobs, onResult) => {
      const files = jobs.map(() => join(folder, String(fits++)));
      const results = files.map(readResult);
      const open = Array.from(jobs.keys()).filter((k) => results[k] === undefined);
      results.forEach((result, k) => result && onResult?.(k, result, true));
      reused += jobs.length - open.length;
      const fresh = await run(
        open.map((k) => jobs[k]),
        (at, result) => {
          writeResult(files[open[at]], result);
          onResult?.(open[at], result, false);
        },
      );
      open.forEach((k, at) => (results[k] = fresh[at]));
      return results as FitResult[];
    };

  return { resume, count: () => ({ fits, reused }), remove: () => remove(market) };
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** Equal keys mean bit-identical fits. */
function keyOf({ market, parameters, sales, days }: TrainingInputs): string {
  const hash = createHash('sha256').update(JSON.stringify([market, parameters, days, process.version]));
  for (const folder of ['../../avm/', '../']) {
    const root = fileURLToPath(new URL(folder, import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(root, file)));
  }
  for (const sale of sales) hash.update(JSON.stringify(sale));
  return hash.digest('hex').slice(0, 32);
}

/** Writes to a temporary file first, so that a file in place is always complete. */
function writeResult(file: string, result: FitResult): void {
  const bytes = pack(result);
  const fresh = `${file}-${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(fresh, Buffer.concat([createHash('sha256').update(bytes).digest(), bytes]));
    renameSync(fresh, file);
  } catch {
    // The disk is full, or another training of the market removed the folder: continue without a checkpoint.
    rmSync(fresh, { force: true });
  }
}

/** Undefined if there is none, or if a power failure left it incomplete. */
function readResult(file: string): FitResult | undefined {
  try {
    const stored = readFileSync(file);
    const bytes = stored.subarray(HASH_BYTES);
    const isWhole = createHash('sha256').update(bytes).digest().equals(stored.subarray(0, HASH_BYTES));
    return isWhole ? unpack<FitResult>(bytes) : undefined;
  } catch {
    return undefined;
  }
}
