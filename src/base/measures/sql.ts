// Every query on measurements.
import type { Queryable } from '../db/postgres.ts';
import { listRows } from '../db/statements.ts';

export interface MeasurementRow {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const columnsOf = (rows: MeasurementRow[]) => [
  rows.map(({ name }) => name),
  rows.map(({ labels }) => JSON.stringify(labels)),
  rows.map(({ value }) => value),
];

export const listMeasurements = (db: Queryable) =>
  listRows<MeasurementRow>(db)`select name, labels, value from measurements order by name, labels`;

/** Replaces all rows of these names. */
export async function replaceMeasurements(
  db: Queryable,
  names: string[],
  rows: MeasurementRow[],
  now: Date,
): Promise<void> {
  await db.query(
    `with fresh as (
       select * from unnest($2::text[], $3::jsonb[], $4::float8[]) as f (name, labels, value)
     ), gone as (
       delete from measurements m where m.name = any($1)
         and not exists (select from fresh where fresh.name = m.name and fresh.labels = m.labels)
     )
     insert into measurements as m (name, labels, value, measured_at) select name, labels, value, $5 from fresh order by 1, 2
     on conflict (name, labels) do update set value = excluded.value, measured_at = excluded.measured_at`,
    [names, ...columnsOf(rows), now],
  );
}

export async function addToMeasurements(db: Queryable, rows: MeasurementRow[], now: Date): Promise<void> {
  await db.query(
    `insert into measurements as m (name, labels, value, measured_at)
     select *, $4 from unnest($1::text[], $2::jsonb[], $3::float8[]) order by 1, 2
     on conflict (name, labels) do update set value = m.value + excluded.value, measured_at = excluded.measured_at`,
    [...columnsOf(rows), now],
  );
}
