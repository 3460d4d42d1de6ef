// Queries that write sales, assessments, liens, permits, violations and owners, and the summaries on the property.
import { changeRows, part, raw } from '../../../base/db/statements.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import { EVENT_LAYERS } from '../../layers/layers.ts';
import type { LoadContext } from '../load-context.ts';
import type { Target } from '../source.ts';
import { isOfNoCounty, keyOf, stageOf } from './stage-sql.ts';
import { OWNER_COLUMNS, TARGETS } from '../map/targets.ts';
import { must } from '../../../base/lib/must.ts';

type FactTarget = Exclude<Target, 'properties' | 'owners'>;

interface FactCounts {
  inserted: number;
  updated: number;
}

/** Never written to the change log: internal columns, and names, which need their own scope. */
const NOT_LOGGED = `array['load_id', 'loaded_at', 'fips', 'property_id', 'source_id', 'market', 'buyers', 'sellers',
  'retired_at', 'attributes']`;

type FactTable = ReturnType<typeof describeTable>;

function describeTable(target: FactTarget) {
  const spec = TARGETS[target];
  const key = keyOf(target);
  return {
    target,
    spec,
    stage: stageOf(target),
    /** The table's columns that a source provides. */
    own: spec.columns.filter((name) => !spec.stageOnly?.includes(name)),
    hasLoadedAt: !['property_keys', 'areas', 'map_lines', 'price_indexes', 'mortgage_rates'].includes(target),
    makesEvents: spec.ofProperty && spec.insertEvent !== undefined,
    same: (a: string, b: string) => key.map((name) => `${a}.${name} = ${b}.${name}`).join(' and '),
  };
}

/** Tables whose rows several sources fill. A null there is ignored, and values from other sources are kept. */
const SHARED: FactTarget[] = ['census_tracts', 'transactions'];
const LISTS = ['buyers', 'sellers', 'refers_to'];
const VERDICT = ['arms_length', 'arms_length_reason'];

/** SQL for whether the staged row `s` provides a column at all. */
function states(target: FactTarget, name: string): string {
  if (!SHARED.includes(target)) return 'true';
  if (LISTS.includes(name)) return `s.${name} <> '{}'`;
  // A verdict goes with the price it was based on.
  return VERDICT.includes(name) ? 's.price is not null' : `s.${name} is not null`;
}

/** A backfill (the first load of a dataset) writes facts without events: a sale from 2004 is not news. */
export async function applyFacts(load: LoadContext, target: FactTarget): Promise<FactCounts> {
  const table = describeTable(target);
  const updated = await updateChanged(load, table);
  const inserted = await insertFresh(load, table);
  return { inserted, updated };
}

async function updateChanged(load: LoadContext, table: FactTable): Promise<number> {
  const { client, loadId, at } = load;
  const { target, spec, stage, own, same } = table;
  const values = own.filter((name) => !spec.key.includes(name) && name !== 'market');
  const compared = values.filter((name) => name !== 'known_on');
  if (compared.length === 0) return 0;
  const differs = compared.map((name) => `(${states(target, name)} and s.${name} is distinct from t.${name})`);
  const mine = spec.ofProperty ? `and t.source_id = '${load.dataset.id.replaceAll("'", "''")}'` : '';
  await createStageTable(
    client,
    'changed_facts',
    `select s.* from ${stage} s join ${target} t on ${same('s', 't')}
     where (${differs.join(' or ')}) ${mine}`,
    { beside: target },
  );
  if (table.makesEvents) {
    const after = `jsonb_build_object(${own.map((name) => `'${name}', s.${name}`).join(', ')}) - ${NOT_LOGGED}`;
    const from = `changed_facts s join ${target} t on ${same('s', 't')}`;
    await insertEvents(load, table, {
      kind: must(spec.updateEvent, 'event of a change'),
      op: 'update',
      before: `to_jsonb(t) - ${NOT_LOGGED}`,
      after,
      from,
    });
    await changeRows(client)`
      insert into touched select fips, property_id from changed_facts`;
  }
  const sets = values.map((name) => `${name} = case when ${states(target, name)} then s.${name} else t.${name} end`);
  if (target === 'transactions') sets.push('retired_at = null');
  return changeRows(client)`
    update ${raw(target)} t set ${raw(sets.join(', '))}, load_id = ${loadId} ${table.hasLoadedAt ? part`, loaded_at = ${at}` : raw('')}
    from changed_facts s where ${raw(same('s', 't'))}`;
}

async function insertFresh(load: LoadContext, table: FactTable): Promise<number> {
  const { client, dataset, loadId, at } = load;
  const { target, spec, stage, own } = table;
  const columns = [...(isOfNoCounty(target) ? [] : ['fips']), ...(spec.ofProperty ? ['property_id'] : []), ...own];
  const insert = part`
    insert into ${raw(target)} (${raw(columns.join(', '))}, source_id, load_id ${raw(table.hasLoadedAt ? ', loaded_at' : '')})
    select ${raw(columns.map((name) => `s.${name}`).join(', '))}, ${dataset.id}, ${loadId}::bigint ${table.hasLoadedAt ? part`, ${at}::timestamptz` : raw('')}
    from ${raw(stage)} s on conflict do nothing`;
  if (table.makesEvents && !load.makesEvents)
    await changeRows(client)`insert into touched select distinct fips, property_id from ${raw(stage)}`;
  if (!table.makesEvents || !load.makesEvents) return changeRows(client)`${insert}`;
  // Captured as they are inserted: looking them up by load id afterward was planned as a nested loop and took minutes.
  await createStageTable(client, 'fresh_facts', `select * from ${target} with no data`, { beside: target });
  const inserted = await changeRows(client)`
    with fresh as (${insert} returning *), noted as (insert into touched select fips, property_id from fresh)
    insert into fresh_facts select * from fresh`;
  if (inserted > 0) {
    await insertEvents(load, table, {
      kind: must(spec.insertEvent, 'event of a new fact'),
      op: 'insert',
      before: 'null::jsonb',
      after: `to_jsonb(s) - ${NOT_LOGGED}`,
      from: 'fresh_facts s',
    });
  }
  return inserted;
}

async function insertEvents(
  load: LoadContext,
  { spec }: FactTable,
  query: Record<'kind' | 'op' | 'before' | 'after' | 'from', string>,
): Promise<void> {
  const { client, loadId, at } = load;
  await changeRows(client)`
    insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
    select e.fips, e.property_id, p.market, e.kind, '${raw(query.op)}', '{${raw(spec.eventField ?? '')}}', e.before, e.after, ${loadId}, ${at}
    from (
      select s.fips, s.property_id, ${raw(query.kind)} as kind, ${raw(query.before)} as before, ${raw(query.after)} as after
      from ${raw(query.from)}
    ) e
    join properties p on p.fips = e.fips and p.id = e.property_id
    where e.kind is not null`;
}

/** A sale reported by two sources is one row; the second fills in the first one's nulls. */
export async function fillSalesOfOtherSources({ client, dataset, loadId }: LoadContext): Promise<number> {
  const others = ['id', 'market', 'type', 'date_precision', 'known_on', ...LISTS, ...VERDICT];
  const blanks = describeTable('transactions').own.filter((name) => !others.includes(name));
  const sets = [
    ...blanks.map((name) => `${name} = coalesce(t.${name}, s.${name})`),
    ...LISTS.map((name) => `${name} = case when t.${name} = '{}' then s.${name} else t.${name} end`),
    // The verdict goes with the price it was based on.
    ...VERDICT.map(
      (name) => `${name} = case when t.price is null and s.price is not null then s.${name} else t.${name} end`,
    ),
  ];
  const fills = [
    ...blanks.map((name) => `(t.${name} is null and s.${name} is not null)`),
    ...LISTS.map((name) => `(t.${name} = '{}' and s.${name} <> '{}')`),
  ];
  return changeRows(client)`
    with filled as (
      update transactions t set ${raw(sets.join(', '))}, load_id = ${loadId}
      from stage_transactions s
      where t.fips = s.fips and t.property_id = s.property_id and t.id = s.id and t.source_id <> ${dataset.id}
        and (${raw(fills.join(' or '))})
      returning t.fips, t.property_id
    )
    insert into touched select fips, property_id from filled`;
}

const isOfLayer = (target: Target) => target === 'layer_values' || target === 'layer_stamps';

/** Removes records that a complete list no longer has; sales are retired rather than deleted. */
export async function retireVanishedFacts(load: LoadContext, target: FactTarget): Promise<number> {
  const { client, dataset, counties } = load;
  const stage = stageOf(target);
  const key = keyOf(target)
    .map((name) => `s.${name} = t.${name}`)
    .join(' and ');
  // A nationwide file is authoritative for the counties in it; a layer's file for the whole layer.
  const places = raw(load.market ? '' : isOfLayer(target) ? 'or true' : `or t.fips in (select fips from ${stage})`);
  const gone = part`(t.fips = any(${counties}) ${places}) and t.source_id = ${dataset.id}
    and not exists (select 1 from ${raw(stage)} s where ${raw(key)})`;
  if (!TARGETS[target].ofProperty || target === 'property_keys')
    return changeRows(client)`delete from ${raw(target)} t where ${gone}`;
  const retire =
    target === 'transactions'
      ? part`update transactions t set retired_at = ${load.at}, load_id = ${load.loadId} where ${gone} and t.retired_at is null`
      : part`delete from ${raw(target)} t where ${gone}`;
  return changeRows(client)`
    with gone as (${retire} returning t.fips, t.property_id) insert into touched select fips, property_id from gone`;
}

/** Keeps the names of owners who asked not to be shown out of every table. */
export async function honorSuppressions({ client, targets }: LoadContext): Promise<void> {
  const suppressed = 'select 1 from owner_suppressions o where o.fips = s.fips and o.property_id = s.property_id';
  if (targets.includes('owners'))
    await changeRows(client)`delete from stage_owners s where exists (${raw(suppressed)})`;
  if (targets.includes('transactions')) {
    await changeRows(client)`
      update stage_transactions s set buyers = '{}', sellers = '{}' where exists (${raw(suppressed)})`;
  }
}

export async function applyOwners(load: LoadContext): Promise<FactCounts> {
  const { client, dataset, loadId, at, makesEvents, counties } = load;
  const updated = await changeRows(client)`
    with fixed as (
      update owners o set names = s.names, type = s.type, owner_occupied = s.owner_occupied,
        mailing_address = s.mailing_address, owned_since = s.owned_since, load_id = ${loadId}, loaded_at = ${at}
      from stage_owners s
      where o.fips = s.fips and o.property_id = s.property_id and o.known_on = s.known_on and o.source_id = ${dataset.id}
        and (o.names, o.type, o.owner_occupied, o.mailing_address, o.owned_since)
          is distinct from (s.names, s.type, s.owner_occupied, s.mailing_address, s.owned_since)
      returning o.fips, o.property_id
    )
    insert into touched select fips, property_id from fixed`;
  const inserted = await changeRows(client)`
    with fresh as (
      insert into owners (fips, property_id, ${raw(OWNER_COLUMNS.join(', '))}, source_id, load_id, loaded_at)
      select s.fips, s.property_id, ${raw(OWNER_COLUMNS.map((name) => `s.${name}`).join(', '))}, ${dataset.id}, ${loadId}, ${at}
      from stage_owners s
      left join lateral (
        select o.known_on, o.names, o.mailing_address, o.owner_occupied, o.source_id from owners o
        where o.fips = s.fips and o.property_id = s.property_id and o.known_on <= s.known_on
        order by o.known_on desc limit 1
      ) o on true
      where o.known_on is null or (o.known_on <> s.known_on and (o.names <> s.names
        or (o.source_id = ${dataset.id} and (o.mailing_address, o.owner_occupied) is distinct from (s.mailing_address, s.owner_occupied))))
      on conflict do nothing
      returning fips, property_id
    )
    insert into touched select fips, property_id from fresh`;
  if (inserted + updated > 0) {
    await changeRows(client)`
      update owners o set ended_on = n.ended_on
      from (
        select fips, property_id, known_on, lead(coalesce(owned_since, known_on)) over
          (partition by fips, property_id order by known_on) as ended_on
        from owners where (fips, property_id) in (select fips, property_id from touched)
      ) n
      where o.fips = n.fips and o.property_id = n.property_id and o.known_on = n.known_on
        and o.ended_on is distinct from n.ended_on`;
    // No names in the change log: they need their own scope and can be suppressed later.
    if (makesEvents) {
      await changeRows(client)`
        insert into changes (fips, property_id, market, kind, op, changed_fields, load_id, occurred_at)
        select distinct o.fips, o.property_id, p.market, 'property.owner_changed', 'update', '{owner}'::text[], ${loadId}::bigint, ${at}::timestamptz
        from owners o join properties p on p.fips = o.fips and p.id = o.property_id
        where o.fips = any(${counties}) and p.fips = any(${counties}) and o.load_id = ${loadId}::bigint and o.loaded_at = ${at}::timestamptz`;
    }
  }
  return { inserted, updated };
}

/** Marks every property of the counties: a layer that is new there turns "not covered" into "none found" on all. */
export const touchAll = ({ client, counties, market }: LoadContext) =>
  changeRows(client)`
    insert into touched select fips, id from properties where fips = any(${counties}) and market = ${must(market, 'market').id}`;

/** Set-based on purpose: a lateral `order by sale_date limit 1` per property walks the index of all the county's sales. */
const SUMMARIES: Partial<Record<Target, { columns: string[]; query: string }>> = {
  transactions: {
    columns: ['last_sale_date', 'last_sale_price', 'last_sale_id'],
    query: `select distinct on (x.fips, x.property_id) x.fips, x.property_id, t.sale_date as last_sale_date,
        t.price as last_sale_price, t.id as last_sale_id
      from seen x
      left join (
        select t.* from transactions t
        left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
        where t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
          and t.retired_at is null and t.sale_date is not null
      ) t on t.fips = x.fips and t.property_id = x.property_id
      order by x.fips, x.property_id, t.sale_date desc nulls last, t.id`,
  },
  assessments: {
    columns: ['assessed_value', 'assessed_year'],
    query: `select distinct on (x.fips, x.property_id) x.fips, x.property_id, t.total as assessed_value, t.year as assessed_year
      from seen x
      left join assessments t on t.fips = x.fips and t.property_id = x.property_id and t.total is not null
      order by x.fips, x.property_id, t.year desc nulls last`,
  },
  owners: {
    columns: ['owner_type', 'owner_occupied'],
    query: `select distinct on (x.fips, x.property_id) x.fips, x.property_id, t.type as owner_type, t.owner_occupied
      from seen x
      left join owners t on t.fips = x.fips and t.property_id = x.property_id
      order by x.fips, x.property_id, t.known_on desc nulls last`,
  },
  ...Object.fromEntries(
    EVENT_LAYERS.map(({ name, events: { summaries } }) => [
      name,
      {
        columns: Object.keys(summaries),
        query: `select x.fips, x.property_id, ${Object.entries(summaries)
          .map(([column, aggregate]) => `${aggregate} as ${column}`)
          .join(', ')}
          from seen x left join ${name} t on t.fips = x.fips and t.property_id = x.property_id
          group by x.fips, x.property_id`,
      },
    ]),
  ),
};

export const haveSummaries = (targets: Target[]): boolean => targets.some((target) => target in SUMMARIES);

/** Updates the values that search filters on, which are stored on the property itself. */
export async function refreshSummaries({ client, targets, at }: LoadContext): Promise<void> {
  if (!haveSummaries(targets)) return;
  await createStageTable(client, 'seen', 'select distinct fips, property_id from touched');
  await client.query('analyze seen');
  const columns: string[] = [];
  const joins: string[] = [];
  for (const target of targets) {
    const summary = SUMMARIES[target];
    if (!summary) continue;
    const name = `stage_summary_${target}`;
    await createStageTable(client, name, summary.query);
    await changeRows(client)`analyze ${raw(name)}`;
    columns.push(...summary.columns);
    joins.push(`join ${name} using (fips, property_id)`);
  }
  const values = (table: string) => columns.map((name) => `${table}.${name}`).join(', ');
  // One update for all of them, so that the indexes of a property are written once.
  await changeRows(client)`
    update properties p set ${raw(columns.map((name) => `${name} = n.${name}`).join(', '))}, updated_at = ${at}
    from (select * from seen ${raw(joins.join(' '))}) n
    where p.fips = n.fips and p.id = n.property_id and (${raw(values('p'))}) is distinct from (${raw(values('n'))})`;
}
