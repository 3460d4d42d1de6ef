// scikit-learn's HistGradientBoosting on the same sales and attributes, if scikit-learn is installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureAccuracy } from '../src/insight/training/metrics.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import type { Accuracy } from '../src/insight/avm/card.ts';
import { categoryReaders, countNumbers, writeNumbers, type FeatureSet } from '../src/insight/avm/features.ts';

/** Frozen at the cut: attributes, place, categories as numbers, the day. `undefined` without scikit-learn. */
export function measureScikit(set: FeatureSet, trained: Sale[], tested: Sale[]): Accuracy | undefined {
  // Debian's package belongs to Debian's own Python, which may not be the first one on the path.
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import sklearn']).status === 0);
  if (python === undefined) return undefined;
  const sales = [...trained, ...tested];
  const features = { ...set, hasDay: true };
  const numbers = countNumbers(features);
  const columns = numbers + set.categories.length;
  const x = new Float32Array(sales.length * columns);
  const codes = set.categories.map(() => new Map<string, number>());
  sales.forEach((sale, i) => {
    writeNumbers(features, sale.attributes, sale.soldDay, x, i * columns);
    set.categories.forEach((category, k) => {
      const name = categoryReaders[category](sale.attributes) ?? '';
      if (!codes[k].has(name)) codes[k].set(name, codes[k].size);
      x[i * columns + numbers + k] = codes[k].get(name)!;
    });
  });
  const folder = mkdtempSync(join(tmpdir(), 'platbook-scikit-'));
  try {
    writeFileSync(join(folder, 'x'), x);
    writeFileSync(
      join(folder, 'y'),
      Float64Array.from(sales, (sale) => Math.log(sale.priceUsd)),
    );
    writeFileSync(
      join(folder, 'test'),
      Uint8Array.from(sales, (_, i) => (i < trained.length ? 0 : 1)),
    );
    const { status, stderr } = spawnSync(python, [join(import.meta.dirname, 'scikit.py'), folder]);
    if (status !== 0) throw new Error(`scikit-learn failed: ${stderr}`);
    const bytes = readFileSync(join(folder, 'p'));
    const log = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return measureAccuracy(
      log.map(Math.exp),
      tested.map((sale) => sale.priceUsd),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
