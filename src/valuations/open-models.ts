// The models a process serves from, each with its market's sales; opened on first use and refreshed after loads.
import type { Pool } from '../db/postgres.ts';
import type { Connections } from '../deps.ts';
import { dayNumber } from '../lib/clock.ts';
import { appraiseAll, readHome, type Appraisal } from '../avm/appraise.ts';
import type { Sale } from '../avm/attributes.ts';
import type { ModelCard } from '../avm/card.ts';
import { openBookInSlices, type Book } from '../avm/evidence.ts';
import { calibrate, calibrationDay, openScores, type Calibration } from '../avm/interval.ts';
import type { Model, Scores } from '../avm/model.ts';
import { unpack } from '../avm/pack.ts';
import { isValuedType, saleOf } from './records.ts';
import { openSaleBuffer, type Sales } from '../avm/sales.ts';
import * as sql from './sql.ts';

/** A model together with its market's sales, ready to value homes. */
export interface OpenModel {
  model: Model;
  hash: string;
  card: ModelCard;
  book: Book;
  /** Identifies the loads that the sales come from. */
  snapshot: string;
  calibrationOn(day: number): Calibration;
}

interface OpenModels {
  list(): Promise<sql.ModelRow[]>;
  /** Opened once, however many callers ask at the same time. */
  open(row: sql.ModelRow): Promise<OpenModel>;
  /** Call after training or loading in this process. */
  forget(): void;
}

declare module '../deps.ts' {
  interface Deps {
    models: OpenModels;
  }
}

type ModelConnections = Pick<Connections, 'data' | 'control' | 'telemetry'>;

const FRESH_MS = 10_000;
/** Each open model holds its predictions for every sale of its market; the least recently used is closed first. */
const MAX_OPEN = 12;

interface Held {
  checkedAt: number;
  snapshot: string;
  model: Promise<OpenModel>;
}

export function createOpenModels(connections: ModelConnections): OpenModels {
  const held = new Map<string, Held>();
  const renewals = new Map<string, Promise<OpenModel>>();
  const shareSales = createSaleShare(connections);
  let listed: { readAt: number; rows: Promise<sql.ModelRow[]> } | undefined;

  function list(): Promise<sql.ModelRow[]> {
    if (listed && performance.now() - listed.readAt < FRESH_MS) return listed.rows;
    const fresh = { readAt: performance.now(), rows: sql.listModels(connections.control) };
    listed = fresh;
    fresh.rows.catch(() => {
      if (listed === fresh) listed = undefined;
    });
    return fresh.rows;
  }

  async function open(row: sql.ModelRow): Promise<OpenModel> {
    const known = held.get(row.hash);
    if (known) {
      held.delete(row.hash);
      held.set(row.hash, known);
      if (performance.now() - known.checkedAt < FRESH_MS) return known.model;
    }
    let renewal = renewals.get(row.hash);
    if (!renewal) {
      renewal = renew(row, known).finally(() => renewals.delete(row.hash));
      renewals.set(row.hash, renewal);
    }
    return renewal;
  }

  async function renew(row: sql.ModelRow, known: Held | undefined): Promise<OpenModel> {
    const snapshot = await sql.findDataToken(connections.data, row.market);
    if (known?.snapshot === snapshot) {
      known.checkedAt = performance.now();
      return known.model;
    }
    const facts = { 'platbook.market': row.market, 'platbook.model': row.version };
    const model = connections.telemetry.span('open model', { facts }, () =>
      loadModel(connections.control, row, snapshot, shareSales),
    );
    const fresh = { checkedAt: performance.now(), snapshot, model };
    held.set(row.hash, fresh);
    model.catch(() => {
      if (held.get(row.hash) === fresh) held.delete(row.hash);
    });
    for (const hash of held.keys()) if (held.size > MAX_OPEN) held.delete(hash);
    return model;
  }

  return {
    list,
    open,
    forget() {
      held.clear();
      shareSales.forget();
      listed = undefined;
    },
  };
}

interface SaleShare {
  (market: string, snapshot: string): Promise<Sales>;
  forget(): void;
}

/** All models of a market share one copy of its sales. */
function createSaleShare(connections: ModelConnections): SaleShare {
  const held = new Map<string, { snapshot: string; sales: Promise<Sales> }>();
  const share = (market: string, snapshot: string): Promise<Sales> => {
    const known = held.get(market);
    if (known?.snapshot === snapshot) return known.sales;
    const fresh = { snapshot, sales: bufferSales(connections, market) };
    held.set(market, fresh);
    fresh.sales.catch(() => {
      if (held.get(market) === fresh) held.delete(market);
    });
    return fresh.sales;
  };
  return Object.assign(share, { forget: () => held.clear() });
}

async function loadModel(
  control: Pool,
  row: sql.ModelRow,
  snapshot: string,
  shareSales: SaleShare,
): Promise<OpenModel> {
  const bytes = await sql.findModelBytes(control, row.hash);
  if (!bytes) throw new Error(`The bytes of model ${row.version} are missing.`);
  return assembleModel(unpack<Model>(bytes), row, await shareSales(row.market, snapshot), snapshot);
}

async function assembleModel(
  model: Model,
  row: Pick<sql.ModelRow, 'hash' | 'card'>,
  sales: Sales,
  snapshot: string,
): Promise<OpenModel> {
  const book = await openBookInSlices(model, sales);
  const scoresBefore = followScores(model, book);
  const calibrations = new Map<number, Calibration>();
  const calibrationOn = (asked: number): Calibration => {
    const day = calibrationDay(asked);
    let found = calibrations.get(day);
    if (!found) calibrations.set(day, (found = calibrate(scoresBefore(day), day, model.calibration)));
    return found;
  };
  return { model, hash: row.hash, card: row.card, book, snapshot, calibrationOn };
}

/**
 * The model's scores, and those of the sales since then that were known before the day. Of these only the latest that
 * calibrate are valued, each once, as of its own day: a busy market has far more, and every day its own latest ones.
 */
function followScores(model: Model, book: Book): (day: number) => Scores {
  const { scores } = model;
  const scoredTo = scores.knownDay.length > 0 ? scores.knownDay[scores.knownDay.length - 1] : -Infinity;
  const { soldDay, knownDay } = book.evidence;
  const later = Array.from(soldDay.keys())
    .filter((i) => soldDay[i] > model.trainedOn && knownDay[i] > scoredTo && !book.odd.has(book.sales.at(i).id))
    .toSorted((a, b) => knownDay[a] - knownDay[b]);
  const appraised = new Map<number, Appraisal>();
  return (day) => {
    const latest = later.filter((i) => knownDay[i] < day).slice(-model.calibration.sales);
    if (latest.length === 0) return scores;
    const fresh = latest.filter((i) => !appraised.has(i));
    const readings = fresh.map((i) => readHome(model, book, book.sales.at(i), soldDay[i]));
    appraiseAll(model, readings).forEach((appraisal, k) => appraised.set(fresh[k], appraisal));
    const grown = openScores(scores);
    for (const i of latest) {
      const { logValue, sigma } = appraised.get(i)!;
      grown.add(book.sales.at(i), logValue, sigma);
    }
    return grown.all();
  };
}

/** Every usable sale of a market, oldest first. */
export async function readSales(deps: Pick<Connections, 'data'>, market: string): Promise<Sale[]> {
  const sales = await bufferSales(deps, market);
  return Array.from({ length: sales.length }, (_, i) => sales.at(i));
}

async function bufferSales(deps: Pick<Connections, 'data'>, market: string): Promise<Sales> {
  const buffer = openSaleBuffer();
  await sql.readSales(deps.data, market, (rows) => {
    // What was sold may have been a lot, or a shop, on which a home stands today.
    for (const sale of rows.map(saleOf)) if (isValuedType(sale.attributes.propertyType)) buffer.put(sale);
  });
  return buffer.close();
}

/** The newest model whose training ended before the day; undefined if the day precedes all of them. */
export function modelFor(models: sql.ModelRow[], market: string, day: number): sql.ModelRow | undefined {
  return models
    .filter((row) => row.market === market && row.state !== 'refused' && dayNumber(row.trained_on) < day)
    .toSorted(
      (a, b) => dayNumber(b.trained_on) - dayNumber(a.trained_on) || Number(b.created_at) - Number(a.created_at),
    )[0];
}
