// The queries behind the facts of tenure and equity: their inputs, page by page, and their update.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, listRows, part, raw } from '../../base/db/statements.ts';
import type { PropertyRow } from '../properties/sql.ts';
import type { TenureColumns } from '../properties/schema.ts';
import types from './tenure-types.json' with { type: 'json' };

export type HeldRow = Pick<
  PropertyRow,
  | 'fips'
  | 'id'
  | 'state'
  | 'address_line1'
  | 'address_unit'
  | 'zip'
  | 'owner_occupied'
  | 'value'
  | 'value_low'
  | 'value_high'
  | 'open_tax_liens'
>;

export const listHeld = (db: Queryable, fips: number, market: string, afterId: string, limit: number) =>
  listRows<HeldRow>(db)`
    select fips, id, state, address_line1, address_unit, zip, owner_occupied, value, value_low, value_high, open_tax_liens
    from properties where fips = ${fips} and id > ${afterId} and market = ${market} and status = 'active'
    order by id limit ${limit}`;

export const listLienStatuses = (db: Queryable, fips: number, ids: readonly string[]) =>
  listRows<{ property_id: string; status: string }>(db)`
    select distinct property_id, status from tax_liens where fips = ${fips} and property_id = any(${ids})`;

const TYPES: Record<keyof TenureColumns, string> = types;
const NAMES = Object.keys(TYPES) as (keyof TenureColumns)[];
/** The facts whose changes create events; a balance falls every month, and occupancy needs its own scope. */
const TOLD = ['open_loans', 'free_and_clear', 'tax_delinquency', 'foreclosure_stage'] as const;

export interface Derived extends TenureColumns {
  id: string;
}

/** Writes changed facts, with change events if there were facts before. */
export async function updateTenure(
  client: Client,
  { fips, market, at }: { fips: number; market: string; at: Date },
  rows: readonly Derived[],
): Promise<void> {
  const lists = NAMES.map((name) => part`${rows.map((row) => row[name])}::${raw(TYPES[name])}[]`);
  const derived = part`unnest(${rows.map(({ id }) => id)}::text[], ${joinedBy(lists)})
    as n (id, ${raw(NAMES.join(', '))})`;
  const told = (table: string) => raw(TOLD.map((name) => `${table}.${name}`).join(', '));
  const object = (table: string) =>
    raw(`jsonb_build_object(${TOLD.map((name) => `'${name}', ${table}.${name}`).join(', ')})`);
  await changeRows(client)`
    insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
    select p.fips, p.id, ${market}, 'property.updated', 'update',
      array_remove(array[${raw(TOLD.map((name) => `case when p.${name} is distinct from n.${name} then '${name}' end`).join(', '))}], null),
      ${object('p')}, ${object('n')}, ${at}
    from ${derived} join properties p on p.fips = ${fips} and p.id = n.id
    where p.fips = ${fips} and (p.equity is not null or p.equity_reason is not null)
      and (${told('p')}) is distinct from (${told('n')})`;
  const values = (table: string) => raw(NAMES.map((name) => `${table}.${name}`).join(', '));
  await changeRows(client)`
    update properties p set ${raw(NAMES.map((name) => `${name} = n.${name}`).join(', '))}
    from ${derived} where p.fips = ${fips} and p.id = n.id and (${values('p')}) is distinct from (${values('n')})`;
}

const joinedBy = (parts: ReturnType<typeof part>[]) =>
  parts.slice(1).reduce((all, each) => part`${all}, ${each}`, parts[0]);
