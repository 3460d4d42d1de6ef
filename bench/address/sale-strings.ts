// The strings of a year's sales that Milwaukee published later, asked of its parcels and the sales before: what a caller types
// who has the deed and not our record.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore } from '../../test/memory-store.ts';
import { type Resolution, resolve } from '../../src/records/address/match/resolve.ts';
import type { SitusAddress, SuffixMap } from '../../src/records/address/parse/canonical.ts';
import { must } from '../../src/base/lib/must.ts';
import { readSources } from '../../sources/sources.ts';
import { readCsv } from './situs.ts';

const PLACE = { fips: 55079, city: 'MILWAUKEE', state: 'WI' };
const yearOf = (file: string): number => Number(/\d{4}/.exec(file.replace('2002-2018', '2018'))?.[0]);

type Filed = SitusAddress & { suffixes: SuffixMap };

interface Asked {
  text: string;
  taxkey: string;
  answer: Resolution;
}

/** Sales before `year` are on file; those from then on are asked. Only homes on file are asked for. */
async function askSaleStrings(dataDir: string, year: number): Promise<Asked[]> {
  const source = readSources().find(({ id }) => id === 'milwaukee-wi');
  const { suffixes = {}, streetAliases = [] } = must(source?.addressWords, 'address words');
  const folder = join(dataDir, 'milwaukee/sales');
  const filed = new Map<string, Filed[]>();
  const file = (taxkey: string, line1: string, zip: string) => {
    for (const { from, to } of streetAliases)
      if (line1.endsWith(` ${from}`)) file(taxkey, line1.replace(from, to), zip);
    const known = filed.get(taxkey) ?? [];
    if (known.some((other) => other.line1 === line1)) return;
    const situs = { ...PLACE, propertyId: taxkey, line1, zip, suffixes, ordinal: known.length };
    filed.set(taxkey, [...known, situs]);
  };
  const zips = new Map<string, string>();
  for await (const row of readCsv(join(dataDir, 'milwaukee/parcels.csv.gz'))) {
    zips.set(row.taxkey, row.zip);
    if (row.address) file(row.taxkey, row.address, row.zip);
  }
  const asked: Pick<Asked, 'text' | 'taxkey'>[] = [];
  for (const name of readdirSync(folder).toSorted((a, b) => yearOf(a) - yearOf(b))) {
    for await (const row of readCsv(join(folder, name))) {
      const taxkey = (row.taxkey ?? row.Taxkey ?? '').padStart(10, '0');
      if (!row.Address || /^0+$/.test(taxkey)) continue;
      if (yearOf(name) < year) file(taxkey, row.Address.toUpperCase(), zips.get(taxkey) ?? '');
      else asked.push({ text: `${row.Address}, Milwaukee, WI`, taxkey });
    }
  }
  const store = createMemoryStore([...filed.values()].flat());
  const answers: Asked[] = [];
  for (const each of asked)
    if (filed.has(each.taxkey)) answers.push({ ...each, answer: await resolve(store, each.text) });
  return answers;
}

/** Counts answers by kind. A string whose unit no record has is counted apart: its home is on file, its address is not. */
export async function describeSaleStrings(dataDir: string, year: number, shown: number): Promise<void> {
  const asked = await askSaleStrings(dataDir, year);
  const kindOf = ({ answer, taxkey }: Asked): string => {
    if (answer.outcome === 'match') return answer.property_id === taxkey ? 'right' : 'wrong';
    return answer.reason.startsWith('unit_not') ? 'unit not on file' : answer.reason;
  };
  const byKind = Map.groupBy(asked, kindOf);
  const count = (kind: string) => byKind.get(kind)?.length ?? 0;
  const onFile = asked.length - count('unit not on file');
  const share = (of: number) => `${((count('right') / of) * 100).toFixed(2)}%`;
  console.log(
    `${asked.length} strings since ${year}: ${count('right')} right (${share(asked.length)}), ${count('wrong')} wrong`,
  );
  console.log(`${onFile} of them with a unit that is on file, or none: ${share(onFile)} right`);
  for (const [kind, list] of [...byKind].toSorted((a, b) => b[1].length - a[1].length)) {
    if (kind === 'right') continue;
    console.log(`  ${kind.padEnd(24)} ${list.length}`);
    for (const { text, taxkey } of list.slice(0, shown)) console.log(`    ${taxkey} ${text}`);
  }
}
