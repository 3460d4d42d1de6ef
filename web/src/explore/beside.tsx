// One property beside the map: its value with the interval, the facts at a glance, and the way to the full page.
import { IntervalBar } from '../charts/interval.tsx';
import { calm, compactMoney, day, money, month, percent, whole, words } from '../format.ts';
import type { OldSales } from '../old-sales.ts';
import { Link } from '../router.tsx';
import type { Property } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { OldSalesNote } from './old-sales.tsx';

export function Beside({
  id,
  oldSales,
  onClose,
}: {
  id: string;
  oldSales: Map<string, OldSales>;
  onClose: () => void;
}) {
  const { data, problem, reload } = useApi<Property>(`properties/${encodeURIComponent(id)}?include=assessments`);
  return (
    <section className="beside" aria-label="Property">
      <button type="button" className="button quiet small" onClick={onClose}>
        <span className="beside-back">
          <Icon name="arrow" size={15} />
        </span>
        Back to results
      </button>
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton lines={7} />}
      {data && <Summary property={data} old={oldSales.get(data.identifiers?.market ?? '')} />}
    </section>
  );
}

function Summary({ property, old }: { property: Property; old: OldSales | undefined }) {
  const { address, valuation, last_sale: sale, risk_summary: risk, structure, parcel } = property;
  const facts: [string, string | number | null | undefined][] = [
    ['Type', words(property.property_type)],
    ['Bedrooms', property.bedrooms],
    ['Bathrooms', property.bathrooms],
    ['Living area', property.sqft == null ? null : `${whole(property.sqft)} sq ft`],
    ['Lot', parcel?.lot_sqft == null ? null : `${whole(parcel.lot_sqft)} sq ft`],
    ['Year built', structure?.year_built],
    ['Last sale', sale?.price == null ? null : `${compactMoney(sale.price)}, ${month(sale.date)}`],
    ['Assessed', property.assessments?.[0]?.total == null ? null : money(property.assessments[0].total)],
  ];
  return (
    <>
      <div>
        <h2>
          {address?.line1
            ? calm([address.line1, address.unit].filter(Boolean).join(' '))
            : `Parcel ${property.identifiers?.apn}`}
        </h2>
        <p className="fine">
          {[calm(address?.city), [address?.state, address?.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ')}
        </p>
      </div>
      <OldSalesNote old={old} hasValues={valuation != null} />
      {valuation ? (
        <div>
          <p className="value-big">{money(valuation.estimated_value)}</p>
          <p className="fine">
            Valued {day(valuation.valued_on)}
            {valuation.fsd != null && ` · FSD ${percent(valuation.fsd, 0)}`}
          </p>
          {valuation.low != null && valuation.high != null && (
            <IntervalBar low={valuation.low} value={valuation.estimated_value} high={valuation.high} level={0.8} />
          )}
        </div>
      ) : (
        <p>No value yet.</p>
      )}
      <div className="row result-badges">
        {risk?.flood_sfha && <Badge tone="info">Flood {risk.flood_zone}</Badge>}
        {(risk?.open_tax_liens ?? 0) > 0 && <Badge tone="bad">Open tax lien</Badge>}
        {(risk?.open_violations ?? 0) > 0 && <Badge tone="warn">Open violation</Badge>}
        {risk?.opportunity_zone && <Badge tone="good">Opportunity zone</Badge>}
      </div>
      <dl className="facts compact">
        {facts
          .filter(([, value]) => value != null && value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Link href={`/p/${property.id}`} className="button primary">
        Value, comparables, and records
      </Link>
    </>
  );
}
