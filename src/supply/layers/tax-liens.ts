// Tax liens and tax sales, one record each.
import { asMoney, asNumber } from '../../base/lib/figures.ts';
import { list, named, oneOf, text } from '../../base/lib/schema.ts';
import { count, day, defineLayer, whole, words } from './layer.ts';
import { readEvents, sumOf } from './readers.ts';

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
  members: { open_count: whole(), open_amount: whole(), items: list(Lien) },
  read: readEvents({ table: 'tax_liens', item: Lien, order: 't.tax_year desc, t.id' }, (items) => {
    const open = items.filter(({ status }) => status === 'open');
    return { open_count: open.length, open_amount: sumOf(open.map(({ amount }) => amount)), items };
  }),
  columns: { open_tax_liens: count() },
  filters: {
    has_open_tax_lien: { column: 'open_tax_liens', test: 'any', description: 'With at least one open tax lien.' },
  },
  exports: { open_tax_liens: 'open_count', open_tax_lien_amount: 'open_amount' },
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
    summaries: { open_tax_liens: `count(*) filter (where t.status = 'open')::integer` },
  },
  staleAfterDays: 400,
  describe: ({ open_count, open_amount, items }) =>
    `${asNumber(open_count)} open, ${asMoney(open_amount)}; ${items.length} on record.`,
  rules: {},
});
