// The risk layers, keeping “none found” distinct from “not covered”.
import type { ReactNode } from 'react';
import { day, money, percent, plural, whole, words } from '../format.ts';
import type { RiskReport } from '../types.ts';
import { Badge, Card, ProblemNotice, Skeleton, type Tone } from '../ui/parts.tsx';
import type { Reading } from '../use-api.ts';

type Layers = RiskReport['layers'];
type Status = NonNullable<Layers['flood']>['status'];

const STATUS: Record<Status, [string, Tone]> = {
  found: ['Found', 'warn'],
  none_found: ['None found', 'good'],
  not_covered: ['Not covered', 'neutral'],
  temporarily_unavailable: ['Temporarily unavailable', 'bad'],
};

/** Layers with a panel of their own. */
const DRAWN = new Set(['flood', 'tax_liens', 'permits', 'code_violations', 'opportunity_zone', 'census']);

export function RiskLayers({ risk }: { risk: Reading<RiskReport> }) {
  const layers = risk.data?.layers;
  return (
    <Card
      title="Risk and location"
      lead="“None found” means the area is covered and there were no records. “Not covered” means no source covers this area."
    >
      <ProblemNotice problem={risk.problem} onRetry={risk.reload} />
      {!risk.data && risk.isLoading && <Skeleton lines={6} />}
      {layers && (
        <div className="layers">
          <Flood layer={layers.flood} />
          <Liens layer={layers.tax_liens} />
          <Permits layer={layers.permits} />
          <Violations layer={layers.code_violations} />
          <Zone layer={layers.opportunity_zone} />
          <Census layer={layers.census} />
          {Object.entries(layers)
            .filter(([name]) => !DRAWN.has(name))
            .map(([name, layer]) => (
              <Other key={name} name={name} layer={layer} />
            ))}
        </div>
      )}
    </Card>
  );
}

function Layer({
  title,
  layer,
  isNeutral,
  none,
  children,
}: {
  title: string;
  /** Shown when the layer is covered and nothing was found. */
  none?: string;
  layer:
    | { status: Status; source: { name: string; published_at: string | null; covers_to: string | null } | null }
    | undefined;
  isNeutral?: boolean;
  children?: ReactNode;
}) {
  if (!layer) return null;
  const [text, tone] = STATUS[layer.status];
  return (
    <section className="layer">
      <div className="row spread">
        <h3>{title}</h3>
        <Badge tone={isNeutral && layer.status === 'found' ? 'info' : tone}>{text}</Badge>
      </div>
      <div className="layer-body">{layer.status === 'none_found' && none ? <p>{none}</p> : children}</div>
      <p className="fine">
        {layer.source
          ? `${layer.source.name}${layer.source.covers_to ? `, through ${day(layer.source.covers_to)}` : layer.source.published_at ? `, ${day(layer.source.published_at)}` : ''}`
          : 'No source covers this area.'}
      </p>
    </section>
  );
}

function Flood({ layer }: { layer: Layers['flood'] }) {
  return (
    <Layer title="Flood" layer={layer} isNeutral={layer?.sfha === false}>
      {layer?.zone && (
        <p>
          Zone <strong>{layer.zone}</strong>
          {layer.sfha ? ', in a special flood hazard area' : ', outside the special flood hazard area'}
          {layer.base_flood_elevation_ft != null && `; base flood elevation ${layer.base_flood_elevation_ft} ft`}
          {layer.zone_subtype && <span className="fine"> ({layer.zone_subtype.toLowerCase()})</span>}
        </p>
      )}
    </Layer>
  );
}

const openText = (
  { open_count: open, status_unknown: unknown }: { open_count: number | null; status_unknown: number | null },
  what: string,
) =>
  [open === null ? '' : plural(open, what), unknown ? `${unknown} of unknown status` : ''].filter(Boolean).join(', ');

function Liens({ layer }: { layer: Layers['tax_liens'] }) {
  return (
    <Layer title="Tax liens" none="No tax liens on record." layer={layer} isNeutral={layer?.open_count === 0}>
      {layer && layer.items.length > 0 && (
        <>
          <p>
            {openText(layer, 'open lien')}
            {layer.open_amount === null ? '' : `, ${money(layer.open_amount)}`}
          </p>
          <Items
            items={layer.items.map(
              (item) => `${item.tax_year ?? ''} ${item.type}: ${money(item.amount)}, ${item.status}`,
            )}
          />
        </>
      )}
    </Layer>
  );
}

function Permits({ layer }: { layer: Layers['permits'] }) {
  return (
    <Layer title="Permits" none="No permits on record." layer={layer} isNeutral>
      {layer && layer.items.length > 0 && (
        <>
          <p>
            {plural(layer.count ?? 0, 'permit')}, {money(layer.total_job_value)} total job value
          </p>
          <Items
            items={layer.items.map((item) => `${day(item.issue_date)}: ${words(item.type)}, ${money(item.job_value)}`)}
          />
        </>
      )}
    </Layer>
  );
}

function Violations({ layer }: { layer: Layers['code_violations'] }) {
  return (
    <Layer title="Code violations" none="No violations on record." layer={layer} isNeutral={layer?.open_count === 0}>
      {layer && layer.items.length > 0 && (
        <>
          <p>{openText(layer, 'open violation')}</p>
          <Items
            items={layer.items.map(
              (item) => `${day(item.opened_date)}: ${item.description ?? item.code_section}, ${item.status}`,
            )}
          />
        </>
      )}
    </Layer>
  );
}

function Zone({ layer }: { layer: Layers['opportunity_zone'] }) {
  return (
    <Layer title="Opportunity zone" layer={layer} isNeutral>
      {layer?.is_opportunity_zone != null && (
        <p>
          {layer.is_opportunity_zone ? 'In an opportunity zone' : 'Not in an opportunity zone'}
          {layer.tract_geoid && <span className="fine">, 2010 tract {layer.tract_geoid}</span>}
        </p>
      )}
    </Layer>
  );
}

function Census({ layer }: { layer: Layers['census'] }) {
  return (
    <Layer title={`Census${layer?.vintage ? ` ${layer.vintage}` : ''}`} layer={layer} isNeutral>
      {layer?.status === 'found' && (
        <dl className="facts single compact">
          <Row name="Population" value={whole(layer.population)} />
          <Row name="Median household income" value={money(layer.median_household_income)} />
          <Row name="Median home value" value={money(layer.median_home_value)} />
          <Row name="Owner-occupied" value={percent(layer.owner_occupied_rate, 0)} />
          <Row name="Vacant" value={percent(layer.vacancy_rate, 0)} />
          <Row name="Poverty rate" value={percent(layer.poverty_rate, 0)} />
          <Row name="Unemployment rate" value={percent(layer.unemployment_rate, 0)} />
        </dl>
      )}
    </Layer>
  );
}

/** What layers by recipe have besides their own fields. */
interface Loaded {
  title?: string;
  summary?: string | null;
  level?: 'good' | 'fair' | 'bad' | null;
}

/** Shares and distances need their decimals. */
const amount = (value: number): string =>
  Number.isInteger(value) ? whole(value) : String(Number(value.toPrecision(4)));

/** Any other layer, member by member. */
function Other({ name, layer }: { name: string; layer: NonNullable<Layers[keyof Layers]> }) {
  const { status: _status, source: _source, title, summary, level, ...members } = layer as typeof layer & Loaded;
  const known = Object.entries(members).filter(([, value]) => value !== null && typeof value !== 'object');
  return (
    <Layer title={title ?? words(name)} none="Nothing on record." layer={layer} isNeutral={level !== 'bad'}>
      {summary && <p>{summary}</p>}
      <dl className="facts single compact">
        {known.map(([member, value]) => (
          <Row
            key={member}
            name={words(member)}
            value={typeof value === 'number' ? amount(value) : words(String(value))}
          />
        ))}
      </dl>
    </Layer>
  );
}

function Items({ items }: { items: string[] }) {
  return (
    <ul className="bullets">
      {items.slice(0, 6).map((item, index) => (
        <li key={index}>{item}</li>
      ))}
      {items.length > 6 && <li className="fine">and {items.length - 6} more</li>}
    </ul>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
