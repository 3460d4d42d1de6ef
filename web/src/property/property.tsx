// The property page: value, comparables, records, risk, and title.
import { useMemo, useState } from 'react';
import { useCaller } from '../caller.tsx';
import { areaHref } from '../areas/state.ts';
import { calm, words } from '../format.ts';
import { Link, useTitle } from '../router.tsx';
import { ShareButton } from '../share/share-button.tsx';
import type { Property, RiskReport, Valuation } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, Empty, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { Comparables } from './comparables.tsx';
import { Documents } from './documents.tsx';
import { Explanation } from './explanation.tsx';
import { Facts } from './facts.tsx';
import { History } from './history.tsx';
import { LendersFile } from './lenders-file.tsx';
import { MarketAround } from './market.tsx';
import { Rent } from './rent.tsx';
import { RiskLayers } from './risk.tsx';
import { Title } from './title.tsx';
import { ValueCard, type Asked } from './value.tsx';
import { WhatIf } from './what-if.tsx';

const INCLUDE = ['comparables', 'explanation', 'history'];

export function PropertyPage({ id }: { id: string }) {
  const { mode, isGuest } = useCaller();
  const included = ['assessments', 'taxes', 'transactions', 'provenance', ...(isGuest ? [] : ['owner'])];
  const record = useApi<Property>(`properties/${encodeURIComponent(id)}?include=${included.join(',')}`);
  const risk = useApi<RiskReport>(`properties/${encodeURIComponent(id)}/risk`);
  // Sandbox valuations are free. Live ones count against the plan, so they wait for a click.
  const [asked, setAsked] = useState<Asked | undefined>(mode === 'test' ? { level: 0.8, asOf: '' } : undefined);
  const valuation = useApi<Valuation>(
    asked ? 'avm/estimate' : null,
    useMemo(() => asked && bodyOf(id, asked), [id, asked]),
  );
  const property = record.data;
  const title = property ? nameOf(property) : 'Property';
  useTitle(title);

  if (record.problem) {
    return (
      <div className="page">
        <h1 className="unseen">{record.problem.title}</h1>
        {record.problem.status === 404 ? (
          <Empty
            icon="search"
            title="Property not found"
            action={
              <Link href="/explore" className="button primary">
                Back to explorer
              </Link>
            }
          >
            {isGuest
              ? 'The sandbox has no such property. Real places need an account.'
              : 'It may be in a market that isn’t loaded, or in the other mode: sandbox or live.'}
          </Empty>
        ) : (
          <ProblemNotice problem={record.problem} onRetry={record.reload} />
        )}
      </div>
    );
  }
  if (!property) {
    return (
      <div className="page">
        <Skeleton lines={9} />
      </div>
    );
  }
  return (
    <div className="page property">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          <p className="lead">
            {[placeOf(property), property.identifiers?.county, `Parcel ${property.identifiers?.apn}`]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <div className="row property-badges">
            <Badge>{words(property.property_type)}</Badge>
            {property.risk_summary?.flood_sfha && (
              <Badge tone="info">Flood zone {property.risk_summary.flood_zone}</Badge>
            )}
            {(property.risk_summary?.open_tax_liens ?? 0) > 0 && <Badge tone="bad">Open tax lien</Badge>}
            {(property.risk_summary?.open_violations ?? 0) > 0 && <Badge tone="warn">Open violation</Badge>}
            {property.risk_summary?.opportunity_zone && <Badge tone="good">Opportunity zone</Badge>}
          </div>
        </div>
        <div className="actions no-print">
          {property.address?.zip && (
            <Link className="button" href={areaHref('zip', property.address.zip, property.identifiers?.market)}>
              <Icon name="chart" size={17} />
              Area
            </Link>
          )}
          {property.latitude != null && (
            <Link className="button" href={`/explore?at=${property.latitude},${property.longitude},16`}>
              Show on map
            </Link>
          )}
          <ShareButton what={{ property_id: property.id }} calls={1} />
          <LendersFile id={property.id} />
        </div>
      </header>
      <div className="sections">
        <ValueCard property={property} asked={asked} onAsk={setAsked} valuation={valuation} />
        {valuation.data && <WhatIf property={property} valuation={valuation.data} />}
        <Comparables property={property} valuation={valuation.data} />
        {valuation.data?.explanation && <Explanation explanation={valuation.data.explanation} />}
        <History property={property} valuation={valuation.data} />
        <MarketAround property={property} />
        <Rent id={id} />
        <Facts property={property} />
        <RiskLayers risk={risk} />
        <Title id={id} />
        <Documents property={property} />
      </div>
    </div>
  );
}

function bodyOf(id: string, { level, asOf }: Asked) {
  return {
    property: { id },
    options: { interval_level: level, include: INCLUDE, ...(asOf !== '' && { as_of: asOf }) },
  };
}

function placeOf({ address }: Property): string {
  const stateAndZip = [address?.state, address?.zip].filter(Boolean).join(' ');
  return [calm(address?.city), stateAndZip].filter(Boolean).join(', ');
}

function nameOf({ address, identifiers }: Property): string {
  if (!address?.line1) return `Parcel ${identifiers?.apn ?? ''}`;
  return calm([address.line1, address.unit].filter(Boolean).join(' '));
}
