// The models a process serves from, each with its market's sales: opened on first use, refreshed after loads, and
// evicted when others need their memory.
import { LRUCache } from 'lru-cache';
import { createTurns } from '../../base/lib/turns.ts';
import { calibrate, calibrationDay, type Calibration } from '../avm/interval.ts';
import { ASSESSED, type Sale } from '../avm/attributes.ts';
import type { ModelCard } from '../avm/card.ts';
import type { Book } from '../avm/evidence.ts';
import type { Model } from '../avm/model.ts';
import type { Connections } from '../../base/deps.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { bufferSales, followScores, makeBook, openStoredBook, type BookDeps, type OpenBook } from './books.ts';
import * as sql from './model-sql.ts';
import type { Rolls } from './records.ts';
import { findDataToken, readRolls } from './sql.ts';

/** A model together with its market's sales, ready to value homes. */
export interface OpenModel {
  model: Model;
  hash: string;
  card: ModelCard;
  book: Book;
  /** Identifies the loads that the sales come from. */
  snapshot: string;
  /** Its share of the process's memory. */
  bytes: number;
  calibrationOn(day: number): Calibration;
  /** Empty if the model uses no assessments. */
  rolls: Rolls;
}

export interface OpenModels {
  list(): Promise<sql.ModelRow[]>;
  /** Opened once for concurrent callers. While the book of a new load is built, the previous one serves. */
  open(row: sql.ModelRow): Promise<OpenModel>;
  /** With the sales of the latest load, no matter how long that takes. */
  openLatest(row: sql.ModelRow): Promise<OpenModel>;
  /** Writes the book of a model that is about to be published. */
  prepare(model: Model, hash: string): Promise<void>;
  /** The number of open models, and their memory in bytes. */
  size(): { models: number; bytes: number };
  /** Call after training or loading in this process. */
  forget(): void;
}

declare module '../../base/deps.ts' {
  interface Deps {
    models: OpenModels;
  }
}

type ModelConnections = BookDeps & Pick<Connections, 'config' | 'telemetry'>;

const FRESH_MS = 10_000;
/** Concurrent book reads: each takes a connection that requests also need. */
const MAX_READ = 2;
/** Memory of an open model besides the bytes of its book: names, recently read sales, a network's working memory. */
const OVERHEAD_BYTES = 3 << 20;

export function createOpenModels(connections: ModelConnections): OpenModels {
  const held = new Map<string, { checkedAt: number; model: OpenModel }>();
  const openings = new Map<string, Promise<OpenModel>>();
  const inTurn = createTurns({ most: MAX_READ });
  let listed: { checkedAt: number; token: string; rows: Promise<sql.ModelRow[]> } | undefined;
  let checking: Promise<sql.ModelRow[]> | undefined;

  function list(): Promise<sql.ModelRow[]> {
    if (listed && performance.now() - listed.checkedAt < FRESH_MS) return listed.rows;
    checking ??= listAnew().finally(() => (checking = undefined));
    return checking;
  }

  /** Reading the list of thousands of markets is slow, but checking its token is fast. */
  async function listAnew(): Promise<sql.ModelRow[]> {
    const token = await sql.findModelsToken(connections.control);
    if (listed?.token === token) listed.checkedAt = performance.now();
    else listed = { checkedAt: performance.now(), token, rows: sql.listModels(connections.control) };
    const { rows } = listed;
    rows.catch(() => (listed = undefined));
    return rows;
  }

  async function open(row: sql.ModelRow): Promise<OpenModel> {
    const known = held.get(row.hash);
    if (!known) return openOnce(row);
    held.delete(row.hash);
    held.set(row.hash, known);
    if (performance.now() - known.checkedAt < FRESH_MS) return known.model;
    known.checkedAt = performance.now();
    if ((await findSnapshot(row)) !== known.model.snapshot)
      openOnce(row).catch((error: unknown) =>
        connections.log.error({ err: error, market: row.market }, 'the book of a new load could not be opened'),
      );
    return known.model;
  }

  async function openLatest(row: sql.ModelRow): Promise<OpenModel> {
    const known = held.get(row.hash)?.model;
    return known && known.snapshot === (await findSnapshot(row)) ? known : openOnce(row);
  }

  function openOnce(row: sql.ModelRow): Promise<OpenModel> {
    let opening = openings.get(row.hash);
    if (!opening) {
      const facts = { 'platbook.market': row.market, 'platbook.model': row.version };
      const own = connections.telemetry
        .span('open model', { facts }, () => openNow(row))
        .then((model) => {
          // Unless all were evicted meanwhile.
          if (openings.get(row.hash) === own) hold(row.hash, model);
          return model;
        })
        .finally(() => {
          if (openings.get(row.hash) === own) openings.delete(row.hash);
        });
      opening = own;
      openings.set(row.hash, own);
    }
    return opening;
  }

  async function openNow(row: sql.ModelRow): Promise<OpenModel> {
    const { hash, market, version } = row;
    const snapshot = await findSnapshot(row);
    const card = await sql.findModelCard(connections.control, version);
    const name = { hash, market, version, snapshot };
    const opened = await openStoredBook(connections, name, { inTurn, makeRoom });
    const isRolled = opened.model.features.extras.includes(ASSESSED);
    const rolls = isRolled ? await readRolls(connections.data, market) : new Map();
    return assemble(opened, { hash, card, snapshot, rolls });
  }

  const findSnapshot = ({ market }: sql.ModelRow): Promise<string> => findDataToken(connections.data, market);

  function hold(hash: string, model: OpenModel): void {
    held.delete(hash);
    makeRoom(model.bytes);
    held.set(hash, { checkedAt: performance.now(), model });
  }

  /** Evicts the least recently used. Calls in progress keep their references until done. */
  function makeRoom(bytes: number): void {
    let total = bytes + totalBytes();
    for (const [hash, { model }] of held) {
      if (total <= connections.config.openMarketsBytes) return;
      held.delete(hash);
      total -= model.bytes;
    }
  }

  const totalBytes = (): number => held.values().reduce((sum, { model }) => sum + model.bytes, 0);

  return {
    list,
    open,
    openLatest,
    async prepare(model, hash) {
      const { market, version } = model;
      const snapshot = await findDataToken(connections.data, market);
      await makeBook(connections, { hash, market, version, snapshot }, model);
    },
    size: () => ({ models: held.size, bytes: totalBytes() }),
    forget() {
      held.clear();
      openings.clear();
      listed = undefined;
    },
  };
}

/** For different weeks: 0.2 MB each, in addition to the model. */
const MAX_CALIBRATIONS = 16;

function assemble(opened: OpenBook, of: Pick<OpenModel, 'hash' | 'card' | 'snapshot' | 'rolls'>): OpenModel {
  const { model, book, bytes } = opened;
  const scoresBefore = followScores(opened);
  const calibrations = new LRUCache<number, Calibration>({ max: MAX_CALIBRATIONS });
  const calibrationOn = (wantedDay: number): Calibration => {
    const day = calibrationDay(wantedDay);
    let found = calibrations.get(day);
    if (!found) calibrations.set(day, (found = calibrate(scoresBefore(day), day, model.calibration)));
    return found;
  };
  return { ...of, model, book, bytes: bytes + OVERHEAD_BYTES, calibrationOn };
}

/** Every usable sale of a market, oldest first. */
export async function readSales(deps: Pick<Connections, 'data'>, market: string): Promise<Sale[]> {
  const sales = await bufferSales(deps, market);
  return Array.from({ length: sales.length }, (_, i) => sales.at(i));
}

/** The pinned or else the newest model whose training ended before the day; undefined if the day precedes all. */
export const modelFor = (models: sql.ModelRow[], market: string, day: number): sql.ModelRow | undefined =>
  models
    .filter((row) => row.market === market && row.state !== 'refused' && dayNumber(row.trained_on) < day)
    .toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) ||
        dayNumber(b.trained_on) - dayNumber(a.trained_on) ||
        Number(b.created_at) - Number(a.created_at),
    )[0];
