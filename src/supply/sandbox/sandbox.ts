// The sandbox market, written once by COPY in one transaction: what test keys see and what tests run on.
// One room because the invented homes, owners, sales and layers must not contradict each other.
import { announceCatalog } from '../../base/db/catalog-news.ts';
import { copyRows } from '../../base/db/copy.ts';
import { inTransaction, type Client, type Pool, type Queryable } from '../../base/db/postgres.ts';
import { TODAY } from './dates.ts';
import { COUNTIES, MARKET, STATE } from './geography.ts';
import { generateWorld } from './world/world.ts';
import { tableRows } from './world/rows/rows.ts';
import { loadedAt, LOAD_DAYS, SOURCES, type FindLoad } from './world/sources.ts';
import {
  analyzeTables,
  deleteMarket,
  findBuilt,
  setValued,
  insertCounty,
  insertLoad,
  insertMarket,
  insertSource,
  lockBuild,
} from './sql.ts';

/** Increment whenever the generator's output changes, so that every installation rebuilds its sandbox. */
export const SANDBOX_VERSION = 10;
const DEFAULT_PROPERTIES = 20_000;
const MIN_PROPERTIES = 1_000;
/** Percent of the time spent generating; the rest is writing. */
const INVENTING = 35;

type SandboxOptions = {
  properties?: number;
  onProgress?: (done: number, total: number, what: string) => void;
};

/** Writes the sandbox unless this version already exists; an unfinished build leaves nothing behind. */
export async function buildSandbox(data: Pool, options: SandboxOptions = {}): Promise<void> {
  const properties = Math.max(MIN_PROPERTIES, options.properties ?? DEFAULT_PROPERTIES);
  if (await isSandboxReady(data, options.properties && properties)) return;
  const progress = (percent: number, what: string) => options.onProgress?.(Math.round(percent), 100, what);
  const world = generateWorld(properties, (done) => progress(INVENTING * (done / properties), 'generating the market'));
  await inTransaction(data, async (client) => {
    await lockBuild(client);
    if (await isSandboxReady(client, options.properties && properties)) return;
    await deleteMarket(client, MARKET, {
      counties: COUNTIES.map(({ fips }) => fips),
      sources: SOURCES.map(({ id }) => id),
    });
    const tables = tableRows(world, await insertCatalog(client, properties));
    for (const [index, { table, columns, rows }] of tables.entries()) {
      progress(INVENTING + (99 - INVENTING) * (index / tables.length), `writing ${table.replaceAll('_', ' ')}`);
      await copyRows(client, table, columns, rows);
    }
    await announceCatalog(client);
  });
  await analyzeTables(data);
  progress(100, 'sandbox ready');
}

/** Whether a finished sandbox of this version exists; with `properties`, of that size. */
async function isSandboxReady(data: Queryable, properties?: number): Promise<boolean> {
  const built = await findBuilt(data, MARKET);
  return built?.version === SANDBOX_VERSION && (properties === undefined || built.properties === properties);
}

/** Whether every home of the finished sandbox has its value. */
export async function isValued(data: Queryable): Promise<boolean> {
  return (await findBuilt(data, MARKET))?.is_valued === true;
}

export async function markValued(data: Queryable): Promise<void> {
  await setValued(data, MARKET);
}

async function insertCatalog(client: Client, properties: number): Promise<FindLoad> {
  await insertMarket(client, {
    id: MARKET,
    name: 'Sandbox Isle',
    state: STATE,
    description: 'Two invented counties on an invented island: every home, owner, sale and map line is synthetic.',
    frozenOn: TODAY,
  });
  for (const { fips, name } of COUNTIES) await insertCounty(client, fips, name, STATE);
  const loads = new Map<string, number>();
  for (const { id, name, cadence } of SOURCES) {
    await insertSource(client, id, name, cadence);
    const days = cadence === 'weekly' ? LOAD_DAYS : LOAD_DAYS.slice(0, 1);
    for (const day of days) {
      const counts = id === 'sandbox_assessor' ? { version: SANDBOX_VERSION, properties } : {};
      loads.set(
        `${id} ${day}`,
        await insertLoad(client, { sourceId: id, market: MARKET, at: loadedAt(day), publishedOn: day, counts }),
      );
    }
  }
  return (source, day) => loads.get(`${source} ${day}`) ?? loads.get(`${source} ${LOAD_DAYS[0]}`)!;
}
