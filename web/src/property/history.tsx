// Charts of values, sales, and assessments over time, and of property taxes.
import { Bars } from '../charts/bars.tsx';
import { Lines, type Series } from '../charts/lines.tsx';
import { compactMoney } from '../format.ts';
import type { Property, Valuation } from '../types.ts';
import { Card } from '../ui/parts.tsx';

const timeOf = (iso: string) => new Date(iso).getTime();

export function History({ property, valuation }: { property: Property; valuation: Valuation | undefined }) {
  const history = (valuation?.history ?? []).toSorted((a, b) => a.date.localeCompare(b.date));
  const sales = (property.transactions ?? []).filter(
    ({ type, price, sale_date, recording_date }) =>
      type === 'deed' && price != null && price > 0 && (sale_date ?? recording_date),
  );
  const assessments = (property.assessments ?? []).toSorted((a, b) => a.year - b.year);
  const taxes = (property.taxes ?? []).filter(({ amount }) => amount != null).toSorted((a, b) => a.year - b.year);
  const series: Series[] = [
    {
      name: 'Estimated value',
      color: 'var(--series-1)',
      points: history.map(({ date, value }) => ({ at: timeOf(date), value })),
      band: history.map(({ date, low, high }) => ({ at: timeOf(date), low, high })),
    },
    {
      name: 'Sales',
      color: 'var(--series-2)',
      isDots: true,
      points: sales.map(({ sale_date, recording_date, price }) => ({
        at: timeOf((sale_date ?? recording_date)!),
        value: price!,
      })),
    },
    {
      name: 'Assessor’s market value',
      color: 'var(--series-3)',
      points: assessments
        .filter(({ market_total }) => market_total != null)
        .map(({ year, market_total }) => ({ at: Date.UTC(year, 0, 1), value: market_total! })),
    },
    {
      name: 'Assessed value',
      color: 'var(--series-4)',
      points: assessments
        .filter(({ total }) => total != null)
        .map(({ year, total }) => ({ at: Date.UTC(year, 0, 1), value: total! })),
    },
  ];
  return (
    <div className="grid-2">
      <Card
        title="Value, sales, and assessments"
        lead={
          history.length > 0
            ? 'Estimates of earlier months are recomputed from the sales known by then; the band is their interval.'
            : 'Recorded sales and the assessor’s values.'
        }
      >
        <Lines label="Value, sales, and assessments over time" series={series} format={compactMoney} />
      </Card>
      <Card title="Property tax" lead="Billed amount by year.">
        {taxes.length > 0 ? (
          <Bars
            label="Property tax by year"
            format={compactMoney}
            bars={taxes.map(({ year, amount }) => ({
              label: String(year),
              parts: [{ name: 'Tax', value: amount!, color: 'var(--series-3)' }],
            }))}
          />
        ) : (
          <p className="fine">No tax bills on record.</p>
        )}
      </Card>
    </div>
  );
}
