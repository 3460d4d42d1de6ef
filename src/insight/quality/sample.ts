// The standing random sample: values of homes chosen by hash are stored every month and for every new model, signed,
// and compared with later sales.
import { DAY_MS } from '../../base/lib/clock.ts';
import { isSameBytes } from '../../base/lib/secrets.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import { labelOf } from '../avm/interval.ts';
import type { Deps } from '../../base/deps.ts';
import { canonicalJson, leafOf, rootOf } from '../../base/math/hashes.ts';
import { measureAccuracy } from '../training/metrics.ts';
import { findServing } from '../valuations/model-store.ts';
import * as sql from './sql.ts';

type SampleDeps = Pick<Deps, 'data' | 'control' | 'clock' | 'catalog' | 'secrets'>;

/** A market with fewer valued homes is sampled completely. */
export const SAMPLE_HOMES = 20_000;
/** Public, so that anyone can verify which homes are in the sample. */
export const SAMPLE_SALT = 'platbook sample 1|';

/** Stores sample values for this month and the serving model, if missing. Returns how many homes were added. */
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

/** Seals unsealed samples: the two planes share no transaction, so a crash may leave some. */
async function sealSamples(deps: SampleDeps, market: string): Promise<void> {
  const seals = await sql.listSeals(deps.control, market);
  for (const sample of await sql.listSamples(deps.data, market)) {
    if (seals.some((seal) => isSameSample(seal, sample))) continue;
    const row = { ...sample, root: await rootOfSample(deps, sample), sealed_at: deps.clock() };
    await sql.insertSeal(deps.control, { ...row, signature: deps.secrets.attest(statementOf(row)) });
  }
}

const isSameSample = (a: sql.SampleKey, b: sql.SampleKey): boolean =>
  a.market === b.market && a.sampled_on === b.sampled_on && a.model === b.model;

const rootOfSample = async ({ data }: Pick<Deps, 'data'>, key: sql.SampleKey): Promise<Buffer> =>
  rootOf((await sql.listSampled(data, key)).map((row) => leafOf(canonicalJson(row))));

const statementOf = ({ market, sampled_on, model, homes, root, sealed_at }: Omit<sql.SealRow, 'signature'>): string =>
  canonicalJson({ market, sampled_on, model, homes, root: root.toString('hex'), sealed_at: sealed_at.toISOString() });

/** Checks the seals of one market, or of all, against our key and the stored values; `broken` is the first mismatch. */
export async function checkSeals(deps: Pick<Deps, 'data' | 'control' | 'secrets'>, market?: string) {
  const seals = await sql.listSeals(deps.control, market ?? null);
  let broken: sql.SampleKey | undefined;
  for (const seal of seals) {
    const isOurs = isSameBytes(deps.secrets.attest(statementOf(seal)), seal.signature);
    if (!isOurs || !(await rootOfSample(deps, seal)).equals(seal.root)) broken ??= seal;
  }
  return { seals: seals.length, lastSealedAt: seals.at(-1)?.sealed_at ?? null, broken };
}

const DAYS_PER_MONTH = 365.25 / 12;
const AGES = [
  { name: 'under 3 months', upTo: 3 },
  { name: '3 to 6 months', upTo: 6 },
  { name: '6 to 12 months', upTo: 12 },
  { name: 'over 12 months', upTo: Infinity },
];

/** Compares the stored values with the sales that followed: overall, by age of the value, and by confidence. */
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

const monthsBetween = ({ sampled_on, sale_date }: sql.SoldRow): number =>
  (Date.parse(sale_date) - Date.parse(sampled_on)) / DAY_MS / DAYS_PER_MONTH;

function measureSold(rows: sql.SoldRow[]) {
  const covered = rows.filter(({ price, value_low, value_high }) => price >= value_low && price <= value_high).length;
  const [values, prices] = [rows.map(({ value }) => value), rows.map(({ price }) => price)];
  return { accuracy: measureAccuracy(values, prices), coverage: covered / rows.length };
}
