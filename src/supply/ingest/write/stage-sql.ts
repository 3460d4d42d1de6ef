// Queries for the staging tables of a load, filled first, so no live table is touched before all files are read.
import { copyText } from '../../../base/db/copy.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client } from '../../../base/db/postgres.ts';
import { changeRows, findRow, getValue, listRows, raw } from '../../../base/db/statements.ts';
import type { LoadContext } from '../load-context.ts';
import type { Target } from '../source.ts';
import { columnsOf, STAGE_COLUMNS, TARGETS } from '../map/targets.ts';
import stageTypes from './stage-types.json' with { type: 'json' };

/** The types of the columns common to every staged row, and of those that exist only in a stage. */
const STAGE_TYPES: Record<string, string> = stageTypes;

export const stageOf = (target: Target) => `stage_${target}`;

/** Colocated with its table, if that is distributed. Dropped with the connection, or when the next dataset needs the
    name, so no load waits for file deletion. */
export async function createStage(client: Client, target: Target): Promise<void> {
  const own = new Set(target === 'properties' ? ['row_hash', 'source_key', 'creates', 'known_on'] : ['bulk_key']);
  const columns = [
    ...STAGE_COLUMNS.map((name) => `null::${STAGE_TYPES[name]} as ${name}`),
    ...columnsOf(target).map((name) => (own.has(name) ? `null::${STAGE_TYPES[name]} as ${name}` : `t.${name}`)),
  ];
  const query = `select ${columns.join(', ')} from ${target} t with no data`;
  await createStageTable(client, stageOf(target), query, { beside: target });
}

export const copyToStage = (client: Client, target: Target, columns: string[], text: string): Promise<void> =>
  copyText(client, stageOf(target), columns, [text]);

export async function analyzeStage(client: Client, target: Target): Promise<void> {
  // Only the columns that joins are planned by: statistics on sixty columns cost as much as staging them.
  const columns = keyOf(target).filter((name) => name !== 'known_on');
  await changeRows(client)`
    analyze ${raw(stageOf(target))} (${raw([...new Set([...columns, 'join_kind', 'join_key'])].join(', '))})`;
}

/** Finds the property of rows that identify it by another key. A key shared by several properties (one deed, three
    parcels) gives the row to each of them, or with `onlyOne` to none; a street address gives it to the parcel with the
    narrowest range of house numbers. */
export async function resolveJoins(client: Client, target: Target, { onlyOne }: { onlyOne: boolean }): Promise<void> {
  const stage = stageOf(target);
  const columns = [...STAGE_COLUMNS, ...columnsOf(target)];
  const others = columns.filter((name) => name !== 'property_id');
  if (onlyOne) {
    await changeRows(client)`
      update ${raw(stage)} s set join_kind = null
      where s.property_id is null and (
        select count(distinct k.property_id) from property_keys k
        where k.fips = s.fips and k.kind = s.join_kind and k.key = s.join_key) > 1`;
  }
  await changeRows(client)`
    insert into ${raw(stage)} (property_id, ${raw(others.join(', '))})
    select k.property_id, ${raw(others.map((name) => `s.${name}`).join(', '))}
    from ${raw(stage)} s
    join property_keys k on k.fips = s.fips and k.kind = s.join_kind and k.key = s.join_key
    where s.property_id is null and s.join_kind is not null and s.join_number is null`;
  await changeRows(client)`
    delete from ${raw(stage)} s
    where s.property_id is null and s.join_kind is not null and s.join_number is null
      and exists (select 1 from property_keys k where k.fips = s.fips and k.kind = s.join_kind and k.key = s.join_key)`;
  // No building in the files spans 500 house numbers; the bound lets the index do the search.
  await changeRows(client)`
    update ${raw(stage)} s set property_id = f.property_id
    from (
      select distinct on (w.fips, w.join_kind, w.join_key, w.join_number)
        w.fips, w.join_kind, w.join_key, w.join_number, k.property_id
      from (
        select distinct fips, join_kind, join_key, join_number from ${raw(stage)}
        where property_id is null and join_number is not null
      ) w
      join property_keys k on k.fips = w.fips and k.kind = w.join_kind and k.key = w.join_key
        and k.number_from between w.join_number - 500 and w.join_number and k.number_to >= w.join_number
        and (k.number_from = k.number_to or (w.join_number - k.number_from) % 2 = 0)
      order by w.fips, w.join_kind, w.join_key, w.join_number, k.number_to - k.number_from, k.property_id
    ) f
    where s.fips = f.fips and s.join_kind = f.join_kind and s.join_key = f.join_key and s.join_number = f.join_number`;
}

/** Of rows with the same key, keeps the one from the latest file and line. Returns how many were removed. Rows without
    a property are not duplicates of each other. */
export async function removeDuplicates(client: Client, target: Target, key: string[]): Promise<number> {
  const stage = stageOf(target);
  const known = raw(key.includes('property_id') ? 'where property_id is not null' : '');
  // Most files have none, and checking costs a fifth of sorting.
  const twice = await findRow(client)`
    select 1 from ${raw(stage)} ${known} group by ${raw(key.join(', '))} having count(*) > 1 limit 1`;
  if (!twice) return 0;
  const latest = target === 'properties' ? 'rank desc, known_on desc, line desc' : 'rank desc, line desc';
  return changeRows(client)`
    delete from ${raw(stage)} s using (
      select ${raw(key[0])}, ctid, row_number() over (partition by ${raw(key.join(', '))} order by ${raw(latest)}) as position
      from ${raw(stage)} ${known}
    ) r
    where s.${raw(key[0])} = r.${raw(key[0])} and s.ctid = r.ctid and r.position > 1`;
}

export const countStaged = (client: Client, target: Target) =>
  getValue<number>(client)`select count(*)::int from ${raw(stageOf(target))}`;

export async function createUnjoined(client: Client): Promise<void> {
  await changeRows(client)`drop table if exists unjoined`;
  await changeRows(client)`create temp table unjoined (target text, file text, line bigint)`;
}

/** Sets aside rows whose property is unknown. Returns how many. */
export async function moveUnjoined(client: Client, target: Target): Promise<number> {
  const stage = stageOf(target);
  const mayCreate = target === 'properties' ? 'and not coalesce(s.creates and s.property_id is not null, false)' : '';
  return changeRows(client)`
    with gone as (
      delete from ${raw(stage)} s
      where (s.property_id is null
        or not exists (select 1 from properties p where p.fips = s.fips and p.id = s.property_id)) ${raw(mayCreate)}
      returning s.file, s.line
    )
    insert into unjoined select ${target}, file, line from gone`;
}

export const listUnjoined = (client: Client) =>
  listRows<{ file: string; line: number }>(client)`select distinct file, line from unjoined order by file, line`;

/** Marks the deeds of a bulk sale: several parcels sold for one price under one key. */
export const markBulkSales = (client: Client, parcels: number) =>
  changeRows(client)`update stage_transactions s set arms_length = false, arms_length_reason = 'bulk'
    from (
      select bulk_key from stage_transactions
      where bulk_key is not null and price > 0
      group by bulk_key having count(distinct property_id) >= ${parcels}
    ) b
    where s.bulk_key = b.bulk_key and s.arms_length is distinct from false`;

/** One document with one price for several parcels is a package, whatever its source calls it. */
export const markPackages = (client: Client) =>
  changeRows(client)`update stage_transactions s set arms_length = false, arms_length_reason = 'bulk'
    from (
      select fips, document_number, book, page, price from stage_transactions
      where type = 'deed' and price > 0 and (document_number is not null or (book is not null and page is not null))
      group by fips, document_number, book, page, price having count(distinct property_id) > 1
    ) d
    where s.fips = d.fips and s.price = d.price and s.type = 'deed' and s.arms_length is distinct from false
      and (s.document_number, s.book, s.page) is not distinct from (d.document_number, d.book, d.page)`;

/** A sale that another source already reported, with a rounded price or a day apart, takes the existing id. */
export const matchSalesOfOtherSources = ({ client, dataset }: LoadContext) =>
  changeRows(client)`update stage_transactions s set id = t.id
    from transactions t
    where t.fips = s.fips and t.property_id = s.property_id and t.source_id <> ${dataset.id}
      and t.type = 'deed' and s.type = 'deed' and t.price > 0 and s.price > 0 and t.id <> s.id
      and abs(t.price - s.price) <= greatest(1, t.price / 1000)
      and case when t.date_precision = 'day' and s.date_precision = 'day'
        then abs(t.sale_date - s.sale_date) <= 3
        else date_trunc('month', t.sale_date::timestamp) = date_trunc('month', s.sale_date::timestamp) end
      and not exists (select 1 from transactions o where o.fips = s.fips and o.property_id = s.property_id and o.id = s.id)`;

/** If this source replaced a sale of the same home and day with another price, the sale was corrected: the new price
    replaces the old one. */
export const matchCorrectedSales = ({ client, dataset }: LoadContext) =>
  changeRows(client)`update stage_transactions s set id = c.id
    from (
      select s.fips, s.property_id, s.id as staged_id, t.id,
        count(*) over (partition by s.fips, s.property_id, s.id) as old_ones,
        count(*) over (partition by t.fips, t.property_id, t.id) as new_ones
      from stage_transactions s
      join transactions t on t.fips = s.fips and t.property_id = s.property_id and t.sale_date = s.sale_date
      where t.source_id = ${dataset.id} and t.type = 'deed' and s.type = 'deed' and t.retired_at is null
        and t.date_precision = 'day' and s.date_precision = 'day'
        and coalesce(t.document_number = s.document_number, true)
        and not exists (select 1 from stage_transactions o
          where o.fips = t.fips and o.property_id = t.property_id and o.id = t.id)
        and not exists (select 1 from transactions o
          where o.fips = s.fips and o.property_id = s.property_id and o.id = s.id)
    ) c
    where c.old_ones = 1 and c.new_ones = 1 and s.fips = c.fips and s.property_id = c.property_id and s.id = c.staged_id`;

/** Nationwide tables. */
export const isOfNoCounty = (target: Target): boolean => target === 'price_indexes' || target === 'mortgage_rates';

export function keyOf(target: Target): string[] {
  if (target === 'properties') return ['fips', 'property_id'];
  if (target === 'owners') return ['fips', 'property_id', 'known_on'];
  const spec = TARGETS[target];
  if (isOfNoCounty(target)) return spec.key;
  return spec.ofProperty ? ['fips', 'property_id', ...spec.key] : ['fips', ...spec.key];
}
