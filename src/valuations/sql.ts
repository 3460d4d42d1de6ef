// Every query of the valuations: sales and properties from the data plane, models and receipts on the control plane.
import type { PlanCuts } from '../accounts/plans.ts';
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts';
import { copyBytes } from '../db/copy.ts';
import { inTransaction, type Client, type Pool, type Queryable } from '../db/postgres.ts';
import type { ModelCard } from '../avm/card.ts';
import { MODEL_HEADER } from '../avm/pack.ts';
import { BOOK_FORMAT } from '../avm/packed-book.ts';
import { listCountiesOf } from '../markets/catalog.ts';

export type AttributeRow = {
  property_type: string;
  latitude: number | null;
  longitude: number | null;
  sqft: number | null;
  lot_sqft: number | null;
  bedrooms: number | null;
  bathrooms: number | null;
  baths_full: number | null;
  baths_half: number | null;
  year_built: number | null;
  effective_year_built: number | null;
  stories: number | null;
  units: number | null;
  rooms: number | null;
  garage_spaces: number | null;
  condition: string | null;
  quality: string | null;
  style: string | null;
  exterior: string | null;
  zip: string | null;
  city: string | null;
  neighborhood: string | null;
  subdivision: string | null;
  census_tract: string | null;
  extras: Record<string, unknown>;
};

const ATTRIBUTES = `p.property_type, p.latitude, p.longitude, p.sqft, p.lot_sqft, p.bedrooms, p.bathrooms, p.baths_full, p.baths_half,
  p.year_built, p.effective_year_built, p.stories, p.units, p.rooms, p.garage_spaces, p.condition, p.quality, p.style, p.exterior,
  p.zip, p.city, p.neighborhood, p.subdivision, p.census_tract, p.extras`;

export type SaleRow = AttributeRow & {
  sale_id: string;
  property_id: string;
  address_line1: string | null;
  address_unit: string | null;
  sale_date: string;
  date_precision: 'day' | 'month';
  known_on: string;
  price: number;
  /** An operator, or the publisher who reviewed it, says that it is a market price. */
  is_vouched: boolean;
  /** As they stood at the sale, if the source records that. */
  attributes: Record<string, unknown> | null;
};

export const VALUED_TYPES = ['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured'] as const;

const SALES_AT_A_TIME = 5_000;

/** Passes the arm's-length sales of a market to `take`, a few thousand at a time, from one pass over the tables. */
export async function readSales(data: Pool, market: string, take: (rows: SaleRow[]) => void): Promise<void> {
  const counties = await listCountiesOf(data, market);
  await inTransaction(data, async (client) => {
    await client.query(
      `declare sales no scroll cursor for
       select t.id as sale_id, t.property_id, (v.market_price is true or t.arms_length_reason = 'stated_by_source') as is_vouched, t.sale_date, t.date_precision, t.known_on, t.price, t.attributes,
         p.address_line1, p.address_unit, ${ATTRIBUTES}
       from transactions t
       join properties p on p.fips = t.fips and p.id = t.property_id
       left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
         and v.decided_by = 'operator' and v.fips = any ($3)
       where t.market = $1 and t.fips = any ($3) and p.fips = any ($3)
         and t.type = 'deed' and t.price >= 5000 and coalesce(v.market_price, t.arms_length) is not false
         and t.sale_date is not null and t.date_precision <> 'year' and t.retired_at is null
         and p.property_type = any ($2)`,
      [market, VALUED_TYPES, counties],
    );
    for (let isMore = true; isMore;) {
      const { rows } = await client.query<SaleRow>(`fetch ${SALES_AT_A_TIME} from sales`);
      take(rows);
      isMore = rows.length > 0;
    }
  });
}

/** Changes whenever a load of the market finishes or an operator judges a sale, which tells a process that its sales are
    out of date. */
export async function findDataToken(data: Queryable, market: string): Promise<string> {
  const loads = await data.query<{ token: string }>(
    `select coalesce(max(id), 0) || ':' || count(*) as token from loads
     where (market = $1 or market is null) and state = 'completed'`,
    [market],
  );
  const verdicts = await data.query<{ token: string | null }>(
    `select ':' || count(*) || ':' || extract(epoch from max(decided_at)) as token from sale_verdicts
     where fips = any($2) and market = $1 and decided_by = 'operator'`,
    [market, await listCountiesOf(data, market)],
  );
  return loads.rows[0].token + (verdicts.rows[0].token ?? '');
}

export type HomeRow = AttributeRow & { fips: number; id: string; value: number | null };

export async function listHomes(
  data: Queryable,
  market: string,
  after: { fips: number; id: string },
  limit: number,
): Promise<HomeRow[]> {
  const counties = await listCountiesOf(data, market);
  const { rows } = await data.query(
    `select p.fips, p.id, p.value, ${ATTRIBUTES}
     from properties p
     where p.fips = any ($6) and p.market = $1 and (p.fips, p.id) > ($2::int, $3) and p.status = 'active' and p.property_type = any ($4)
     order by p.fips, p.id
     limit $5`,
    [market, after.fips, after.id, VALUED_TYPES, limit, counties.filter((fips) => fips >= after.fips)],
  );
  return rows;
}

/** About so many homes of a market, always the same ones. */
export async function sampleHomes(data: Queryable, market: string, most: number): Promise<AttributeRow[]> {
  const homes = `from properties p
    where p.fips = any ($3) and p.market = $1 and p.status = 'active' and p.property_type = any ($2)`;
  const wanted = [market, VALUED_TYPES, await listCountiesOf(data, market)];
  const counted = await data.query<{ count: number }>(`select count(*)::int as count ${homes}`, wanted);
  const { rows } = await data.query(`select ${ATTRIBUTES} ${homes} and hashtext(p.id) % $4::int = 0 order by p.id`, [
    ...wanted,
    Math.max(1, Math.ceil(counted.rows[0].count / most)),
  ]);
  return rows;
}

export type NewValue = {
  fips: number;
  id: string;
  before: number | null;
  value: number;
  low: number;
  high: number;
  fsd: number;
};
type Occasion = { market: string; model: string; valuedOn: string; at: Date };

/** Writes the latest value to the property, a row of history, and an event where the value moved by 1% or more. Homes that
    were given the same value on the same day before are left as they are: after a small load that is most of them. */
export async function updateValues(data: Pool, values: NewValue[], on: Occasion): Promise<void> {
  await inTransaction(data, async (client) => {
    const columns = ['fips', 'id', 'value', 'low', 'high', 'fsd'] as const;
    const counties = [...new Set(values.map(({ fips }) => fips))];
    const parameters = [on.model, on.valuedOn, counties, ...columns.map((name) => values.map((each) => each[name]))];
    const valued =
      'unnest($4::int[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::real[]) as n (fips, id, value, low, high, fsd)';
    await client.query(
      `update properties p
       set value = n.value, value_low = n.low, value_high = n.high, value_fsd = n.fsd, value_model = $1, valued_on = $2::date
       from ${valued}
       where p.fips = any($3) and p.fips = n.fips and p.id = n.id
         and (p.value, p.value_low, p.value_high, p.value_fsd, p.value_model, p.valued_on)
           is distinct from (n.value, n.low, n.high, n.fsd, $1, $2::date)`,
      parameters,
    );
    await client.query(
      `insert into property_values (fips, property_id, valued_on, model, value, value_low, value_high, fsd)
       select n.fips, n.id, $2::date, $1, n.value, n.low, n.high, n.fsd from ${valued} where n.fips = any($3)
       on conflict (fips, property_id, valued_on) do update
       set model = excluded.model, value = excluded.value, value_low = excluded.value_low, value_high = excluded.value_high, fsd = excluded.fsd
       where (property_values.model, property_values.value, property_values.value_low, property_values.value_high,
           property_values.fsd)
         is distinct from (excluded.model, excluded.value, excluded.value_low, excluded.value_high, excluded.fsd)`,
      parameters,
    );
    const moved = values.filter(({ before, value }) => before !== null && Math.abs(value - before) >= 0.01 * before);
    await client.query(
      `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
       select n.fips, n.id, $1, 'valuation.changed', 'update', '{value}', jsonb_build_object('value', n.before),
         jsonb_build_object('value', n.value), $2
       from unnest($3::int[], $4::text[], $5::bigint[], $6::bigint[]) as n (fips, id, before, value)`,
      [
        on.market,
        on.at,
        ...(['fips', 'id', 'before', 'value'] as const).map((name) => moved.map((each) => each[name])),
      ],
    );
  });
}

export type ValueRow = {
  valued_on: string;
  model: string;
  value: number;
  value_low: number;
  value_high: number;
  fsd: number;
};

export async function listValues(data: Queryable, fips: number, propertyId: string): Promise<ValueRow[]> {
  const { rows } = await data.query(
    `select valued_on, model, value, value_low, value_high, fsd
     from property_values
     where fips = $1 and property_id = $2
     order by valued_on desc
     limit 120`,
    [fips, propertyId],
  );
  return rows;
}

/** Properties in the cells around a point; the caller picks the nearest. */
export async function listAround(
  data: Queryable,
  counties: number[],
  cells: number[],
): Promise<{ id: string; latitude: number; longitude: number; market: string }[]> {
  const { rows } = await data.query(
    `select id, latitude, longitude, market from properties
     where fips = any ($1) and cell_fine = any ($2) and status = 'active' and latitude is not null`,
    [counties, cells],
  );
  return rows;
}

/** Median household income by tract (per capita where that is all there is), for the fairness tables. */
export async function listTractIncomes(data: Queryable, market: string): Promise<{ tract: string; income: number }[]> {
  const tracts = await data.query<{ tract: string }>(
    `select distinct census_tract as tract from properties where fips = any ($2) and market = $1 and census_tract is not null`,
    [market, await listCountiesOf(data, market)],
  );
  const { rows } = await data.query(
    `select distinct on (c.geoid) c.geoid as tract, coalesce(c.median_household_income, c.per_capita_income)::float8 as income
     from census_tracts c
     where c.geoid = any ($1)
       and coalesce(c.median_household_income, c.per_capita_income) is not null
     order by c.geoid`,
    [tracts.rows.map(({ tract }) => tract)],
  );
  return rows;
}

export type ModelRow = {
  version: string;
  market: string;
  state: 'current' | 'earlier' | 'refused';
  trained_on: string;
  hash: string;
  created_at: Date;
};

export type ModelWithCard = ModelRow & { card: ModelCard };

const MODEL = 'version, market, state, trained_on, hash, created_at';

/** Models that this version can read; a market whose model was packed by another version counts as not trained. */
const READABLE = 'substring(bytes for $2) = $1';
const READABLE_VALUES = [MODEL_HEADER, MODEL_HEADER.length];
const NEWEST_FIRST = 'order by market, trained_on desc, created_at desc';

export async function listModels(control: Queryable): Promise<ModelRow[]> {
  const { rows } = await control.query(
    `select ${MODEL} from models where ${READABLE} ${NEWEST_FIRST}`,
    READABLE_VALUES,
  );
  return rows;
}

/** Changes whenever a model is published, refused or demoted. */
export async function findModelsToken(control: Queryable): Promise<string> {
  const { rows } = await control.query(
    `select concat_ws(':', count(*), count(*) filter (where state = 'current'), count(*) filter (where state = 'refused'),
       extract(epoch from max(created_at)), sum(hashtext(version)) filter (where state = 'current')) as token from models`,
  );
  return rows[0].token;
}

/** Of one market, or of all. */
export async function listModelCards(control: Queryable, market?: string): Promise<ModelWithCard[]> {
  const { rows } = await control.query(
    `select ${MODEL}, card from models where ${READABLE} and ($3::text is null or market = $3) ${NEWEST_FIRST}`,
    [...READABLE_VALUES, market ?? null],
  );
  return rows;
}

export async function findModelCard(control: Queryable, version: string): Promise<ModelCard> {
  const { rows } = await control.query('select card from models where version = $1', [version]);
  if (rows.length === 0) throw new Error(`The model ${version} is no longer stored.`);
  return rows[0].card;
}

export async function findModelBytes(control: Queryable, hash: string): Promise<Buffer | undefined> {
  const { rows } = await control.query('select bytes from models where hash = $1 limit 1', [hash]);
  return rows[0]?.bytes;
}

export type NewModel = Omit<ModelWithCard, 'created_at'> & { bytes: Buffer; createdAt: Date };

/**
 * A new current model demotes the previous one to earlier. None is ever deleted, so that it can be pinned and its
 * receipts replay. Inserting a version again replaces it, but a refusal does not withdraw a version that was
 * published.
 */
export async function insertModels(control: Pool, models: NewModel[]): Promise<void> {
  await inTransaction(control, async (client) => {
    for (const model of models) {
      if (model.state === 'current')
        await client.query(`update models set state = 'earlier' where market = $1 and state = 'current'`, [
          model.market,
        ]);
      await client.query(
        `insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (version) do update
         set state = case when excluded.state = 'refused' then models.state else excluded.state end, hash = excluded.hash, card = excluded.card, bytes = excluded.bytes, created_at = excluded.created_at`,
        [
          model.version,
          model.market,
          model.state,
          model.trained_on,
          model.hash,
          JSON.stringify(model.card),
          model.bytes,
          model.createdAt,
        ],
      );
    }
  });
}

type BookKey = { hash: string; snapshot: string };
export type NewBook = BookKey & { size: number; createdAt: Date };

export async function findBook(control: Queryable, { hash, snapshot }: BookKey): Promise<{ size: number } | undefined> {
  const { rows } = await control.query(
    'select size from model_books where hash = $1 and snapshot = $2 and format = $3',
    [hash, snapshot, BOOK_FORMAT],
  );
  return rows[0];
}

/** Passes the chunks of a book to `take`, one at a time; false if the book is not there any more. */
export async function readBookChunks(
  control: Pool,
  book: BookKey,
  take: (chunk: Buffer) => Promise<void>,
): Promise<boolean> {
  return inTransaction(control, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    if (!(await findBook(client, book))) return false;
    const hash = client.escapeLiteral(book.hash);
    const chunks = `select bytes from model_book_chunks where hash = ${hash} order by number`;
    for await (const chunk of copyBytes(client, chunks)) await take(chunk);
    return true;
  });
}

/** Does the work in a transaction unless another process holds the same book, or has made it meanwhile. */
export async function holdingBook(
  control: Pool,
  book: BookKey,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  await inTransaction(control, async (client) => {
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1::int, hashtext($2)) as free', [
      ADVISORY_LOCKS.book,
      book.hash,
    ]);
    if (rows[0].free && !(await findBook(client, book))) await work(client);
  });
}

/** A model has one book; those of models that are gone go with it. */
export async function replaceBook(client: Queryable, { hash, snapshot, size, createdAt }: NewBook): Promise<void> {
  await client.query(
    `delete from model_books b where hash = $1
       or (created_at < $2::timestamptz - interval '1 day' and not exists (select from models m where m.hash = b.hash))`,
    [hash, createdAt],
  );
  await client.query('insert into model_books (hash, snapshot, format, size, created_at) values ($1, $2, $3, $4, $5)', [
    hash,
    snapshot,
    BOOK_FORMAT,
    size,
    createdAt,
  ]);
}

export async function insertBookChunk(client: Queryable, hash: string, number: number, bytes: Buffer): Promise<void> {
  await client.query('insert into model_book_chunks (hash, number, bytes) values ($1, $2, $3)', [hash, number, bytes]);
}

export async function deleteBook(control: Queryable, { hash, snapshot }: BookKey): Promise<void> {
  await control.query('delete from model_books where hash = $1 and snapshot = $2', [hash, snapshot]);
}

export type ReceiptRow = {
  id: string;
  account_id: string;
  mode: 'live' | 'test';
  property_id: string | null;
  market: string;
  model_version: string;
  model_hash: string;
  as_of: string;
  /** Request, inputs and result; see receipts.ts. */
  document: Buffer;
  created_at: Date;
};

/** Many rows in one statement, so that the disk is waited for once. */
export async function insertReceipts(control: Queryable, rows: readonly ReceiptRow[]): Promise<void> {
  const values = rows.flatMap((row) => [
    row.id,
    row.account_id,
    row.mode,
    row.property_id,
    row.market,
    row.model_version,
    row.model_hash,
    row.as_of,
    row.document,
    row.created_at,
  ]);
  const width = values.length / rows.length;
  const tuples = rows.map(
    (_, row) => `(${Array.from({ length: width }, (_, i) => `$${row * width + i + 1}`).join(', ')})`,
  );
  await control.query({
    name: `insert_receipts_${rows.length}`,
    text: `insert into valuations (id, account_id, mode, property_id, market, model_version, model_hash, as_of, document, created_at)
     values ${tuples.join(', ')}`,
    values,
  });
}

export async function findReceipt(control: Queryable, id: string): Promise<ReceiptRow | undefined> {
  const { rows } = await control.query('select * from valuations where id = $1', [id]);
  return rows[0];
}

export async function listReceipts(control: Queryable, ids: string[]): Promise<ReceiptRow[]> {
  const { rows } = await control.query('select * from valuations where id = any ($1)', [ids]);
  return rows;
}

/** Some of the receipts past their time, or beyond what the sandbox keeps for an account; the rest when called again. */
export async function deleteOldReceipts(control: Queryable, cuts: PlanCuts, sandboxMost: number): Promise<number> {
  const { rowCount: old } = await control.query(
    `delete from valuations where id in (
       select v.id from valuations v join accounts a on a.id = v.account_id
       join unnest($1::text[], $2::text[], $3::timestamptz[]) as k (plan, mode, before)
         on k.plan = a.plan and k.mode = v.mode and v.created_at < k.before
       where v.created_at < $4 limit 10000)`,
    [cuts.plans, cuts.modes, cuts.befores, cuts.latest],
  );
  const { rowCount: beyond } = await control.query(
    `delete from valuations where id in (
       select n.id from (
         select v.id, row_number() over (partition by v.account_id order by v.created_at desc, v.id desc) as place
         from valuations v where v.mode = 'test') n
       where n.place > $1 limit 10000)`,
    [sandboxMost],
  );
  return (old ?? 0) + (beyond ?? 0);
}
