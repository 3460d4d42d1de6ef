// Address resolution on real situs addresses: accuracy next to three baselines, parsing of labeled texts, cost at
// scale.
import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../src/base/config.ts';
import { createMemoryStore } from '../test/memory-store.ts';
import { resolve } from '../src/records/address/match/resolve.ts';
import type { AddressStore } from '../src/records/address/match/store.ts';
import { byTrigrams, earlierMatcher, parsedExactly } from './address/baselines.ts';
import { type Case, buildCases, seeded } from './address/cases.ts';
import { CORRUPTIONS } from './address/corruptions.ts';
import { measureCost } from './address/cost.ts';
import { expectFrom } from './address/expectation.ts';
import { writeFacts } from './address/facts.ts';
import { HELD_OUT } from './address/held-out.ts';
import { scoreLabeled } from './address/labeled.ts';
import { type RoundTrip, askRoundTrip } from './address/round-trip.ts';
import { describeSaleStrings } from './address/sale-strings.ts';
import { describe, score } from './address/score.ts';
import { loadSitus } from './address/situs.ts';
import { measureTyping } from './address/typing.ts';

/** `--per-type 200 --seed 1 --earlier <file> --failures 30`, with `--held-out` for other kinds of questions and `--names`
    for a file of streets from elsewhere. Or one of `--round-trip` (every address on file), `--sale-strings
    2022` (what Milwaukee's later sales call its homes), `--typing`, `--cost 1000000`
    (PostgreSQL at that many addresses) and `--facts <folder>` (rebuilds src/records/address/facts). */
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
      facts: { type: 'string' },
      typing: { type: 'boolean', default: false },
      'held-out': { type: 'boolean', default: false },
      names: { type: 'string' },
      'round-trip': { type: 'boolean', default: false },
      'sale-strings': { type: 'string' },
    },
  });
  if (values.facts) return writeFacts(values.facts, config.recordsFolder);
  if (values.cost) return measureCost(config, Number(values.cost), values.keep);
  if (values['sale-strings'])
    return describeSaleStrings(config.recordsFolder, Number(values['sale-strings']), Number(values.failures));
  const all = await loadSitus(config.recordsFolder);
  if (all.length === 0) return console.log(`No public records in ${config.recordsFolder}; nothing to measure.`);
  if (values.typing) return measureTyping(config, all, Number(values.seed), values.keep);
  const cases = buildCases(all, expectFrom(all), {
    perType: Number(values['per-type']),
    seed: Number(values.seed),
    corruptions: values['held-out'] ? HELD_OUT : CORRUPTIONS,
    namesElsewhere: values.names ? readNames(values.names) : undefined,
  });
  console.log(`${all.length} situs addresses, ${cases.length} queries (seed ${values.seed})\n`);

  const store = createMemoryStore(all);
  if (values['round-trip']) return describeRoundTrip(await askRoundTrip(store, all), Number(values.failures));
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

/** The names of one word that at least two streets of the file have; one street a line. */
function readNames(path: string): string[] {
  const streets = [...new Set(readFileSync(path, 'utf8').toUpperCase().split('\n'))];
  const nameOf = (street: string) => /^(?:(?:NORTH|SOUTH|EAST|WEST) )?([A-Z]{4,}) [A-Z]+$/.exec(street.trim())?.[1];
  const byName = Map.groupBy(streets, nameOf);
  return [...byName].flatMap(([name, list]) => (name && list.length > 1 ? [name] : []));
}

function describeRoundTrip({ asked, itself, shared, failures }: RoundTrip, shown: number): void {
  console.log(
    `${asked} addresses on file: ${itself} resolve to themselves, ${shared} are shared, ${failures.length} fail`,
  );
  for (const { text, answer } of failures.slice(0, shown)) console.log(`  ${JSON.stringify(text)} → ${answer}`);
}

function sampleOf(cases: readonly Case[], size: number, seed: number): Case[] {
  const random = seeded(seed);
  return cases.filter(() => random() < size / cases.length);
}
