// Address resolution on real situs addresses: accuracy next to three baselines, parsing of labeled texts, cost at
// scale.
import { resolve as resolvePath } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../src/config.ts';
import { createMemoryStore } from '../src/address/store/memory.ts';
import { resolve } from '../src/address/match/resolve.ts';
import type { AddressStore } from '../src/address/match/store.ts';
import { byTrigrams, earlierMatcher, parsedExactly } from './address/baselines.ts';
import { type Case, buildCases, seeded } from './address/cases.ts';
import { measureCost } from './address/cost.ts';
import { expectFrom } from './address/expectation.ts';
import { scoreLabeled } from './address/labeled.ts';
import { describe, score } from './address/score.ts';
import { loadSitus } from './address/situs.ts';

/** `--per-type 200 --seed 1 --earlier <file> --failures 30`, or `--cost 1000000` for PostgreSQL at that many addresses. */
export async function run(args: string[], config: Config): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      'per-type': { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      earlier: { type: 'string', default: '../shared/prototypes/address-matcher.ts' },
      failures: { type: 'string', default: '0' },
      cost: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  if (values.cost) return measureCost(config, Number(values.cost), values.keep);
  const all = await loadSitus(config.recordsFolder);
  if (all.length === 0) return console.log(`No public records in ${config.recordsFolder}; nothing to measure.`);
  const cases = buildCases(all, expectFrom(all), Number(values['per-type']), Number(values.seed));
  console.log(`${all.length} situs addresses, ${cases.length} queries (seed ${values.seed})\n`);

  const store = createMemoryStore(all);
  const ours = async (policy: 'standard' | 'strict', asked: readonly Case[], records: AddressStore = store) =>
    score(asked, async (text) => {
      const found = await resolve(records, text, policy);
      return found.outcome === 'match'
        ? { outcome: 'match', propertyId: found.property_id }
        : { outcome: found.outcome };
    });
  await ours('standard', cases.slice(0, 1000));
  const result = await ours('standard', cases);
  console.log(describe('platbook', result));
  console.log(describe('platbook, strict', await ours('strict', cases)));

  // A name is only known to be real where it is loaded; the worst case is that no typed name is.
  const blind: AddressStore = {
    ...store,
    askStreets: async (question) => ({ ...(await store.askStreets(question)), known: [] }),
  };
  const adversarial = cases.filter(({ kind }) => kind === 'adversarial');
  console.log(describe('platbook, names elsewhere unknown', await ours('standard', adversarial, blind)));

  const earlier = await earlierMatcher(resolvePath(values.earlier), config.recordsFolder, all);
  if (earlier) console.log(describe('earlier experiment', await score(cases, earlier)));
  console.log(describe('parse-address + exact key', await score(cases, parsedExactly(all))));
  const sample = sampleOf(cases, 1000, Number(values.seed));
  const nearest = byTrigrams(all);
  for (const threshold of [0.3, 0.7, 0.9]) {
    console.log(describe(`trigram similarity ≥ ${threshold} (sample)`, await score(sample, nearest(threshold))));
  }
  console.log('\nquery types not answered correctly every time:');
  for (const [type, tally] of result.byType) {
    if (tally.right < tally.asked) console.log(`  ${type.padEnd(30)} ${tally.right}/${tally.asked}`);
  }
  for (const failure of result.failures.slice(0, Number(values.failures))) {
    console.log(
      `  ${failure.case.kind} ${failure.case.type}: ${JSON.stringify(failure.case.text)} → ${failure.got}, not ${failure.case.propertyId ?? 'a match'}`,
    );
  }
  scoreLabeled(config.recordsFolder);
}

function sampleOf(cases: readonly Case[], size: number, seed: number): Case[] {
  const random = seeded(seed);
  return cases.filter(() => random() < size / cases.length);
}
