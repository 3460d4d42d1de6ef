// The estimated value with its interval, confidence, and the receipt that reproduces it.
import { IntervalBar } from '../charts/interval.tsx';
import { useCaller } from '../caller.tsx';
import { OldSalesNote } from '../explore/old-sales.tsx';
import { useOldSales } from '../markets.ts';
import { Link } from '../router.tsx';
import { day, money, percent, whole, words } from '../format.ts';
import type { Property, Valuation } from '../types.ts';
import {
  Badge,
  Button,
  Card,
  Copy,
  Field,
  Notice,
  ProblemNotice,
  Skeleton,
  Stat,
  type Tone,
  withCode,
} from '../ui/parts.tsx';
import type { Reading } from '../use-api.ts';

export interface Asked {
  level: number;
  /** Empty for today. */
  asOf: string;
}

const TONES: Record<string, Tone> = { high: 'good', medium: 'warn', low: 'bad' };

export function ValueCard({
  property,
  asked,
  onAsk,
  valuation,
}: {
  property: Property;
  asked: Asked | undefined;
  onAsk: (asked: Asked) => void;
  valuation: Reading<Valuation>;
}) {
  const { data, problem, isLoading, reload } = valuation;
  const old = useOldSales().get(property.identifiers?.market ?? '');
  return (
    <Card
      title="Estimated value"
      actions={
        asked && (
          <form className="row no-print value-options" onSubmit={(event) => event.preventDefault()}>
            <Field label="Interval">
              {(id) => (
                <select
                  id={id}
                  value={asked.level}
                  onChange={(event) => onAsk({ ...asked, level: Number(event.target.value) })}
                >
                  {[0.5, 0.8, 0.9, 0.95].map((level) => (
                    <option key={level} value={level}>
                      {percent(level, 0)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="As of">
              {(id) => (
                <input
                  id={id}
                  type="date"
                  value={asked.asOf}
                  onChange={(event) => onAsk({ ...asked, asOf: event.target.value })}
                />
              )}
            </Field>
          </form>
        )
      }
    >
      <div className="stack">
        <OldSalesNote old={old} hasValues={data !== undefined || property.valuation != null} />
        {!asked && <Stored property={property} onAsk={() => onAsk({ level: 0.8, asOf: '' })} />}
        <ProblemNotice problem={problem} onRetry={reload} />
        {!data && isLoading && <Skeleton lines={4} />}
        {data && <Fresh valuation={data} property={property} />}
      </div>
    </Card>
  );
}

function Fresh({ valuation, property }: { valuation: Valuation; property: Property }) {
  const { confidence_interval: interval, error_basis: basis } = valuation;
  const { isGuest } = useCaller();
  return (
    <div className="stack">
      <div className="value-grid">
        <div>
          <p className="value-big">{money(valuation.estimated_value)}</p>
          <div className="row">
            <Badge tone={TONES[valuation.confidence]}>{words(valuation.confidence)} confidence</Badge>
            <span className="fine">
              {percent(interval.level, 0)} interval: {money(interval.low)} to {money(interval.high)}
            </span>
          </div>
        </div>
        <IntervalBar
          low={interval.low}
          value={valuation.estimated_value}
          high={interval.high}
          level={interval.level}
          sale={saleOf(property)}
        />
      </div>
      <dl className="stats">
        <Stat
          label="Chance of being within 10%"
          value={percent(valuation.confidence_score, 0)}
          note="of the sale price"
        />
        <Stat
          label="Median error of values like it"
          value={percent(valuation.median_error_rate)}
          note={`${percent(basis.segment_error_rate)} over ${whole(basis.sample_size)} sales, ${words(basis.segment)}`}
        />
        <Stat label="Forecast standard deviation" value={percent(valuation.fsd)} note="FSD, as a share of value" />
        <Stat label="As of" value={day(valuation.as_of)} note={valuation.model_version} />
      </dl>
      {valuation.warnings.length > 0 && (
        <Notice tone="warn" title="About this estimate">
          <ul className="bullets">
            {valuation.warnings.map((warning) => (
              <li key={warning.code + warning.detail}>{withCode(warning.detail)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isGuest ? (
        <p className="fine no-print">
          <Link href="/sign-up">Sign up free</Link> to keep receipts that reproduce the same number, and to value real
          homes.
        </p>
      ) : (
        <p className="fine row">
          Receipt <code data-receipt>{valuation.id}</code>
          <span className="no-print">
            <Copy text={valuation.id} label="Copy receipt ID" />
          </span>
        </p>
      )}
    </div>
  );
}

/** Skips token-price sales, which say nothing about value and would compress the chart. */
function saleOf({ last_sale: sale, valuation }: Property): { price: number; date: string | null } | undefined {
  const floor = (valuation?.estimated_value ?? 0) / 10;
  return sale?.price != null && sale.price > floor ? { price: sale.price, date: sale.date } : undefined;
}

function Stored({ property, onAsk }: { property: Property; onAsk: () => void }) {
  const stored = property.valuation;
  return (
    <div className="stack">
      {stored ? (
        <div className="value-grid">
          <div>
            <p className="value-big">{money(stored.estimated_value)}</p>
            <p className="fine">
              Valued {day(stored.valued_on)} with model {stored.model_version}
            </p>
          </div>
          {stored.low != null && stored.high != null && (
            <IntervalBar low={stored.low} value={stored.estimated_value} high={stored.high} level={0.8} />
          )}
        </div>
      ) : (
        <p>This property has no stored value yet.</p>
      )}
      <div className="row no-print">
        <Button look="primary" onClick={onAsk}>
          Run valuation
        </Button>
        <span className="fine">Includes comparables, explanation, and history. Uses one valuation from your plan.</span>
      </div>
    </div>
  );
}
