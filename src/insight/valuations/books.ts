// Books: a model's derived data on its market's sales, stored with the model. Built once per load and read by every
// process without computation; a missing or damaged one is rebuilt.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { todayIn } from '../../records/markets/catalog.ts';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { appraiseAll, readHome } from '../avm/appraise.ts';
import { openBookInSlices, type Book } from '../avm/evidence.ts';
import { calibrationDay, openScores } from '../avm/interval.ts';
import type { Model, Scores } from '../avm/model.ts';
import { unpack } from '../avm/pack.ts';
import { packBook, unpackBook, type Appraised } from '../avm/packed-book.ts';
import { openSaleBuffer, type Sales } from '../avm/sales.ts';
import type { Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { deferRejection } from '../../base/lib/defer-rejection.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { isValuedType, saleOf } from './records.ts';
import * as sql from './model-sql.ts';
import { readRolls, readSales } from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

export type BookDeps = Pick<Deps, 'data' | 'control' | 'clock' | 'catalog' | 'log'>;

/** A book that this process serves from, or has just built. */
export type OpenBook = ReturnType<typeof unpackBook> & { bytes: number };

/** Identifies a book: the model, and the loads its sales come from. */
type BookName = { hash: string; market: string; version: string; snapshot: string };

const CHUNK_BYTES = 1 << 20;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };
/** Lets a whole chunk be decompressed at once. */
const WHOLE = { chunkSize: CHUNK_BYTES + 4096 };
/** Poll interval for a book that another process is building. */
const LOOK_MS = 250;

type Reading = {
  /** Limits how many books are read at a time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Receives the number of bytes about to be read. */
  makeRoom(bytes: number): void;
};

export async function openStoredBook(deps: BookDeps, name: BookName, reading: Reading): Promise<OpenBook> {
  for (;;) {
    const found = await reading.inTurn(() => readBook(deps, name, reading.makeRoom));
    if (found) return found;
    const made = await makeBook(deps, name);
    if (made) return made;
    await setTimeout(LOOK_MS);
  }
}

async function readBook(deps: BookDeps, name: BookName, makeRoom: (bytes: number) => void) {
  const stored = await sql.findBook(deps.control, name);
  if (!stored) return undefined;
  makeRoom(stored.size);
  const bytes = new Uint8Array(new ArrayBuffer(stored.size));
  let [end, written] = [0, Promise.resolve()];
  const isFound = await sql.readBookChunks(deps.control, name, (chunk) => {
    const before = written;
    // A failure is reported at the end, once everything has been received.
    written = deferRejection(
      decompress(chunk, WHOLE).then(async (plain) => {
        await before;
        bytes.set(plain, end);
        end += plain.length;
      }),
    );
    return before.catch(() => {});
  });
  try {
    await written;
    // It was just replaced by another.
    if (!isFound) return undefined;
    if (end !== stored.size) throw new Error(`The book has ${end} bytes instead of ${stored.size}.`);
    return { ...unpackBook(bytes), bytes: stored.size };
  } catch (error) {
    const { market, version } = name;
    deps.log.warn({ err: error, market, model: version }, 'the stored book of a model is damaged and is made again');
    await sql.deleteBook(deps.control, name);
    return undefined;
  }
}

/** Undefined if another process is building the same book. A book that cannot be stored can still serve. */
export async function makeBook(deps: BookDeps, name: BookName, given?: Model): Promise<OpenBook | undefined> {
  let made: { size: number; pieces: Uint8Array[] } | undefined;
  try {
    await sql.holdingBook(deps.control, name, async (client) => {
      made = await packFresh(deps, name, given ?? (await readModel(client, name)));
      await storeBook(client, { ...name, size: made.size, createdAt: deps.clock() }, made.pieces);
    });
  } catch (error) {
    if (!made) throw error;
    deps.log.warn({ err: error, market: name.market, model: name.version }, 'the book of a model could not be stored');
  }
  if (!made) return undefined;
  const bytes = new Uint8Array(new ArrayBuffer(made.size));
  let end = 0;
  for (const piece of made.pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return { ...unpackBook(bytes), bytes: made.size };
}

async function readModel(control: Client, { hash, version }: BookName): Promise<Model> {
  const bytes = await sql.findModelBytes(control, hash);
  if (!bytes) throw new Error(`The bytes of model ${version} are missing.`);
  return unpack<Model>(bytes);
}

async function packFresh(deps: BookDeps, { market }: BookName, model: Model) {
  const book = await openBookInSlices(model, await bufferSales(deps, market));
  const today = calibrationDay(dayNumber(todayIn(await deps.catalog.read(), market, deps.clock)));
  return packBook(model, book, await appraiseLatest(model, book, [today, Infinity]));
}

async function storeBook(client: Client, book: sql.NewBook, pieces: Uint8Array[]): Promise<void> {
  await sql.replaceBook(client, book);
  let number = 0;
  for (const chunk of cut(pieces)) await sql.insertBookChunk(client, book.hash, number++, await compress(chunk, FAST));
}

function* cut(pieces: Uint8Array[]): Generator<Buffer> {
  let [parts, size]: [Uint8Array[], number] = [[], 0];
  for (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const part = piece.subarray(from, from + CHUNK_BYTES - size);
      parts.push(part);
      size += part.length;
      from += part.length;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(parts);
      [parts, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(parts);
}

/** Every usable sale of a market, oldest first. */
export async function bufferSales(deps: Pick<Deps, 'data'>, market: string): Promise<Sales> {
  const buffer = openSaleBuffer();
  const rolls = await readRolls(deps.data, market);
  await readSales(deps.data, market, (rows) => {
    // The sale may have been of a vacant lot or shop on today's home site.
    for (const sale of rows.map((row) => saleOf(row, rolls)))
      if (isValuedType(sale.attributes.propertyType)) buffer.put(sale);
  });
  return buffer.close();
}

/** Sales that became known after the model's last score, in the order they became known. */
function listLater({ scores, trainedOn }: Model, { evidence: { soldDay, knownDay } }: Book): number[] {
  const scoredTo = scores.knownDay.length > 0 ? scores.knownDay[scores.knownDay.length - 1] : -Infinity;
  const later: number[] = [];
  for (let i = soldDay.length - 1; i >= 0 && soldDay[i] > trainedOn; i--) if (knownDay[i] > scoredTo) later.push(i);
  return later.toReversed().toSorted((a, b) => knownDay[a] - knownDay[b]);
}

const latestBefore = (later: number[], { knownDay }: Book['evidence'], { calibration }: Model, day: number): number[] =>
  later.filter((i) => knownDay[i] < day).slice(-calibration.sales);

/** Homes appraised per slice. */
const SLICE = 64;

async function appraiseLatest(model: Model, book: Book, days: number[]): Promise<Appraised> {
  const later = listLater(model, book);
  const wanted = [...new Set(days.flatMap((day) => latestBefore(later, book.evidence, model, day)))];
  const appraised: Appraised = new Map();
  for (let first = 0; first < wanted.length; first += SLICE) {
    appraiseSales(model, book, wanted.slice(first, first + SLICE), appraised);
    await setImmediate();
  }
  return appraised;
}

/** Appraises each sale as of the day it sold. */
function appraiseSales(model: Model, book: Book, some: number[], appraised: Appraised): void {
  const readings = some.map((i) => readHome(model, book, book.sales.at(i), book.evidence.soldDay[i]));
  appraiseAll(model, readings).forEach(({ logValue, sigma, isSold, isUnusual }, k) =>
    appraised.set(some[k], { logValue, sigma, isSold, isUnusual }),
  );
}

/** The model's scores, and those of the sales since then that were known before the day. Of these only the latest
    needed for calibration are valued, each once, as of its own date: a busy market has far more, and the latest differ
    by day. */
export function followScores({ model, book, appraised }: OpenBook): (day: number) => Scores {
  const later = listLater(model, book);
  return (day) => {
    const latest = latestBefore(later, book.evidence, model, day);
    if (latest.length === 0) return model.scores;
    const fresh = latest.filter((i) => !appraised.has(i));
    appraiseSales(model, book, fresh, appraised);
    const grown = openScores(model.scores);
    for (const i of latest) grown.add(book.sales.at(i), entryOf(appraised, i));
    return grown.all();
  };
}
