// Wrong files of a hundred kinds in several shapes, tried as an operator would: how many are served wrong and unsaid.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/base/config.ts';
import { withScratchDatabase } from '../src/base/db/scratch.ts';
import { makeHomes } from './wrong-files/homes.ts';
import type { Kind } from './wrong-files/kind.ts';
import { KINDS } from './wrong-files/kinds.ts';
import { SHAPES, type Shape } from './wrong-files/shapes.ts';
import { appliesTo, tryFile, type Trial } from './wrong-files/try.ts';

/** `npm run bench -- wrong-files [word of a kind …]` */
export async function run(words: string[], config: Config): Promise<void> {
  const kinds = KINDS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const folder = mkdtempSync(join(tmpdir(), 'platbook-wrong-'));
  const trials = await withScratchDatabase(config, async (data) => {
    const bench = { data, folder, homes: makeHomes(400), usual: new Map<Shape, string[]>() };
    for (const shape of SHAPES) bench.usual.set(shape, (await tryFile(bench, { name: 'usual' }, shape)).told);
    const done: Trial[] = [];
    for (const kind of kinds) {
      for (const shape of SHAPES.filter((each) => appliesTo(kind, each))) done.push(await tryFile(bench, kind, shape));
      printKind(
        kind,
        done.filter((trial) => trial.kind === kind),
      );
    }
    return done;
  });
  rmSync(folder, { recursive: true });
  const count = (verdict: string) => trials.filter((trial) => trial.verdict === verdict).length;
  const right = trials.filter(({ kind }) => kind.isRight);
  console.log(
    `\n${kinds.length} kinds, ${trials.length} files: ${count('silent')} silently wrong, ${count('warned')} warned, ` +
      `${count('refused')} refused, ${count('right')} right; of ${right.length} right files ` +
      `${right.filter(({ verdict }) => verdict === 'refused').length} were stopped`,
  );
  if (count('silent') > 0) process.exitCode = 1;
}

function printKind({ name, isRight }: Kind, trials: Trial[]): void {
  console.log(`${name}${isRight ? ' (right)' : ''}`);
  for (const { shape, verdict, told, wrong } of trials) {
    const why = [told.slice(0, 3).join(', '), wrong.length > 0 ? `${wrong.length} wrong: ${wrong[0]}` : ''];
    console.log(`  ${verdict.padEnd(8)} ${shape.name.padEnd(14)} ${why.filter(Boolean).join(' | ').slice(0, 170)}`);
  }
}
