// Every query on measurements.
import type { Queryable } from '../db/postgres.ts';
import { changeRows, findValue, listRows, part } from '../db/statements.ts';

export interface MeasurementRow {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const unnest = (rows: MeasurementRow[]) =>
  part`unnest(${rows.map(({ name }) => name)}::text[], ${rows.map(({ labels }) => JSON.stringify(labels))}::jsonb[],
    ${rows.map(({ value }) => value)}::float8[]) as f (name, labels, value)`;

export const listMeasurements = (db: Queryable) =>
  listRows<MeasurementRow>(db)`select name, labels, value from measurements order by name, labels`;

export const findMeasuredAt = (db: Queryable, name: string) =>
  findValue<Date>(db)`select max(measured_at) from measurements where name = ${name}`;

/** Replaces all rows of these names; those that say the same are not written again, thousands of them each minute. */
export const replaceMeasurements = (db: Queryable, names: string[], rows: MeasurementRow[], now: Date) =>
  changeRows(db)`
    with fresh as (
      select * from ${unnest(rows)}
    ), gone as (
      delete from measurements m where m.name = any(${names})
        and not exists (select from fresh where fresh.name = m.name and fresh.labels = m.labels)
    )
    insert into measurements as m (name, labels, value, measured_at) select name, labels, value, ${now} from fresh f
      where not exists (select from measurements o where o.name = f.name and o.labels = f.labels and o.value = f.value)
    order by 1, 2 on conflict (name, labels) do update set value = excluded.value, measured_at = excluded.measured_at`;

export const addToMeasurements = (db: Queryable, rows: MeasurementRow[], now: Date) =>
  changeRows(db)`
    insert into measurements as m (name, labels, value, measured_at) select f.*, ${now} from ${unnest(rows)} order by 1, 2
    on conflict (name, labels) do update set value = m.value + excluded.value, measured_at = excluded.measured_at`;
