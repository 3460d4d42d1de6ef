// Queries on the data plane: the sales and homes that valuations read, and the values they write.
import { STATED, type Stated, type Voucher } from '../avm/attributes.ts';
import { inTransaction, type Pool, type Queryable } from '../../base/db/postgres.ts';
import { changeRows, getValue, listRows, part, raw } from '../../base/db/statements.ts';
import { countChange, listCountiesOf } from '../../records/markets/sql.ts';

export type AttributeRow = Stated & { extras: Record<string, unknown>; assessments?: Rolled[] | null };

/** An assessment and its roll. */
type Rolled = { roll: string; known_on: string; value: number };

const ROLL = `a.known_on, concat_ws(' ', a.fips, a.source_id, a.year, a.known_on) as roll`;
const ASSESSED = 'coalesce(a.market_total, a.total)';
const ROLLED = `${ROLL}, ${ASSESSED} as value from assessments a where ${ASSESSED} > 0`;
const ATTRIBUTES = `${STATED.map(([name]) => `p.${name}`).join(', ')}, p.extras, (select json_agg(r) from (
    select ${ROLLED} and a.fips = p.fips and a.property_id = p.id order by a.year desc) r) as assessments`;

/** At least this many values known from the same day form a roll; fewer are corrections without their own level. */
const MIN_ROLLED = 100;

/** The median log of each roll of a market, which makes rolls of different years and bases comparable. */
export async function readRolls(data: Queryable, market: string): Promise<Map<string, number>> {
  const rows = await listRows<Rolled & { level: number }>(data)`
    select ${raw(ROLL)}, percentile_cont(0.5) within group (order by ln(${raw(ASSESSED)}::float8)) as level
    from assessments a where a.fips = any (${await listCountiesOf(data, market)}) and ${raw(ASSESSED)} > 0
    group by a.fips, a.source_id, a.year, a.known_on having count(*) >= ${MIN_ROLLED}`;
  return new Map(rows.map(({ roll, level }) => [roll, level]));
}

export const listRolled = (data: Queryable, { fips, id }: { fips: number; id: string }) =>
  listRows<Rolled>(data, 'list_rolled')`
    select ${raw(ROLLED)} and a.fips = ${fips} and a.property_id = ${id} order by a.year desc`;

export type SaleRow = AttributeRow & {
  sale_id: string;
  property_id: string;
  address_line1: string | null;
  address_unit: string | null;
  sale_date: string;
  date_precision: 'day' | 'month';
  known_on: string;
  price: number;
  /** The source of the market-price verdict. */
  vouched_by: Voucher | null;
  /** Attributes as of the sale, if the source records them. */
  attributes: Record<string, unknown> | null;
};

export const VALUED_TYPES = ['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured'] as const;

const SALES_AT_A_TIME = 5_000;

/** Passes the arm's-length sales of a market to `take`, a few thousand at a time, from one pass over the tables. */
export async function readSales(data: Pool, market: string, take: (rows: SaleRow[]) => void): Promise<void> {
  const counties = await listCountiesOf(data, market);
  await inTransaction(data, async (client) => {
    await changeRows(client)`declare sales no scroll cursor for
       select t.id as sale_id, t.property_id, case when v.market_price is true then 'operator'
         when t.arms_length_reason = 'stated_by_source' then 'publisher' end as vouched_by, t.sale_date, t.date_precision, t.known_on,
         t.price, t.attributes,
         p.address_line1, p.address_unit, ${raw(ATTRIBUTES)}
       from transactions t
       join properties p on p.fips = t.fips and p.id = t.property_id
       left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
         and v.decided_by = 'operator' and v.fips = any (${counties})
       where t.market = ${market} and t.fips = any (${counties}) and p.fips = any (${counties})
         and t.type = 'deed' and t.price >= 5000 and coalesce(v.market_price, t.arms_length) is not false
         and t.sale_date is not null and t.date_precision <> 'year' and t.retired_at is null
         and p.property_type = any (${VALUED_TYPES})`;
    for (let isMore = true; isMore;) {
      const rows = await listRows<SaleRow>(client)`fetch ${raw(SALES_AT_A_TIME)} from sales`;
      take(rows);
      isMore = rows.length > 0;
    }
  });
}

/** Changes whenever a load of the market finishes or an operator judges a sale, so processes reread the sales. */
export async function findDataToken(data: Queryable, market: string): Promise<string> {
  const loads = await getValue<string>(data)`
    select coalesce(max(id), 0) || ':' || count(*) as token from loads
    where (market = ${market} or market is null) and state = 'completed'`;
  const verdicts = await getValue<string>(data)`
    select count(*) || ':' || coalesce(extract(epoch from max(decided_at))::text, '') as token from sale_verdicts
    where fips = any(${await listCountiesOf(data, market)}) and market = ${market} and decided_by = 'operator'`;
  return `${loads}:${verdicts}`;
}

export type HomeRow = AttributeRow & { fips: number; id: string; value: number | null };

export async function listHomes(data: Queryable, market: string, after: { fips: number; id: string }, limit: number) {
  const counties = (await listCountiesOf(data, market)).filter((fips) => fips >= after.fips);
  return listRows<HomeRow>(data)`select p.fips, p.id, p.value, ${raw(ATTRIBUTES)}
    from properties p
    where p.fips = any (${counties}) and p.market = ${market}
      and (p.fips, p.id) > (${after.fips}::int, ${after.id}) and p.status = 'active'
      and p.property_type = any (${VALUED_TYPES})
    order by p.fips, p.id
    limit ${limit}`;
}

/** A stable sample of about this many homes of a market. */
export async function sampleHomes(data: Queryable, market: string, most: number): Promise<AttributeRow[]> {
  const homes = part`from properties p where p.fips = any (${await listCountiesOf(data, market)}) and p.market = ${market}
    and p.status = 'active' and p.property_type = any (${VALUED_TYPES})`;
  const count = await getValue<number>(data)`select count(*)::int as count ${homes}`;
  return listRows<AttributeRow>(data)`select ${raw(ATTRIBUTES)} ${homes}
    and hashtext(p.id) % ${Math.max(1, Math.ceil(count / most))}::int = 0 order by p.id`;
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

/** Writes the latest value to the property, a row of history, and an event where the value moved by 1% or more. Homes
    with the same value on the same day are skipped: after a small load that is most of them. */
export async function updateValues(data: Pool, values: NewValue[], on: Occasion): Promise<void> {
  await inTransaction(data, async (client) => {
    const counties = [...new Set(values.map(({ fips }) => fips))];
    const list = (name: keyof NewValue) => values.map((each) => each[name]);
    const valued = part`unnest(${list('fips')}::int[], ${list('id')}::text[], ${list('value')}::bigint[],
      ${list('low')}::bigint[], ${list('high')}::bigint[], ${list('fsd')}::real[]) as n (fips, id, value, low, high, fsd)`;
    const changed = await changeRows(client)`update properties p
      set value = n.value, value_low = n.low, value_high = n.high, value_fsd = n.fsd, value_model = ${on.model},
        valued_on = ${on.valuedOn}::date
      from ${valued}
      where p.fips = any(${counties}) and p.fips = n.fips and p.id = n.id
        and (p.value, p.value_low, p.value_high, p.value_fsd, p.value_model, p.valued_on)
          is distinct from (n.value, n.low, n.high, n.fsd, ${on.model}, ${on.valuedOn}::date)`;
    await changeRows(client)`
      insert into property_values (fips, property_id, valued_on, model, value, value_low, value_high, fsd)
      select n.fips, n.id, ${on.valuedOn}::date, ${on.model}, n.value, n.low, n.high, n.fsd from ${valued}
      where n.fips = any(${counties})
      on conflict (fips, property_id, valued_on) do update
      set model = excluded.model, value = excluded.value, value_low = excluded.value_low,
        value_high = excluded.value_high, fsd = excluded.fsd
      where (property_values.model, property_values.value, property_values.value_low, property_values.value_high,
          property_values.fsd)
        is distinct from (excluded.model, excluded.value, excluded.value_low, excluded.value_high, excluded.fsd)`;
    const moved = values.filter(({ before, value }) => before !== null && Math.abs(value - before) >= 0.01 * before);
    const movedOf = (name: keyof NewValue) => moved.map((each) => each[name]);
    await changeRows(client)`
      insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
      select n.fips, n.id, ${on.market}, 'valuation.changed', 'update', '{value}', jsonb_build_object('value', n.before),
        jsonb_build_object('value', n.value), ${on.at}
      from unnest(${movedOf('fips')}::int[], ${movedOf('id')}::text[], ${movedOf('before')}::bigint[],
        ${movedOf('value')}::bigint[]) as n (fips, id, before, value)`;
    if (changed > 0) await countChange(client, on.market, 'valued');
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

export const listValues = (data: Queryable, fips: number, propertyId: string) =>
  listRows<ValueRow>(data)`select valued_on, model, value, value_low, value_high, fsd
    from property_values
    where fips = ${fips} and property_id = ${propertyId}
    order by valued_on desc
    limit 120`;

/** Median household income by tract (per capita if that is all there is), for the fairness tables. */
export async function listTractIncomes(data: Queryable, market: string): Promise<{ tract: string; income: number }[]> {
  const tracts = await listRows<{ tract: string }>(data)`
    select distinct census_tract as tract from properties
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and census_tract is not null`;
  return listRows<{ tract: string; income: number }>(data)`
    select distinct on (c.geoid) c.geoid as tract,
      coalesce(c.median_household_income, c.per_capita_income)::float8 as income
    from census_tracts c
    where c.geoid = any (${tracts.map(({ tract }) => tract)})
      and coalesce(c.median_household_income, c.per_capita_income) is not null
    order by c.geoid`;
}
