// The property record, with the source of each field and what other sources say.
import { useState, type ReactNode } from 'react';
import { calm, day, money, UNKNOWN, whole, words, yesNo } from '../format.ts';
import type { Property } from '../types.ts';
import { Badge, Button, Card } from '../ui/parts.tsx';

type Fact = [field: string, label: string, value: ReactNode];

const isKnown = ([, , value]: Fact): boolean => value !== UNKNOWN;

/** Nothing for guests, whose record comes without its owner. */
function ownerFacts(owner: Property['owner']): Fact[] {
  if (owner === undefined) return [];
  return [
    [
      'owner_names',
      'Owner',
      owner?.suppressed ? 'Withheld at the owner’s request' : owner?.names.join(', ') || UNKNOWN,
    ],
    ['owner_type', 'Owner type', words(owner?.type)],
    ['owner_occupied', 'Owner-occupied', yesNo(owner?.owner_occupied)],
    ['owner_since', 'Owner since', day(owner?.since)],
    ['mailing_address', 'Mailing address', owner?.mailing_address ?? UNKNOWN],
  ];
}

export function Facts({ property }: { property: Property }) {
  const [isSourced, setSourced] = useState(false);
  const { parcel, structure, owner, provenance } = property;
  const groups: [string, Fact[]][] = [
    [
      'Building',
      [
        ['property_type', 'Type', words(property.property_type)],
        ['sqft', 'Living area', property.sqft == null ? UNKNOWN : `${whole(property.sqft)} sq ft`],
        ['bedrooms', 'Bedrooms', property.bedrooms ?? UNKNOWN],
        ['bathrooms', 'Bathrooms', property.bathrooms ?? UNKNOWN],
        ['rooms', 'Rooms', structure?.rooms ?? UNKNOWN],
        ['stories', 'Stories', structure?.stories ?? UNKNOWN],
        ['units', 'Units', structure?.units ?? UNKNOWN],
        ['year_built', 'Year built', structure?.year_built ?? UNKNOWN],
        ['effective_year_built', 'Effective year built', structure?.effective_year_built ?? UNKNOWN],
        ['garage_spaces', 'Garage spaces', structure?.garage_spaces ?? UNKNOWN],
        ['pool', 'Pool', yesNo(structure?.pool)],
        ['heating', 'Heating', words(structure?.heating)],
        ['cooling', 'Cooling', words(structure?.cooling)],
        ['exterior', 'Exterior', words(structure?.exterior)],
        ['foundation', 'Foundation', words(structure?.foundation)],
        ['condition', 'Condition', words(structure?.condition)],
        ['quality', 'Quality', words(structure?.quality)],
        ['style', 'Style', calm(words(structure?.style))],
      ],
    ],
    [
      'Parcel',
      [
        ['lot_sqft', 'Lot', parcel?.lot_sqft == null ? UNKNOWN : `${whole(parcel.lot_sqft)} sq ft`],
        ['lot_acres', 'Acres', parcel?.lot_acres ?? UNKNOWN],
        ['zoning', 'Zoning', parcel?.zoning ?? UNKNOWN],
        [
          'land_use',
          'Land use',
          /\d/.test(parcel?.land_use ?? '') ? parcel?.land_use : calm(parcel?.land_use) || UNKNOWN,
        ],
        ['subdivision', 'Subdivision', parcel?.subdivision ?? UNKNOWN],
        ['neighborhood', 'Neighborhood', parcel?.neighborhood ?? UNKNOWN],
        ['census_tract', 'Census tract', parcel?.census_tract ?? UNKNOWN],
        ['legal_description', 'Legal description', parcel?.legal_description ?? UNKNOWN],
      ],
    ],
    [
      owner === undefined ? 'Last sale' : 'Owner and last sale',
      [
        ...ownerFacts(owner),
        ['last_sale_date', 'Last sale date', day(property.last_sale?.date)],
        ['last_sale_price', 'Last sale price', money(property.last_sale?.price)],
      ],
    ],
  ];
  const unknown = groups.flatMap(([, facts]) => facts.filter((fact) => !isKnown(fact)));
  const sourceName = (id: string | null | undefined) => (id ? (provenance?.sources[id]?.name ?? id) : undefined);
  return (
    <Card
      title="Facts"
      lead={
        provenance?.default_source
          ? `From ${sourceName(provenance.default_source)} unless noted. Loaded ${day(provenance.loaded_at)}.`
          : undefined
      }
      actions={
        <Button small icon="info" aria-pressed={isSourced} onClick={() => setSourced(!isSourced)} className="no-print">
          {isSourced ? 'Hide sources' : 'Show sources'}
        </Button>
      }
    >
      <div className="stack wide-gap">
        {groups
          .filter(([, facts]) => facts.some(isKnown))
          .map(([title, facts]) => (
            <div key={title}>
              <h3>{title}</h3>
              <dl className="facts">
                {facts.filter(isKnown).map(([field, label, value]) => {
                  const from = provenance?.fields[field];
                  const others = from?.others ?? [];
                  return (
                    <div key={field}>
                      <dt>{label}</dt>
                      <dd>
                        {value}
                        {others.length > 0 && !isSourced && <Badge tone="warn">Sources differ</Badge>}
                        {isSourced && (
                          <span className="source">
                            {sourceName(from?.source ?? provenance?.default_source)}
                            {from?.known_on && `, ${day(from.known_on)}`}
                            {others.map((other) => (
                              <span key={other.source} className="source-other">
                                {sourceName(other.source)}: {String(other.value)}
                              </span>
                            ))}
                          </span>
                        )}
                      </dd>
                    </div>
                  );
                })}
              </dl>
            </div>
          ))}
        {unknown.length > 0 && (
          <p className="fine">Not on record: {unknown.map(([, label]) => label.toLowerCase()).join(', ')}.</p>
        )}
      </div>
    </Card>
  );
}
