// Counts, by county, how many properties have each field, and finds its main source.
import type { Client } from '../../../base/db/postgres.ts';
import { changeRows, listRows, part, raw } from '../../../base/db/statements.ts';
import { listDefinitions } from '../../layers/sql.ts';
import { LAYER_FIELD, STATED_FIELDS, type FieldCounts } from '../stated-fields.ts';
import { countValued } from './layers-sql.ts';

const COLUMNS = Object.keys(STATED_FIELDS);
/** A larger county is sampled by every eighth property, which is enough to find the main sources. */
const SAMPLED_ABOVE = 20_000;

interface SourceRow {
  fips: number;
  /** Null for the default source. */
  field: string | null;
  source: string | null;
  count: number;
}

export async function refreshFieldCounts(client: Client, market: string, counties: number[]): Promise<void> {
  const rows = await listRows<Record<string, number> & { fips: number; total: number }>(client)`
    select fips, count(*) as total, ${raw(COLUMNS.map((name) => `count(${name}) as ${name}`).join(', '))}
    from properties where fips = any(${counties}) and market = ${market} and status = 'active' group by fips`;
  const all = rows.reduce((sum, { total }) => sum + total, 0);
  const sources = await listSources(client, market, counties, all > SAMPLED_ABOVE);
  const valued: [name: string, counts: Map<number, number>][] = [];
  for (const layer of await listDefinitions(client))
    valued.push([`${LAYER_FIELD}${layer.name}`, await countValued(client, layer, { market, counties })]);
  await changeRows(client)`delete from field_counts where market = ${market}`;
  const counted = rows.map((row) => ({
    fips: row.fips,
    total: row.total,
    fields: {
      ...fieldsOf(row, sources.get(row.fips) ?? []),
      ...Object.fromEntries(
        valued.flatMap(([name, counts]) => {
          const stated = counts.get(row.fips);
          return stated ? [[name, { stated, source: null }]] : [];
        }),
      ),
    },
  }));
  await changeRows(client)`
    insert into field_counts (fips, market, property_count, fields)
    select (c->>'fips')::int, ${market}, (c->>'total')::bigint, c->'fields'
    from jsonb_array_elements(${JSON.stringify(counted)}::jsonb) c`;
}

async function listSources(
  client: Client,
  market: string,
  counties: number[],
  isSampled: boolean,
): Promise<Map<number, SourceRow[]>> {
  const chosen = part`fips = any(${counties}) and market = ${market} and status = 'active' ${raw(isSampled ? `and hashtext(id) % 8 = 0` : '')}`;
  const rows = await listRows<SourceRow>(client)`
    select fips, null as field, provenance->>'default' as source, count(*) as count from properties where ${chosen} group by 1, 3
    union all
    select fips, f.key, f.value->>'source', count(*)
    from properties cross join lateral jsonb_each(provenance->'fields') f
    where ${chosen} and provenance ? 'fields' and f.key = any(${COLUMNS}::text[]) group by 1, 2, 3`;
  return Map.groupBy(rows, ({ fips }) => fips);
}

function fieldsOf(row: Record<string, number>, sources: SourceRow[]): FieldCounts {
  const defaults = sources.filter(({ field }) => field === null);
  const seen = defaults.reduce((sum, { count }) => sum + count, 0);
  return Object.fromEntries(
    COLUMNS.filter((name) => row[name] > 0).map((name) => {
      const own = sources.filter(({ field }) => field === name);
      const ofOthers = own.reduce((sum, { count }) => sum + count, 0);
      // Stated values not attributed to another source belong to the default source.
      const left = (row[name] / row.total) * seen - ofOthers;
      const candidates = [...own, ...defaults.map((item) => ({ ...item, count: (item.count / seen) * left }))];
      const best = candidates.toSorted((a, b) => b.count - a.count).at(0);
      return [name, { stated: row[name], source: best?.source ?? null }];
    }),
  );
}
