// Tax liens and tax sales, one record each.
import { asMoney } from '../../base/lib/figures.ts';
import { list, named, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { day, defineLayer, openCount, statusUnknown, whole, words } from './layer.ts';
import { countOpen, describeOpen, OPEN_COUNT_SQL, readEvents, sumOf } from './readers.ts';

export const Lien = named('TaxLien', {
  type: text(100),
  amount: whole(),
  tax_year: whole(),
  filing_date: day(),
  status: oneOf(['open', 'released', 'sold', 'unknown']),
  release_date: day(),
  document_number: words(80),
});

export const taxLiens = defineLayer({
  name: 'tax_liens',
  title: 'Tax liens',
  plural: 'Tax liens',
  component: 'TaxLienLayer',
  description: 'Tax liens and tax sales.',
  members: {
    open_count: openCount(),
    status_unknown: statusUnknown(),
    open_amount: nullable(
      wholeNumber({
        description: 'Of the open ones; null if one of their amounts, or the status of one, is not known.',
      }),
    ),
    items: list(Lien),
  },
  read: readEvents({ table: 'tax_liens', item: Lien, order: 't.tax_year desc, t.id' }, (items) => {
    const open = items.filter(({ status }) => status === 'open');
    const counts = countOpen(items);
    const amount = sumOf(open.map((lien) => lien.amount));
    return { ...counts, open_amount: counts.status_unknown > 0 ? null : amount, items };
  }),
  columns: { open_tax_liens: openCount() },
  filters: {
    has_open_tax_lien: { column: 'open_tax_liens', test: 'any', description: 'With at least one open tax lien.' },
  },
  exports: {
    open_tax_liens: 'open_count',
    tax_lien_status_unknown: 'status_unknown',
    open_tax_lien_amount: 'open_amount',
  },
  batchColumns: ['open_tax_liens'],
  pointAttributes: { has_open_lien: { column: 'open_tax_liens', as: 'any' } },
  exposure: { column: 'open_tax_liens' },
  events: {
    item: Lien,
    idPrefix: 'lien',
    knownFrom: 'filing_date',
    insertEvent: `case when s.status in ('open', 'sold') then 'property.tax_lien_recorded' end`,
    updateEvent: `case when s.status = 'released' and t.status <> 'released' then 'property.tax_lien_released'
      else 'property.updated' end`,
    summaries: { open_tax_liens: OPEN_COUNT_SQL },
  },
  staleAfterDays: 400,
  describe: (layer) => `${describeOpen(layer)}, ${asMoney(layer.open_amount)}; ${layer.items.length} on record.`,
  rules: {},
});
