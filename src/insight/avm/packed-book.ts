// The binary form of a market snapshot (a model and its market's sales as the model sees them): written when a model is
// published or its market has been loaded, and read without computing anything.
import { setImmediate } from 'node:timers/promises';
import { layOut, readLayout } from './columns/layout.ts';
import type { SaleColumns } from './columns/sale-columns.ts';
import { lookupReader, packLookup, packTexts, type Lookup } from './columns/texts.ts';
import { openNumberBuilder } from './columns/values.ts';
import type { Evidence } from './comparable-features.ts';
import { levelReader, type Book, type MadeBook } from './evidence.ts';
import type { Score } from './interval.ts';
import type { Model, Scores } from './model.ts';
import type { OddSale } from './odd-sales.ts';
import { readSaleColumns } from './sales.ts';

/** Raise it whenever a stored book can no longer be read, or would now be made differently. */
export const BOOK_FORMAT = 7;
const MAGIC = `PBB${BOOK_FORMAT}`;

/** The model's appraisals of sales after its training, by sale number: intervals are calibrated on them. */
export type Appraised = Map<number, Score>;

/**
 * Grid parts of each sale, dictionary-encoded: most columns have few distinct values (ZIP, bedrooms), so a sale is one
 * row of codes and reading it touches memory once. A column with too many values stores one value per sale instead.
 */
type Parts = { rows: Uint16Array; values: Float64Array[]; isCoded: boolean[] };

type Packed = {
  model: Omit<Model, 'scores'>;
  scores: Omit<Scores, 'type'> & { type: Uint16Array; types: string[] };
  sales: SaleColumns;
  evidence: Evidence;
  columns: number;
  parts?: Parts;
  peers?: { traits: Float32Array; places: Int32Array; placeNumbers: Lookup[] };
  type: Uint8Array;
  types: (string | null)[];
  residuals: Book['residuals'];
  odd: { ids: string[]; reason: OddSale['reason'][]; ratio: Float64Array };
  appraised: {
    sale: Int32Array;
    logValue: Float64Array;
    sigma: Float64Array;
    isSold: Uint8Array;
    isUnusual: Uint8Array;
  };
};

/** Returns the bytes in pieces, and yields to other requests in between. */
export async function packBook({ scores, ...model }: Model, book: MadeBook, appraised: Appraised) {
  const { evidence, peers, columns, type, residuals, odd } = book;
  const { soldDay, knownDay, property } = evidence;
  const placeNumbers = book.placeNames.map((names) => packLookup(packTexts(names)));
  const types = [...new Set(scores.type)];
  const typeCodes = new Map(types.map((name, k) => [name, k]));
  const packed: Packed = {
    // Read only when a book is made.
    model: { ...model, outOfFold: { saleIds: [], base: new Float64Array(0) } },
    scores: { ...scores, type: Uint16Array.from(scores.type, (name) => typeCodes.get(name)!), types },
    // The same arrays as in `evidence`, so that each is stored once.
    sales: { ...book.sales.columns(), soldDay, knownDay, property },
    evidence,
    columns,
    ...(book.parts && { parts: await packParts(book.parts) }),
    ...(peers && { peers: { traits: peers.traits, places: peers.places, placeNumbers } }),
    type,
    types: [...book.typeNumbers.keys()],
    residuals,
    odd: {
      ids: [...odd.keys()],
      reason: Array.from(odd.values(), ({ reason }) => reason),
      ratio: Float64Array.from(odd.values(), ({ ratio }) => ratio),
    },
    appraised: {
      sale: Int32Array.from(appraised.keys()),
      logValue: Float64Array.from(appraised.values(), ({ logValue }) => logValue),
      sigma: Float64Array.from(appraised.values(), ({ sigma }) => sigma),
      isSold: Uint8Array.from(appraised.values(), ({ isSold }) => Number(isSold)),
      isUnusual: Uint8Array.from(appraised.values(), ({ isUnusual }) => Number(isUnusual)),
    },
  };
  return layOut(packed, MAGIC);
}

async function packParts({ values, width }: NonNullable<MadeBook['parts']>): Promise<Parts> {
  const length = values.length / width;
  const rows = new Uint16Array(values.length);
  const parts: Parts = { rows, values: [], isCoded: [] };
  for (let k = 0; k < width; k++) {
    const column = openNumberBuilder();
    for (let i = 0; i < length; i++) {
      column.put(values[i * width + k]);
      if (i % 20_000 === 0) await setImmediate();
    }
    const { values: distinct, codes } = column.close();
    if (codes) for (let i = 0; i < length; i++) rows[i * width + k] = codes[i];
    parts.values.push(distinct);
    parts.isCoded.push(codes !== undefined);
  }
  return parts;
}

function partsReader({ rows, values, isCoded }: Parts): (i: number, out: Float64Array) => void {
  const width = values.length;
  return (i, out) => {
    for (let k = 0; k < width; k++) out[k] = values[k][isCoded[k] ? rows[i * width + k] : i];
  };
}

/** The arrays are views of the bytes. */
export function unpackBook(bytes: Uint8Array): { model: Model; book: Book; appraised: Appraised } {
  const packed = readLayout(bytes, MAGIC) as Packed;
  const { evidence, parts, peers, residuals, odd, appraised, scores } = packed;
  const model: Model = {
    ...packed.model,
    scores: { ...scores, type: Array.from(scores.type, (code) => scores.types[code]) },
  };
  const { x: east, y: north, soldDay, residual, detrended } = evidence;
  const seen = { east, north, soldDay, residual, detrended };
  const sales = readSaleColumns(packed.sales);
  const book: Book = {
    sales,
    evidence,
    columns: packed.columns,
    ...(parts && { readParts: partsReader(parts) }),
    ...(peers && { peers: { ...peers, ...seen, placeNumbers: peers.placeNumbers.map(lookupReader) } }),
    type: packed.type,
    typeNumbers: new Map(packed.types.map((name, k) => [name, k])),
    propertyNumbers: sales.properties().numbers,
    residuals,
    odd: new Map(odd.ids.map((id, k) => [id, { id, reason: odd.reason[k], ratio: odd.ratio[k] }])),
    level: levelReader(residuals, model.level),
  };
  const known = Array.from(appraised.sale, (i, k): [number, Score] => [
    i,
    {
      logValue: appraised.logValue[k],
      sigma: appraised.sigma[k],
      isSold: appraised.isSold[k] === 1,
      isUnusual: appraised.isUnusual[k] === 1,
    },
  ]);
  return { model, book, appraised: new Map(known) };
}
