// One step on a county's page: its state, how far it is, what went wrong, and what can be done about it.
import { useEffect, useState, type ReactNode } from 'react';
import { percent, plural, whole, words } from '../../format.ts';
import { Badge, Button, Card, Notice } from '../../ui/parts.tsx';
import { isActive, TONES, type Step } from './draft.ts';

export function StepCard({
  id,
  title,
  lead,
  step,
  isStale,
  actions,
  onCancel,
  children,
}: {
  id: string;
  title: string;
  lead: ReactNode;
  step: Step | undefined;
  isStale?: boolean;
  actions?: ReactNode;
  onCancel: () => void;
  children?: ReactNode;
}) {
  return (
    <div id={id} className="step">
      <Card title={title} lead={lead} actions={isActive(step) ? <Cancel step={step!} onCancel={onCancel} /> : actions}>
        <div className="stack">
          {step && isActive(step) && <Progress title={title} step={step} />}
          {step?.state === 'failed' && (
            <Notice tone="bad" title="This step failed">
              <p className="step-error">{step.error}</p>
            </Notice>
          )}
          {step?.state === 'canceled' && <Notice tone="warn" title="This step was canceled. Nothing was changed." />}
          {isStale && step?.state === 'done' && (
            <Notice tone="warn" title="The recipe has changed since. Run this step again." />
          )}
          {children}
        </div>
      </Card>
    </div>
  );
}

function Cancel({ step, onCancel }: { step: Step; onCancel: () => void }) {
  return (
    <Button onClick={onCancel} disabled={step.is_canceling}>
      {step.is_canceling ? 'Canceling…' : 'Cancel'}
    </Button>
  );
}

function Progress({ title, step }: { title: string; step: Step }) {
  const { progress, state, started_at } = step;
  const share = progress?.share ?? null;
  return (
    <div className="meter">
      <div className="row spread">
        <span aria-live="polite">{state === 'queued' ? 'Waiting for the worker…' : phaseOf(progress?.phase)}</span>
        <span className="fine">
          {[
            progress?.rows != null && plural(progress.rows, 'row'),
            progress?.rows_per_second != null && `${whole(progress.rows_per_second)} per second`,
            share !== null && percent(share, 0),
            progress?.seconds_left != null && progress.seconds_left > 0 && `${whole(progress.seconds_left)} s left`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      <div
        className="meter-track"
        role="progressbar"
        aria-label={`Progress of ${title}`}
        {...(share !== null && { 'aria-valuenow': Math.round(share * 100) })}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div className={`meter-fill ${share === null ? 'unknown' : ''}`} style={{ width: `${(share ?? 1) * 100}%` }} />
      </div>
      {started_at && <Elapsed since={started_at} />}
    </div>
  );
}

/** Training numbers its stages for the terminal; here the words are enough. */
function phaseOf(phase: string | undefined): string {
  return phase ? words(phase.replace(/^\d+ /, '')).replaceAll('_', ' ') : 'Starting…';
}

function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - new Date(since).getTime()) / 1_000));
  const text = seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return <span className="fine">Running for {text}. You can leave this page; it goes on.</span>;
}

export function StateBadge({ step, isStale }: { step: Step | undefined; isStale?: boolean }) {
  if (!step) return <Badge>To do</Badge>;
  if (isStale && step.state === 'done') return <Badge tone="warn">Run again</Badge>;
  return <Badge tone={TONES[step.state]}>{words(step.state)}</Badge>;
}
