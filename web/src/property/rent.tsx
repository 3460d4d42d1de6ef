// The rent of a home: its estimate with interval and basis, and what it yields.
import { useState } from 'react';
import { useCaller } from '../caller.tsx';
import { money, percent, words } from '../format.ts';
import type { RentEstimate } from '../types.ts';
import { Button, Card, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';

export function Rent({ id }: { id: string }) {
  const { mode } = useCaller();
  // Free in the sandbox. A live one counts against the plan, so it waits for a click.
  const [isAsked, setAsked] = useState(mode === 'test');
  const { data, problem } = useApi<RentEstimate>(isAsked ? `rents/estimate?id=${encodeURIComponent(id)}` : null);
  return (
    <Card title="Rent" lead={data && data.rent !== null && data.basis.statement}>
      <ProblemNotice problem={problem} />
      {!isAsked && (
        <div>
          <Button onClick={() => setAsked(true)}>Estimate the rent (1 call)</Button>
        </div>
      )}
      {isAsked && !data && !problem && <Skeleton lines={2} />}
      {data && data.rent === null && <p>There is no estimate: {words(data.reason)}.</p>}
      {data && data.rent !== null && data.interval && (
        <dl className="stats">
          <Stat
            label="A month"
            value={money(data.rent)}
            note={`${money(data.interval.low)} to ${money(data.interval.high)} (80%)`}
          />
          <Stat label="Gross yield" value={percent(data.returns.gross_yield)} />
          <Stat label="Leases nearby" value={String(data.comparables.length)} />
        </dl>
      )}
    </Card>
  );
}
