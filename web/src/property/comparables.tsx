// Comparable sales on the map, and the grid that adjusts each sale price to this property.
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useCall } from '../caller.tsx';
import { day, money, percent, signedMoney, UNKNOWN, whole, words } from '../format.ts';
import { PropertyMap, type MapPoint } from '../map/map.tsx';
import { Link, navigate } from '../router.tsx';
import type { Comparable, Property, Valuation } from '../types.ts';
import { Button, Card } from '../ui/parts.tsx';

export function Comparables({ property, valuation }: { property: Property; valuation: Valuation | undefined }) {
  const comparables = valuation?.comparables;
  const places = usePlaces(comparables);
  const numbered = useMemo(() => {
    if (property.latitude == null || property.longitude == null) return [];
    const subject = {
      id: property.id,
      latitude: property.latitude,
      longitude: property.longitude,
      label: '★',
      isSubject: true,
    };
    const others = (comparables ?? []).flatMap((comparable, index) => {
      const place = places.get(comparable.property_id);
      return place ? [{ ...place, label: String(index + 1) }] : [];
    });
    return [...others, subject];
  }, [property, comparables, places]);
  const start = useMemo(
    () =>
      property.latitude == null || property.longitude == null
        ? undefined
        : { center: [property.longitude, property.latitude] as [number, number], zoom: 14.2 },
    [property],
  );
  if (!start && !comparables) return null;
  return (
    <Card
      flush
      title="Comparable sales"
      lead={
        comparables
          ? 'Each sale price is adjusted for differences from this property. The weighted average is the indicated value.'
          : 'Run a valuation to see comparable sales.'
      }
    >
      {start && (
        <div className="property-map">
          <PropertyMap
            label="Map of the property and its comparable sales"
            start={start}
            numbered={numbered}
            isFitted
            onPick={(id) => navigate(`/p/${id}`)}
          />
        </div>
      )}
      {comparables && comparables.length > 0 && (
        <Grid property={property} comparables={comparables} valuation={valuation} />
      )}
    </Card>
  );
}

/** Coordinates of the comparables, fetched only for those the valuation returns without any. */
function usePlaces(comparables: Comparable[] | undefined): Map<string, MapPoint> {
  const call = useCall();
  const [places, setPlaces] = useState(new Map<string, MapPoint>());
  useEffect(() => {
    if (!comparables) return undefined;
    const abort = new AbortController();
    const find = async (comparable: Comparable) => {
      const id = comparable.property_id;
      const { latitude, longitude } =
        comparable.latitude === undefined
          ? await call<Property>(`properties/${id}?fields=latitude,longitude`, { signal: abort.signal })
          : comparable;
      return latitude == null || longitude == null ? [] : [{ id, latitude, longitude }];
    };
    void Promise.allSettled(comparables.map(find)).then((found) => {
      if (abort.signal.aborted) return;
      const known = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      setPlaces(new Map(known.map((place) => [place.id, place])));
    });
    return () => abort.abort();
  }, [comparables, call]);
  return places;
}

function Grid({
  property,
  comparables,
  valuation,
}: {
  property: Property;
  comparables: Comparable[];
  valuation: Valuation;
}) {
  const features = [...new Set(comparables.flatMap(({ adjustments }) => adjustments.map(({ feature }) => feature)))];
  const subject: Record<string, ReactNode> = {
    'Living area': whole(property.sqft),
    Bedrooms: property.bedrooms ?? UNKNOWN,
    Bathrooms: property.bathrooms ?? UNKNOWN,
    Lot: whole(property.parcel?.lot_sqft),
    'Year built': property.structure?.year_built ?? UNKNOWN,
  };
  const rows: [string, (comparable: Comparable) => ReactNode][] = [
    ['Sold', ({ sale_date }) => day(sale_date)],
    ['Distance', ({ distance_miles }) => `${distance_miles.toFixed(2)} mi`],
    ['Similarity', ({ similarity }) => percent(similarity, 0)],
    ['Living area', ({ sqft }) => whole(sqft)],
    ['Bedrooms', ({ bedrooms }) => bedrooms ?? UNKNOWN],
    ['Bathrooms', ({ bathrooms }) => bathrooms ?? UNKNOWN],
    ['Lot', ({ lot_sqft }) => whole(lot_sqft)],
    ['Year built', ({ year_built }) => year_built ?? UNKNOWN],
  ];
  const indicated = valuation.explanation?.reconciliation.comparables_indicated_value;
  const choice = useChoice(comparables);
  return (
    <>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Adjustment grid">
        <table className="grid-table">
          <caption className="unseen">Comparable sales with their adjustments</caption>
          <thead>
            <tr>
              <th scope="col">Sale</th>
              <th scope="col">This property</th>
              {comparables.map((comparable, index) => (
                <th key={comparable.property_id} scope="col">
                  <span className="map-number inline">{index + 1}</span>
                  <Link href={`/p/${comparable.property_id}`}>
                    {comparable.address?.split(',')[0] ?? 'No address on record'}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, cell]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{subject[name] ?? ''}</td>
                {comparables.map((comparable) => (
                  <td key={comparable.property_id}>{cell(comparable)}</td>
                ))}
              </tr>
            ))}
            <tr className="strong">
              <th scope="row">Sale price</th>
              <td />
              {comparables.map((comparable) => (
                <td key={comparable.property_id}>{money(comparable.sale_price)}</td>
              ))}
            </tr>
            {features.map((feature) => (
              <tr key={feature} className="adjustment">
                <th scope="row">{words(feature)}</th>
                <td>{shownOf(comparables, feature)}</td>
                {comparables.map((comparable) => (
                  <Adjustment key={comparable.property_id} comparable={comparable} feature={feature} />
                ))}
              </tr>
            ))}
            <tr className="strong">
              <th scope="row">Adjusted price</th>
              <td>{indicated == null ? '' : money(indicated)}</td>
              {comparables.map((comparable) => (
                <td key={comparable.property_id}>{money(comparable.adjusted_price)}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">Net, gross</th>
              <td />
              {comparables.map(({ property_id, net_adjustment_rate, gross_adjustment_rate }) => (
                <td key={property_id}>
                  {percent(net_adjustment_rate, 0)}, {percent(gross_adjustment_rate, 0)}
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">Weight</th>
              <td>{indicated == null ? '' : 'Indicated'}</td>
              {comparables.map((comparable) => (
                <td key={comparable.property_id}>{percent(comparable.weight)}</td>
              ))}
            </tr>
            <tr className="no-print">
              <th scope="row">Your weight</th>
              <td>{choice.isChanged && choice.indicated !== undefined ? money(choice.indicated) : ''}</td>
              {comparables.map((comparable, index) => (
                <td key={comparable.property_id}>
                  <span className="row nowrap">
                    <input
                      type="checkbox"
                      aria-label={`Use sale ${index + 1}`}
                      checked={choice.weights[index] > 0}
                      onChange={(event) => choice.set(index, event.target.checked ? 1 : 0)}
                    />
                    <select
                      aria-label={`Weight of sale ${index + 1}`}
                      value={choice.weights[index]}
                      onChange={(event) => choice.set(index, Number(event.target.value))}
                    >
                      {FACTORS.map(([factor, name]) => (
                        <option key={factor} value={factor}>
                          {name}
                        </option>
                      ))}
                    </select>
                  </span>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      {choice.isChanged && (
        <p className="grid-choice no-print" role="status">
          {choice.indicated === undefined ? (
            'Use at least one sale.'
          ) : (
            <>
              <strong>{money(choice.indicated)}</strong> indicated by your choice
              {indicated != null && ` (${signedMoney(choice.indicated - indicated)})`}. The estimated value above stays
              as it is.
            </>
          )}{' '}
          <Button small onClick={choice.reset}>
            Reset
          </Button>
        </p>
      )}
      {valuation.comparables_basis && <Rules basis={valuation.comparables_basis} />}
    </>
  );
}

const FACTORS: [factor: number, name: string][] = [
  [0, 'Leave out'],
  [0.5, 'Half'],
  [1, 'As is'],
  [2, 'Double'],
  [4, 'Four times'],
];

/** Factors on the comparables' own weights, and what they indicate together. */
function useChoice(comparables: Comparable[]) {
  const [factors, setFactors] = useState<Record<string, number>>({});
  const weights = comparables.map(({ property_id: id }) => factors[id] ?? 1);
  const total = comparables.reduce((sum, { weight }, k) => sum + weight * weights[k], 0);
  const sum = comparables.reduce((all, { weight, adjusted_price: price }, k) => all + weight * weights[k] * price, 0);
  return {
    weights,
    isChanged: weights.some((factor) => factor !== 1),
    indicated: total > 0 ? Math.round(sum / total) : undefined,
    set: (index: number, factor: number) =>
      setFactors((before) => ({ ...before, [comparables[index].property_id]: factor })),
    reset: () => setFactors({}),
  };
}

/** What the line says of this property; the same beside every comparable. */
function shownOf(comparables: Comparable[], feature: string): string {
  const lines = comparables.flatMap(({ adjustments }) => adjustments.filter((each) => each.feature === feature));
  return lines[0]?.subject ?? '';
}

function Adjustment({ comparable, feature }: { comparable: Comparable; feature: string }) {
  const found = comparable.adjustments.find((adjustment) => adjustment.feature === feature);
  if (!found || found.amount === 0) return <td className="fine">–</td>;
  return (
    <td>
      <span className={found.amount > 0 ? 'amount plus' : 'amount minus'}>{signedMoney(found.amount)}</span>
      {found.comparable !== null && <span className="shown fine">{found.comparable}</span>}
    </td>
  );
}

const WIDENED: Record<string, string> = {
  same_property_type: 'of another type',
  max_distance_miles: 'farther than a mile',
  max_age_days: 'older than a year',
  max_area_difference: 'more than 25% larger or smaller',
};

function Rules({ basis }: { basis: NonNullable<Valuation['comparables_basis']> }) {
  const beyond = basis.widened.map((rule) => WIDENED[rule]).join(', or ');
  return (
    <p className="grid-rules fine">
      Comparables are of the same type, within a mile, sold within a year, and within 25% of the living area, wherever
      five such sales exist.{beyond !== '' && ` Here too few do, so some are ${beyond}.`}
    </p>
  );
}
