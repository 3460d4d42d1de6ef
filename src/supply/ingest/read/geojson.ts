// Reads GeoJSON feature by feature without holding the file: features are cut out of the text by counting braces.
import type { Project } from '../../../base/lib/projection.ts';
import { readGeoJsonGeometry } from './geometry.ts';
import { cellsOf, type Row, type Table } from './rows.ts';

interface Feature {
  id?: string | number;
  properties: Record<string, unknown> | null;
  geometry: { type: string; coordinates: unknown } | null;
}

/** How many features to inspect for column names: publishers omit members that are null. */
const HEADER_FEATURES = 500;

export async function readGeoJson(bytes: AsyncIterable<Buffer>, project?: Project): Promise<Table> {
  const features = readFeatures(bytes);
  const opening: Feature[] = [];
  const names = new Set<string>();
  for (let next = await features.next(); !next.done; next = await features.next()) {
    opening.push(next.value);
    for (const name of Object.keys(next.value.properties ?? {})) names.add(name);
    if (opening.length >= HEADER_FEATURES) break;
  }
  const header = [...names, '$id'];
  async function* rows(): AsyncGenerator<Row[]> {
    let line = 0;
    const toRow = (feature: Feature): Row => ({
      line: ++line,
      cells: cellsOf({ ...feature.properties, $id: feature.id }, header),
      geometry: readGeoJsonGeometry(feature.geometry, project),
    });
    try {
      yield opening.map(toRow);
      for await (const feature of features) yield [toRow(feature)];
    } finally {
      // Closes the byte source, even if only the first rows are read.
      await features.return(undefined);
    }
  }
  return { header, rows: rows() };
}

/** A file may also be newline-delimited features without a collection, or a list or lines of objects without geometry. */
const BEGINS_WITHOUT_LIST = /^[^{]{0,8}\{[^{}[\]]*"type"\s*:\s*"Feature"|^\W{0,8}\[\s*\{|^\W{0,4}\{[^\n]*\}\s*\n\s*\{/;
const LONGEST_BEGINNING = 10_000;

/** Yields each object in the "features" list, or each object of a file that has no such list. */
async function* readFeatures(bytes: AsyncIterable<Buffer>): AsyncGenerator<Feature> {
  const decoder = new TextDecoder('utf-8');
  let text = '';
  let isInside = false;
  let isLines = false;
  let at = 0;
  let depth = 0;
  let start = -1;
  let inString = false;
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    if (!isInside) {
      isLines = text.length <= LONGEST_BEGINNING + chunk.length && BEGINS_WITHOUT_LIST.test(text);
      const list = isLines ? undefined : /"features"\s*:\s*\[/.exec(text);
      if (!list && !isLines) continue;
      isInside = true;
      at = list ? list.index + list[0].length : 0;
    }
    for (; at < text.length; at++) {
      const letter = text.charCodeAt(at);
      if (inString) {
        if (letter === 92) at++;
        else if (letter === 34) inString = false;
      } else if (letter === 34) inString = true;
      else if (letter === 123) {
        if (depth++ === 0) start = at;
      } else if (letter === 125 && --depth === 0) {
        const found = JSON.parse(text.slice(start, at + 1)) as Feature & { type: string };
        yield isLines && found.type !== 'Feature' ? { properties: { ...found }, geometry: null } : found;
        start = -1;
      } else if (letter === 93 && depth === 0 && !isLines) return;
    }
    const keepFrom = start < 0 ? text.length : start;
    // A trailing backslash moved `at` one past the end of the text.
    at -= keepFrom;
    text = text.slice(keepFrom);
    if (start >= 0) start = 0;
  }
}
