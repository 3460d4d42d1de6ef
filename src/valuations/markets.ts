// The models a process serves from, each with the sales of its market around it; opened on first use, renewed after loads.
import type { Deps } from '../deps.ts';
import { dayNumber } from '../lib/clock.ts';
import { appraiseAll, readHome } from '../avm/appraise.ts';
import type { Sale } from '../avm/attributes.ts';
import type { ModelCard } from '../avm/card.ts';
import { openBookAside, type Book } from '../avm/evidence.ts';
import { calibrate, calibrationDay, openScores, type Calibration } from '../avm/interval.ts';
import type { Model, Scores } from '../avm/model.ts';
import { unpack } from '../avm/pack.ts';
import { saleOf } from './records.ts';
import { openShelf, type Sales } from '../avm/sale-shelf.ts';
import * as sql from './sql.ts';

export type OpenMarket = {
  model: Model;
  hash: string;
  card: ModelCard;
  book: Book;
  /** Which loads the sales are from. */
  snapshot: string;
  calibrationOn(day: number): Calibration;
};

type MarketDeps = Pick<Deps, 'data' | 'control'>;

const FRESH_MS = 10_000;
/** Each open model holds what it makes of every sale of its market; the one not asked for longest goes first. */
const MAX_OPEN = 12;

type Held = { at: number; snapshot: string; market: Promise<OpenMarket> };
const held = new WeakMap<object, Map<string, Held>>();
type HeldSales = { snapshot: string; sales: Promise<Sales> };
/** The models of a market look at the same sales. */
const heldSales = new WeakMap<object, Map<string, HeldSales>>();
const modelLists = new WeakMap<object, { at: number; rows: Promise<sql.ModelRow[]> }>();

/** Forgets what is held, after a training or a load in this process. */
export function forgetMarkets(deps: MarketDeps): void {
  held.delete(deps.control);
  heldSales.delete(deps.control);
  modelLists.delete(deps.control);
}

export async function listModels(deps: MarketDeps): Promise<sql.ModelRow[]> {
  const known = modelLists.get(deps.control);
  if (known && performance.now() - known.at < FRESH_MS) return known.rows;
  const rows = sql.listModels(deps.control);
  modelLists.set(deps.control, { at: performance.now(), rows });
  rows.catch(() => modelLists.delete(deps.control));
  return rows;
}

export async function openMarket(deps: MarketDeps, row: sql.ModelRow): Promise<OpenMarket> {
  let markets = held.get(deps.control);
  if (!markets) held.set(deps.control, (markets = new Map()));
  const known = markets.get(row.hash);
  if (known) {
    markets.delete(row.hash);
    markets.set(row.hash, known);
  }
  if (known && performance.now() - known.at < FRESH_MS) return known.market;
  const snapshot = await sql.findDataToken(deps.data, row.market);
  if (known && known.snapshot === snapshot) {
    known.at = performance.now();
    return known.market;
  }
  const market = loadMarket(deps, row, snapshot);
  const entry = { at: performance.now(), snapshot, market };
  markets.set(row.hash, entry);
  market.catch(() => markets.delete(row.hash));
  for (const hash of markets.keys()) if (markets.size > MAX_OPEN) markets.delete(hash);
  return market;
}

async function loadMarket(deps: MarketDeps, row: sql.ModelRow, snapshot: string): Promise<OpenMarket> {
  const bytes = await sql.findModelBytes(deps.control, row.hash);
  if (!bytes) throw new Error(`The bytes of model ${row.version} are gone.`);
  const sales = await shareSales(deps, row.market, snapshot);
  const model = unpack<Model>(bytes);
  // Models of before kinds of homes were told apart: all are of one kind.
  model.scores.type ??= Array.from(model.scores.score, () => '');
  model.scores.logValue ??= new Float64Array(model.scores.score.length);
  return assembleMarket(model, row, sales, snapshot);
}

function shareSales(deps: MarketDeps, market: string, snapshot: string): Promise<Sales> {
  let markets = heldSales.get(deps.control);
  if (!markets) heldSales.set(deps.control, (markets = new Map()));
  const known = markets.get(market);
  if (known?.snapshot === snapshot) return known.sales;
  const sales = shelveSales(deps, market);
  markets.set(market, { snapshot, sales });
  sales.catch(() => markets.delete(market));
  return sales;
}

async function assembleMarket(
  model: Model,
  row: Pick<sql.ModelRow, 'hash' | 'card'>,
  sales: Sales,
  snapshot: string,
): Promise<OpenMarket> {
  const book = await openBookAside(model, sales);
  const scores = withLaterScores(model, book);
  const calibrations = new Map<number, Calibration>();
  const calibrationOn = (asked: number): Calibration => {
    const day = calibrationDay(asked);
    let found = calibrations.get(day);
    if (!found) calibrations.set(day, (found = calibrate(scores, day, model.calibration)));
    return found;
  };
  return { model, hash: row.hash, card: row.card, book, snapshot, calibrationOn };
}

/** Sales that came after the model was scored are valued as of their own day, and their errors join the calibration. */
function withLaterScores(model: Model, book: Book): Scores {
  const { scores } = model;
  const scoredTo = scores.knownDay.length > 0 ? scores.knownDay[scores.knownDay.length - 1] : -Infinity;
  const { soldDay, knownDay } = book.evidence;
  const later = Array.from(soldDay.keys())
    .filter((i) => soldDay[i] > model.trainedOn && knownDay[i] > scoredTo)
    .toSorted((a, b) => knownDay[a] - knownDay[b])
    .slice(-model.calibration.sales)
    .map((i) => book.sales.at(i));
  if (later.length === 0) return scores;
  const grown = openScores(scores);
  const appraisals = appraiseAll(
    model,
    later.map((sale) => readHome(model, book, sale, sale.soldDay)),
  );
  later.forEach((sale, k) => grown.add(sale, appraisals[k].logValue, appraisals[k].sigma));
  return grown.all();
}

/** Every usable sale of a market, oldest first. */
export async function readSales(deps: Pick<Deps, 'data'>, market: string): Promise<Sale[]> {
  const sales = await shelveSales(deps, market);
  return Array.from({ length: sales.length }, (_, i) => sales.at(i));
}

async function shelveSales(deps: Pick<Deps, 'data'>, market: string): Promise<Sales> {
  const shelf = openShelf();
  await sql.readSales(deps.data, market, (rows) => {
    for (const row of rows) shelf.put(saleOf(row));
  });
  return shelf.close();
}

/** The newest model whose training ended before the day; undefined where the day is before all of them. */
export function modelFor(models: sql.ModelRow[], market: string, day: number): sql.ModelRow | undefined {
  return models
    .filter((row) => row.market === market && row.state !== 'refused' && dayNumber(row.trained_on) < day)
    .toSorted(
      (a, b) => dayNumber(b.trained_on) - dayNumber(a.trained_on) || Number(b.created_at) - Number(a.created_at),
    )[0];
}
