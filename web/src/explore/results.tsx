// Search results as a list, so the map is never required.
import { calm, compactMoney, money, month, whole, words } from '../format.ts';
import type { OldSales } from '../old-sales.ts';
import { Link } from '../router.tsx';
import type { Property } from '../types.ts';
import { Badge } from '../ui/parts.tsx';

export function Results({
  properties,
  chosenId,
  oldSales,
  onHover,
  onOpen,
}: {
  properties: Property[];
  chosenId: string | undefined;
  oldSales: Map<string, OldSales>;
  onHover: (id: string | undefined) => void;
  /** Opens it beside the map; a new tab shows its page. */
  onOpen: (id: string) => void;
}) {
  return (
    <ul className="results">
      {properties.map((property) => (
        <li
          key={property.id}
          className={property.id === chosenId ? 'chosen' : ''}
          onMouseEnter={() => onHover(property.id)}
          onMouseLeave={() => onHover(undefined)}
        >
          <ResultCard property={property} old={oldSales.get(property.identifiers?.market ?? '')} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

function ResultCard({
  property,
  old,
  onOpen,
}: {
  property: Property;
  old: OldSales | undefined;
  onOpen: (id: string) => void;
}) {
  const { address, valuation, last_sale: sale, risk_summary: risk, structure } = property;
  const size = [
    property.bedrooms != null && `${property.bedrooms} bd`,
    property.bathrooms != null && `${property.bathrooms} ba`,
    property.sqft != null && `${whole(property.sqft)} sq ft`,
    structure?.year_built != null && `built ${structure.year_built}`,
  ].filter(Boolean);
  return (
    <Link
      href={`/p/${property.id}`}
      className="result"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(property.id);
      }}
    >
      <div className="row spread">
        <strong>
          {address?.line1
            ? calm([address.line1, address.unit].filter(Boolean).join(' '))
            : `Parcel ${property.identifiers?.apn}`}
        </strong>
        <span className="result-value num">
          {valuation && old && <small>on {old.through.slice(0, 4)} sales </small>}
          {valuation ? money(valuation.estimated_value) : ''}
        </span>
      </div>
      <p className="fine">
        {words(property.property_type)} · {address?.city ? calm(address.city) : property.identifiers?.county}
        {address?.zip && ` ${address.zip}`}
      </p>
      {size.length > 0 && <p className="result-size">{size.join(' · ')}</p>}
      <div className="row result-badges">
        {sale?.price != null && (
          <span className="fine">
            Sold {compactMoney(sale.price)}, {month(sale.date)}
          </span>
        )}
        {risk?.flood_sfha && <Badge tone="info">Flood {risk.flood_zone}</Badge>}
        {(risk?.open_tax_liens ?? 0) > 0 && <Badge tone="bad">Lien</Badge>}
        {(risk?.open_violations ?? 0) > 0 && <Badge tone="warn">Violation</Badge>}
        {risk?.opportunity_zone && <Badge tone="good">OZ</Badge>}
      </div>
    </Link>
  );
}
