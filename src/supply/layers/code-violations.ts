// Building and housing code violations, one record each.
import { list, named, oneOf } from '../../base/lib/schema.ts';
import { day, defineLayer, openCount, statusUnknown, words } from './layer.ts';
import { countOpen, describeOpen, OPEN_COUNT_SQL, readEvents } from './readers.ts';

export const Violation = named('CodeViolation', {
  case_number: words(80),
  code_section: words(200),
  description: words(4_000),
  status: oneOf(['open', 'closed', 'unknown']),
  opened_date: day(),
  closed_date: day(),
});

export const codeViolations = defineLayer({
  name: 'code_violations',
  title: 'Code violations',
  plural: 'Code violations',
  component: 'CodeViolationLayer',
  description: 'Building and housing code violations.',
  members: { open_count: openCount(), status_unknown: statusUnknown(), items: list(Violation) },
  read: readEvents(
    { table: 'code_violations', item: Violation, order: 't.opened_date desc nulls last, t.id' },
    (items) => ({ ...countOpen(items), items }),
  ),
  columns: { open_violations: openCount() },
  filters: {
    has_open_violation: {
      column: 'open_violations',
      test: 'any',
      description: 'With at least one open code violation.',
    },
  },
  exports: { open_violations: 'open_count', violation_status_unknown: 'status_unknown' },
  batchColumns: ['open_violations'],
  pointAttributes: { has_open_violation: { column: 'open_violations', as: 'any' } },
  exposure: { column: 'open_violations' },
  events: {
    item: Violation,
    idPrefix: 'viol',
    knownFrom: 'opened_date',
    insertEvent: `case when s.status <> 'closed' then 'property.violation_opened' end`,
    updateEvent: `case when s.status = 'closed' and t.status <> 'closed' then 'property.violation_closed'
      else 'property.updated' end`,
    summaries: { open_violations: OPEN_COUNT_SQL },
  },
  staleAfterDays: 400,
  describe: (layer) => `${describeOpen(layer)}; ${layer.items.length} on record.`,
  rules: {},
});
