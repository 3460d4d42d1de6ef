// What if the home were larger, newer, or in better shape: its value moves as the attributes are changed.
import { useEffect, useState } from 'react';
import { IntervalBar } from '../charts/interval.tsx';
import { useCaller } from '../caller.tsx';
import { money, percent, signedMoney, words } from '../format.ts';
import type { Property, Valuation } from '../types.ts';
import { Button, Card, Field, ProblemNotice } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';

type Changes = Record<string, number | string>;

interface Trait {
  name: string;
  label: string;
  step: number;
  min: number;
  max: number;
  read: (property: Property) => number | null | undefined;
}

const TRAITS: Trait[] = [
  { name: 'sqft', label: 'Living area (sqft)', step: 50, min: 300, max: 8_000, read: ({ sqft }) => sqft },
  { name: 'bedrooms', label: 'Bedrooms', step: 1, min: 0, max: 10, read: ({ bedrooms }) => bedrooms },
  { name: 'bathrooms', label: 'Bathrooms', step: 0.5, min: 0.5, max: 8, read: ({ bathrooms }) => bathrooms },
  { name: 'lot_sqft', label: 'Lot (sqft)', step: 250, min: 500, max: 60_000, read: ({ parcel }) => parcel?.lot_sqft },
  {
    name: 'year_built',
    label: 'Year built',
    step: 1,
    min: 1880,
    max: new Date().getUTCFullYear(),
    read: ({ structure }) => structure?.year_built,
  },
];
const CONDITIONS = ['poor', 'fair', 'average', 'good', 'very_good', 'excellent'];
/** Long enough to drag a slider, short enough to feel immediate. */
const PAUSE_MS = 250;

export function WhatIf({ property, valuation }: { property: Property; valuation: Valuation }) {
  const { mode } = useCaller();
  const [changes, setChanges] = useState<Changes>({});
  const [asked, setAsked] = useState<Changes>({});
  // Sandbox valuations are free, so the value follows at once. Live ones wait for a click.
  const isFree = mode === 'test';
  useEffect(() => {
    if (!isFree) return undefined;
    const timer = setTimeout(() => setAsked(changes), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isFree, changes]);
  const hasAsked = Object.keys(asked).length > 0;
  const changed = useApi<Valuation>(
    hasAsked ? 'avm/estimate' : null,
    hasAsked
      ? {
          property: { id: property.id, ...asked },
          options: { interval_level: valuation.confidence_interval.level, as_of: valuation.as_of, include: [] },
        }
      : undefined,
  );
  const set = (name: string, value: number | string | undefined) =>
    setChanges((before) => {
      const { [name]: _old, ...rest } = before;
      return value === undefined || value === '' ? rest : { ...rest, [name]: value };
    });
  const shown = hasAsked && changed.data ? changed.data : valuation;
  const { low, high, level } = shown.confidence_interval;
  const difference = shown.estimated_value - valuation.estimated_value;
  return (
    <Card
      title="What if"
      lead="Change what you know better, or what a renovation would change. The record stays as it is."
      className="no-print"
      actions={
        Object.keys(changes).length > 0 && (
          <Button
            small
            onClick={() => {
              setChanges({});
              setAsked({});
            }}
          >
            Reset
          </Button>
        )
      }
    >
      <div className="what-if">
        <div className="what-if-traits">
          {TRAITS.map((trait) => {
            const own = trait.read(property);
            const value = changes[trait.name] ?? own;
            return (
              <Field
                key={trait.name}
                label={trait.label}
                hint={
                  own == null
                    ? 'Not on record'
                    : `On record: ${own.toLocaleString('en-US', { useGrouping: trait.name !== 'year_built' })}`
                }
              >
                {(id, describedBy) => (
                  <span className="row nowrap">
                    <input
                      type="range"
                      aria-label={`${trait.label}, slider`}
                      min={Math.min(trait.min, own ?? trait.min)}
                      max={Math.max(trait.max, own ?? trait.max)}
                      step={trait.step}
                      value={value ?? trait.min}
                      onChange={(event) => set(trait.name, Number(event.target.value))}
                    />
                    <input
                      id={id}
                      type="number"
                      aria-describedby={describedBy}
                      min={0}
                      step="any"
                      value={value ?? ''}
                      onChange={(event) =>
                        set(trait.name, event.target.value === '' ? undefined : Number(event.target.value))
                      }
                    />
                  </span>
                )}
              </Field>
            );
          })}
          <Field
            label="Condition"
            hint={`On record: ${property.structure?.condition ? words(property.structure.condition) : 'unknown'}`}
          >
            {(id, describedBy) => (
              <select
                id={id}
                aria-describedby={describedBy}
                value={changes.condition ?? ''}
                onChange={(event) => set('condition', event.target.value)}
              >
                <option value="">As on record</option>
                {CONDITIONS.map((condition) => (
                  <option key={condition} value={condition}>
                    {words(condition)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <div className="what-if-value" aria-live="polite" aria-busy={changed.isLoading}>
          <p className="value-big">{money(shown.estimated_value)}</p>
          <p>
            {difference === 0 ? (
              <span className="fine">The same as on record</span>
            ) : (
              <strong>
                {signedMoney(difference)} ({percent(difference / valuation.estimated_value)})
              </strong>
            )}
          </p>
          <IntervalBar low={low} value={shown.estimated_value} high={high} level={level} />
          {!isFree && (
            <Button
              look="primary"
              isRunning={changed.isLoading}
              disabled={Object.keys(changes).length === 0}
              onClick={() => setAsked(changes)}
            >
              Value it (uses one valuation)
            </Button>
          )}
          <ProblemNotice problem={changed.problem} />
        </div>
      </div>
    </Card>
  );
}
