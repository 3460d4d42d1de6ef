// What the matcher is measured against: parsed components with an exact key, trigram similarity, an earlier experiment.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import parseAddress from 'parse-address';
import type { Situs } from './situs.ts';

export type Answer = { outcome: 'match'; propertyId: string } | { outcome: 'ambiguous' | 'not_resolved' };
export type Answerer = (text: string) => Answer | Promise<Answer>;

const NONE: Answer = { outcome: 'not_resolved' };

/** With the source's own abbreviations expanded, as in our records. */
const lineOf = ({ line1, suffixes }: Situs): string => line1.replace(/\w+$/, (last) => suffixes?.[last] ?? last);

export function textOf(situs: Situs): string {
  const { unit, city, state, zip } = situs;
  return `${lineOf(situs)}${unit ? ` #${unit}` : ''}, ${city}, ${state} ${zip}`.trim();
}

/** Both sides through the npm parser, then equality of number, street, unit and ZIP (or city if there is no ZIP). */
export function parsedExactly(all: readonly Situs[]): Answerer {
  const byKey = new Map<string, Set<string>>();
  const keysOf = (text: string): string[] => {
    const parts = parseAddress.parseLocation(text);
    if (!parts?.number || !parts.street) return [];
    const street = [parts.number, parts.prefix, parts.street, parts.type, parts.suffix, parts.sec_unit_num].map(
      (part) => (part ?? '').toUpperCase(),
    );
    const places = [parts.zip, parts.city && `${parts.city}|${parts.state}`].filter(Boolean);
    return places.map((place) => [...street, place!.toUpperCase()].join('|'));
  };
  for (const situs of all) {
    for (const key of keysOf(textOf(situs))) {
      const known = byKey.get(key);
      if (known) known.add(situs.propertyId);
      else byKey.set(key, new Set([situs.propertyId]));
    }
  }
  return (text) => {
    const found = keysOf(text)
      .map((key) => byKey.get(key))
      .find((ids) => ids !== undefined);
    if (!found) return NONE;
    return found.size > 1 ? { outcome: 'ambiguous' } : { outcome: 'match', propertyId: [...found][0] };
  };
}

/** The nearest record by shared trigrams (as pg_trgm counts them), accepted if similar enough; one index for all
    thresholds. */
export function byTrigrams(all: readonly Situs[]): (threshold: number) => Answerer {
  const postings = new Map<string, number[]>();
  const sizes = new Uint16Array(all.length);
  all.forEach((situs, index) => {
    const grams = trigrams(textOf(situs));
    sizes[index] = grams.size;
    for (const gram of grams) {
      const list = postings.get(gram);
      if (list) list.push(index);
      else postings.set(gram, [index]);
    }
  });
  const shared = new Uint16Array(all.length);
  const nearest = (text: string): { propertyId: string; similarity: number } => {
    shared.fill(0);
    const asked = trigrams(text);
    for (const gram of asked) for (const index of postings.get(gram) ?? []) shared[index]++;
    let best = 0;
    let similarity = 0;
    for (let index = 0; index < all.length; index++) {
      const each = shared[index] / (asked.size + sizes[index] - shared[index]);
      if (each > similarity) [best, similarity] = [index, each];
    }
    return { propertyId: all[best].propertyId, similarity };
  };
  return (threshold) => (text) => {
    const { propertyId, similarity } = nearest(text);
    return similarity >= threshold ? { outcome: 'match', propertyId } : NONE;
  };
}

function trigrams(text: string): Set<string> {
  const grams = new Set<string>();
  for (const word of text.toLowerCase().split(/[^a-z0-9]+/)) {
    if (!word) continue;
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3));
  }
  return grams;
}

interface Matcher {
  add(source: { pid: string; situs: string; unit?: string; city: string; state: string; zip: string }): boolean;
  match(text: string): { type: 'match' | 'ambiguous' | 'no_match'; pid?: string };
}

/** A matcher with the same interface in one file, given by path; it expects its tables unpacked in a folder. */
export async function earlierMatcher(
  path: string,
  dataDir: string,
  all: readonly Situs[],
): Promise<Answerer | undefined> {
  const tables = join(dataDir, 'address/usps');
  if (!existsSync(path) || !existsSync(tables)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'));
  for (const file of readdirSync(tables)) {
    if (file.endsWith('.gz'))
      writeFileSync(join(folder, file.slice(0, -3)), gunzipSync(readFileSync(join(tables, file))));
    else copyFileSync(join(tables, file), join(folder, file));
  }
  process.env.USPS_DIR = `${folder}/`;
  const { Matcher } = (await import(pathToFileURL(path).href)) as { Matcher: new () => Matcher };
  const matcher = new Matcher();
  rmSync(folder, { recursive: true });
  for (const situs of all) {
    const { propertyId, unit, city, state, zip } = situs;
    matcher.add({ pid: propertyId, situs: lineOf(situs), unit, city, state, zip });
  }
  return (text) => {
    const { type, pid } = matcher.match(text);
    if (type === 'match') return { outcome: 'match', propertyId: pid! };
    return { outcome: type === 'ambiguous' ? 'ambiguous' : 'not_resolved' };
  };
}
