// File name patterns: `*` matches anything and `{year}` the year in the name.
import { basename } from 'node:path';
import type { Dataset, FileSpec } from '../source.ts';
import { lastOf } from '../../../base/lib/must.ts';

/** A file may also be present uncompressed. */
function patternOf(path: string): RegExp {
  const form = basename(path)
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('{year}', '(?<year>\\d{4})')
    .replace(/\\\.gz$/, '(\\.gz)?');
  return new RegExp(`^${form}$`);
}

export const isOpenName = (path: string) => /\*|\{year\}/.test(basename(path));

/** Whether a file's name matches the recipe, and the year in it. */
export function matchName({ path, alternatives = [], years }: FileSpec, name: string): { year?: number } | undefined {
  for (const candidate of [path, ...alternatives]) {
    const found = patternOf(candidate).exec(name);
    if (!found) continue;
    const year = found.groups?.year === undefined ? undefined : Number(found.groups.year);
    if (year === undefined || year >= (years?.from ?? 0)) return { year };
  }
  return undefined;
}

/** `{next_year}-04-30` for a file of 2024 is 2025-04-30. */
const fillYear = (text: string, year: number): string =>
  text.replaceAll('{year}', String(year)).replaceAll('{next_year}', String(year + 1));

/** The file spec for one year. */
export function ofYear(spec: FileSpec, year: number | undefined): FileSpec {
  if (year === undefined) return spec;
  return {
    ...spec,
    url: spec.url && fillYear(spec.url, year),
    publishedOn: spec.publishedOn && fillYear(spec.publishedOn, year),
  };
}

/** The publication date of a file known only by its name, as in the quarantine. */
export function publishedOnOf(dataset: Dataset, name: string): string {
  for (const spec of dataset.files) {
    const match = spec.publishedOn === undefined ? undefined : matchName(spec, basename(name));
    if (match) return ofYear(spec, match.year).publishedOn!;
  }
  return dataset.publishedOn;
}

/** A dataset with its coverage and publication date set from the newest year found. */
export function datedBy(dataset: Dataset, files: { spec: FileSpec; year?: number }[]): Dataset {
  const before = Math.min(...dataset.files.flatMap(({ years }) => (years ? [years.from - 1] : [])));
  const newest = Math.max(...files.map(({ year }) => year ?? 0), Number.isFinite(before) ? before : 0);
  const stated = files.flatMap(({ spec }) => spec.publishedOn ?? []);
  return {
    ...dataset,
    publishedOn: lastOf([dataset.publishedOn, ...stated].toSorted()),
    layers: dataset.layers.map((layer) => ({ ...layer, ...(layer.to && { to: fillYear(layer.to, newest) }) })),
  };
}
