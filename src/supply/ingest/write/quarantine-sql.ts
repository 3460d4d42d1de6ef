// Queries for the quarantine: rows that could not be loaded, kept with the reason until a replay accepts them.
import { copyRows } from '../../../base/db/copy.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, listRows, raw } from '../../../base/db/statements.ts';
import type { LoadContext } from '../load-context.ts';

export interface QuarantinedRow {
  file: string;
  line: number;
  reason: string;
  row: Record<string, string>;
}

export async function createQuarantineStage(client: Client): Promise<void> {
  await changeRows(client)`drop table if exists stage_quarantine`;
  await changeRows(client)`
    create temp table stage_quarantine (file text, line bigint, reason text, row_data jsonb)`;
}

export const copyQuarantined = (client: Client, rows: QuarantinedRow[]): Promise<number> =>
  copyRows(
    client,
    'stage_quarantine',
    ['file', 'line', 'reason', 'row_data'],
    rows.map((row) => [row.file, row.line, row.reason, row.row]),
  );

/** The quarantine holds what the last load rejected; rows that are still bad keep their ids. */
export async function writeQuarantine({ client, dataset, loadId, isReplay }: LoadContext): Promise<void> {
  const same = `q.file = s.file and q.line = s.line and q.reason = s.reason and q.row_data = s.row_data`;
  if (!isReplay) {
    await changeRows(client)`delete from quarantine q where q.source_id = ${dataset.id} and q.replayed_at is null
        and not exists (select 1 from stage_quarantine s where ${raw(same)})`;
  }
  await changeRows(client)`
    insert into quarantine (load_id, source_id, file, line, reason, row_data)
    select ${loadId}, ${dataset.id}, s.file, s.line, s.reason, s.row_data from stage_quarantine s
    where not exists (select 1 from quarantine q where q.source_id = ${dataset.id} and q.replayed_at is null and ${raw(same)})
    order by s.file, s.line`;
}

/** Counts bad rows by source and reason. Cell values are left out because they may be people's names. */
export const listQuarantine = (pool: Queryable, sourceId?: string) =>
  listRows<{ source_id: string; reason: string; rows: number; example_file: string; example_line: number }>(pool)`
    select source_id, reason, count(*) as rows, min(file) as example_file,
      (array_agg(line order by file, line))[1] as example_line
    from quarantine where replayed_at is null and (${sourceId ?? null}::text is null or source_id = ${sourceId ?? null}::text)
    group by source_id, reason order by source_id, rows desc`;

export const listQuarantinedRows = (client: Queryable, sourceId: string) =>
  listRows<{ id: number; file: string; line: number; row_data: Record<string, string> }>(client)`
    select min(id) as id, file, line, row_data from quarantine where source_id = ${sourceId} and replayed_at is null
    group by file, line, row_data order by min(id)`;

export const markReplayed = ({ client, dataset, at }: LoadContext) =>
  changeRows(client)`update quarantine q set replayed_at = ${at} where source_id = ${dataset.id} and replayed_at is null
      and not exists (select 1 from stage_quarantine s where s.file = q.file and s.line = q.line and s.reason = q.reason)`;
