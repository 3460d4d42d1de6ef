// The standing random sample: values of homes chosen by hash are put aside every month and at every new model, sealed,
// and compared with the sales that come later.
import { createHash } from 'node:crypto';
import { DAY_MS } from '../../base/lib/clock.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import { labelOf } from '../avm/interval.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { canonicalJson, leafOf, rootOf } from '../../base/math/hashes.ts';
import { measureAccuracy } from '../training/metrics.ts';
import { findServing } from '../valuations/model-store.ts';
import * as sql from './sql.ts';

type SampleDeps = Pick<Deps, 'data' | 'control' | 'clock' | 'catalog'>;

/** A market with fewer valued homes is sampled whole. */
export const SAMPLE_HOMES = 20_000;
/** Public, so that anyone can tell which homes belong to the sample. */
export const SAMPLE_SALT = 'platbook sample 1|';

/** Puts values aside if this month's, or the serving model's, are not yet. Returns how many homes were added. */
export async function takeSample(deps: SampleDeps, market: string): Promise<number> {
  const serving = await findServing(deps, market);
  if (!serving) return 0;
  const key = { market, sampled_on: todayIn(await deps.catalog.read(), market, deps.clock), model: serving.version };
  const last = await sql.findLastSample(deps.data, market);
  const isDone = last?.model === key.model && last.sampled_on.slice(0, 7) === key.sampled_on.slice(0, 7);
  const added = isDone
    ? 0
    : await sql.insertSample(deps.data, key, { at: deps.clock(), salt: SAMPLE_SALT, most: SAMPLE_HOMES });
  await sealSamples(deps, market);
  return added;
}

/** Seals what is not yet sealed: the two planes share no transaction, and a crash may fall between. */
async function sealSamples(deps: SampleDeps, market: string): Promise<void> {
  for (const sample of await sql.listSamples(deps.data, market)) {
    await inTransaction(deps.control, async (client) => {
      await sql.lockSeals(client);
      const seals = await sql.listSeals(client);
      if (seals.some((seal) => isSameSample(seal, sample))) return;
      const last = seals.at(-1);
      const row = {
        ...sample,
        sequence: (last?.sequence ?? 0) + 1,
        root: await rootOfSample(deps, sample),
        previous_hash: last?.hash ?? null,
        sealed_at: deps.clock(),
      };
      await sql.insertSeal(client, { ...row, hash: hashOfSeal(row) });
    });
  }
}

const isSameSample = (a: sql.SampleKey, b: sql.SampleKey): boolean =>
  a.market === b.market && a.sampled_on === b.sampled_on && a.model === b.model;

async function rootOfSample({ data }: Pick<Deps, 'data'>, key: sql.SampleKey): Promise<Buffer> {
  return rootOf((await sql.listSampled(data, key)).map((row) => leafOf(canonicalJson(row))));
}

function hashOfSeal({ previous_hash, root, sealed_at, ...seal }: Omit<sql.SealRow, 'hash'>): Buffer {
  const { sequence, market, sampled_on, model, homes } = seal;
  return createHash('sha256')
    .update(previous_hash ?? '')
    .update(root)
    .update(sealed_at.toISOString())
    .update(canonicalJson({ sequence, market, sampled_on, model, homes }))
    .digest();
}

interface SealCheck {
  seals: number;
  lastSealedAt: Date | null;
  /** The first seal that its values, or the seal before it, do not lead to. */
  broken: sql.SampleKey | undefined;
}

/** Computes every seal again from the stored values; with a market, only its values, but the whole chain. */
export async function checkSeals(deps: Pick<Deps, 'data' | 'control'>, market?: string): Promise<SealCheck> {
  const seals = await sql.listSeals(deps.control);
  let previous: Buffer | null = null;
  let broken: sql.SampleKey | undefined;
  for (const seal of seals) {
    const follows = previous === null ? seal.previous_hash === null : seal.previous_hash?.equals(previous) === true;
    const isIntact = follows && hashOfSeal(seal).equals(seal.hash);
    const isWanted = market === undefined || seal.market === market;
    if (!isIntact || (isWanted && !(await rootOfSample(deps, seal)).equals(seal.root))) {
      const { market: of, sampled_on, model } = seal;
      broken ??= { market: of, sampled_on, model };
    }
    previous = seal.hash;
  }
  const own = seals.filter((seal) => market === undefined || seal.market === market);
  return { seals: own.length, lastSealedAt: own.at(-1)?.sealed_at ?? null, broken };
}

const DAYS_PER_MONTH = 365.25 / 12;
const AGES = [
  { name: 'under 3 months', upTo: 3 },
  { name: '3 to 6 months', upTo: 6 },
  { name: '6 to 12 months', upTo: 12 },
  { name: 'over 12 months', upTo: Infinity },
];

/** Compares the stored values with the sales that followed, as a whole, by how old the value was, and by confidence. */
export async function compareSample({ data }: Pick<Deps, 'data'>, market: string) {
  const samples = await sql.listSamples(data, market);
  const sold = await sql.listSold(data, market);
  const groupBy = (kind: 'all' | 'age' | 'confidence', nameOf: (row: sql.SoldRow) => string) =>
    [...Map.groupBy(sold, nameOf)].map(([name, rows]) => ({ kind, name, ...measureSold(rows) }));
  const groups = [
    ...groupBy('all', () => 'all'),
    ...groupBy('age', (row) => AGES.find(({ upTo }) => monthsBetween(row) < upTo)!.name),
    ...groupBy('confidence', ({ fsd }) => labelOf(fsd)),
  ];
  return { samples, sales: sold.length, groups };
}

function monthsBetween({ sampled_on, sale_date }: sql.SoldRow): number {
  return (Date.parse(sale_date) - Date.parse(sampled_on)) / DAY_MS / DAYS_PER_MONTH;
}

function measureSold(rows: sql.SoldRow[]) {
  const covered = rows.filter(({ price, value_low, value_high }) => price >= value_low && price <= value_high).length;
  const [values, prices] = [rows.map(({ value }) => value), rows.map(({ price }) => price)];
  return { accuracy: measureAccuracy(values, prices), coverage: covered / rows.length };
}
