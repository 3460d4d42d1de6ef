// Building permits, one record each.
import { asDay, asMoney, asNumber } from '../../base/lib/figures.ts';
import { list, named, nullable, wholeNumber } from '../../base/lib/schema.ts';
import { count, day, defineLayer, whole, words } from './layer.ts';
import { readEvents, sumOf } from './readers.ts';

export const Permit = named('Permit', {
  number: words(80),
  type: words(),
  description: words(4_000),
  status: words(100),
  issue_date: day(),
  final_date: day(),
  job_value: whole(),
});

export const permits = defineLayer({
  name: 'permits',
  title: 'Permits',
  plural: 'Permits',
  component: 'PermitLayer',
  description: 'Building permits.',
  members: {
    count: whole(),
    total_job_value: nullable(wholeNumber({ description: 'Null if the value of one of them is not known.' })),
    items: list(Permit),
  },
  read: readEvents({ table: 'permits', item: Permit, order: 't.issue_date desc nulls last, t.id' }, (items) => ({
    count: items.length,
    total_job_value: sumOf(items.map(({ job_value }) => job_value)),
    items,
  })),
  columns: { permit_count: count(), last_permit_date: day() },
  filters: {
    permit_since: {
      column: 'last_permit_date',
      test: 'since',
      description: 'With a permit issued on or after this date.',
    },
  },
  exports: { permit_count: 'count', permit_job_value: 'total_job_value' },
  batchColumns: ['permit_count'],
  pointAttributes: { permitted: { column: 'last_permit_date', as: 'month' } },
  events: {
    item: Permit,
    idPrefix: 'permit',
    knownFrom: 'issue_date',
    insertEvent: `'property.permit_issued'`,
    updateEvent: `'property.updated'`,
    summaries: { permit_count: 'count(t.id)::integer', last_permit_date: 'max(t.issue_date)' },
  },
  staleAfterDays: 400,
  describe: ({ count: issued, total_job_value, items: [latest] }) =>
    `${asNumber(issued)} on record, job value ${asMoney(total_job_value)}.${latest ? ` Latest: ${latest.type ?? latest.description ?? 'permit'}, ${asDay(latest.issue_date)}.` : ''}`,
  rules: {},
});
