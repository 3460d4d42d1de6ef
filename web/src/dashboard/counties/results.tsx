// What a preview, a load or a training came to.
import { useCaller } from '../../caller.tsx';
import { calm, money, percent, plural, whole, words } from '../../format.ts';
import { Link } from '../../router.tsx';
import { Code, Notice, Stat } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import type { Property } from '../../types.ts';
import { Findings } from './findings.tsx';
import {
  findingsOf,
  labelOf,
  type LoadResult,
  type PreviewResult,
  type Report,
  type Step,
  type TrainResult,
} from './draft.ts';

export function PreviewResults({ step, draftId }: { step: Step; draftId: string }) {
  const { reports, samples, properties, filled } = step.result as unknown as PreviewResult;
  const rows = reports.reduce((sum, report) => sum + report.rows, 0);
  const joined = joinRate(reports);
  const bad = reports.reduce((sum, report) => sum + report.quarantined, 0);
  return (
    <>
      <dl className="stats">
        <Stat label="Rows" value={whole(rows)} />
        <Stat label="Properties" value={whole(properties)} />
        <Stat label="Sales" value={whole(countOf(reports, 'transactions'))} />
        <Stat label="Set aside" value={whole(bad)} note="Records that cannot be used" />
        {joined !== null && <Stat label="Joined" value={percent(joined)} note="Records that found their property" />}
      </dl>
      <Examined reports={reports} />
      <SetAside reports={reports} />
      <div className="grid-2">
        <div>
          <h3>How many properties state it</h3>
          <dl className="facts one">
            {Object.entries(filled).map(([name, count]) => (
              <div key={name}>
                <dt>{name === 'last_sale_price' ? 'Sale price' : labelOf(name)}</dt>
                <dd>{percent(properties === 0 ? 0 : count / properties, 0)}</dd>
              </div>
            ))}
          </dl>
        </div>
        <figure className="county-map">
          <img
            src={`/session/counties/${draftId}/map.svg?step=${step.id}`}
            alt="Map of where the properties lie"
            width={450}
          />
          <figcaption className="fine">Where the properties lie. Does it look like the county?</figcaption>
        </figure>
      </div>
      {samples.length > 0 && (
        <div className="stack">
          <h3>Examples, as the API would show them</h3>
          <Table
            caption="Examples"
            rows={samples}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Address', cell: (row) => addressOf(row) },
              { head: 'Parcel', cell: (row) => row.identifiers?.apn },
              { head: 'Type', cell: (row) => words(row.property_type) },
              { head: 'Sq ft', align: 'right', cell: (row) => whole(row.sqft) },
              { head: 'Built', align: 'right', cell: (row) => row.structure?.year_built ?? '—' },
              { head: 'Last sale', align: 'right', cell: (row) => money(row.last_sale?.price) },
            ]}
          />
          <details>
            <summary>First record in full</summary>
            <div className="details-body">
              <Code label="JSON">{JSON.stringify(samples[0], dropNulls, 2)}</Code>
            </div>
          </details>
        </div>
      )}
    </>
  );
}

const dropNulls = (_: string, value: unknown) => (value === null ? undefined : value);
const addressOf = ({ address }: Property) => [calm(address?.line1), calm(address?.city)].filter(Boolean).join(', ');
const countOf = (reports: Report[], target: string) =>
  reports.reduce((sum, { targets }) => {
    const counts = targets[target];
    return sum + (counts ? counts.inserted + counts.updated + counts.unchanged : 0);
  }, 0);

function joinRate(reports: Report[]): number | null {
  const rates = reports.flatMap(({ join_rate }) => join_rate ?? []);
  return rates.length === 0 ? null : Math.min(...rates);
}

function Examined({ reports }: { reports: Report[] }) {
  const findings = findingsOf(reports);
  return findings && <Findings findings={findings} />;
}

function SetAside({ reports }: { reports: Report[] }) {
  const reasons = reports.flatMap((report) => Object.entries(report.quarantined_by_reason));
  if (reasons.length === 0) return null;
  return (
    <Table
      caption="Records set aside, by reason"
      rows={reasons.toSorted((a, b) => b[1] - a[1])}
      keyOf={([reason]) => reason}
      columns={[
        { head: 'Why a record is set aside', cell: ([reason]) => describeReason(reason) },
        { head: 'Records', align: 'right', cell: ([, count]) => whole(count) },
      ]}
    />
  );
}

/** `not_a_date (SALE_DATE)`: a code of ours, and the column as the publisher spells it. */
function describeReason(reason: string): string {
  const [, code, column] = /^(\w+) \((.*)\)$/.exec(reason) ?? [];
  return column === undefined ? words(reason) : `${words(code)} in ${column}`;
}

export function LoadResults({ step }: { step: Step }) {
  const { reports } = step.result as unknown as LoadResult;
  const isUnchanged = reports.every(({ outcome }) => outcome === 'unchanged');
  if (isUnchanged)
    return <Notice title="The same file with the same recipe is loaded already. Nothing had to be done." />;
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  const rows = reports.reduce((sum, report) => sum + report.rows, 0);
  return (
    <>
      <dl className="stats">
        <Stat label="Rows" value={whole(rows)} note={`${whole(rows / Math.max(seconds, 0.001))} per second`} />
        <Stat label="Properties" value={whole(countOf(reports, 'properties'))} />
        <Stat label="Sales" value={whole(countOf(reports, 'transactions'))} />
        <Stat label="Set aside" value={whole(reports.reduce((sum, report) => sum + report.quarantined, 0))} />
      </dl>
      <Examined reports={reports} />
      <SetAside reports={reports} />
    </>
  );
}

export function TrainResults({ step }: { step: Step }) {
  const { accuracy, is_published, decision, version, valued } = step.result as unknown as TrainResult;
  return (
    <>
      {!is_published && (
        <Notice tone="warn" title="The model was not published">
          <p>{words(decision.replace(/^refused: /, ''))}.</p>
        </Notice>
      )}
      <dl className="stats">
        <Stat label="Median error" value={percent(accuracy.median_error)} note="On sales the model had not seen" />
        <Stat label="Within 10%" value={percent(accuracy.within_10, 0)} />
        <Stat label="In the 80% interval" value={percent(accuracy.coverage_80, 0)} note="80% is ideal" />
        <Stat label="Sales tested" value={whole(accuracy.tested)} note={`${accuracy.from} to ${accuracy.to}`} />
        {is_published && <Stat label="Homes valued" value={whole(valued)} />}
      </dl>
      <p className="fine">
        Model <code>{version}</code>
      </p>
    </>
  );
}

/** Where to look at what was loaded: live data, at the place itself. */
export function PlaceLinks({ market, sample }: { market: string; sample: Property | undefined }) {
  const { session, setMode } = useCaller();
  const at = sample?.latitude != null ? `&at=${sample.latitude},${sample.longitude},12` : '';
  const goLive = () => setMode('live');
  return (
    <div className="stack">
      <div className="row">
        <Link className="button primary" href={`/explore?market=${market}${at}`} onClick={goLive}>
          Show on the map
        </Link>
        {sample && (
          <Link className="button" href={`/p/${sample.id}`} onClick={goLive}>
            Open {calm(sample.address?.line1) || 'a home'}
          </Link>
        )}
        <Link className="button" href="/accuracy" onClick={goLive}>
          Accuracy in full
        </Link>
      </div>
      {session?.account.needs_card && (
        <p className="fine">
          The map shows live data to accounts with a plan. Yours has none yet: choose one under Billing, or run{' '}
          <code>
            npx platbook admin contract {session.account.id} {`'{"priceCentsPerMonth":0}'`}
          </code>{' '}
          on the server.
        </p>
      )}
    </div>
  );
}

export const describeRows = (rows: number, hasMore: boolean) =>
  hasMore ? `first ${plural(rows, 'row')} read` : plural(rows, 'row');
