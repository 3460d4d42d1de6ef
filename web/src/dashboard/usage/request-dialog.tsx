// One request from the log in full: what it was, how long it took, what it cost and why, and what to do if it failed.
import type { ReactNode } from 'react';
import { useCaller } from '../../caller.tsx';
import { bytes, instant, routeName, whole, zone } from '../../format.ts';
import { Link } from '../../router.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Copy, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { useApi } from '../../use-api.ts';
import type { FullRequest, LoggedRequest } from '../answers.ts';
import { ErrorHelp } from './error-help.tsx';
import { statusTone } from './status.ts';

export function RequestDialog({
  request,
  keyName,
  onClose,
}: {
  request: LoggedRequest;
  keyName: string;
  onClose: () => void;
}) {
  const { request_id: id, at, mode, method, route, status, duration_ms: took, error_code: code } = request;
  return (
    <Dialog title="Request" onClose={onClose} wide>
      <div className="stack">
        <p className="row">
          <Badge tone={statusTone(status)}>{status}</Badge>
          <code>
            {method} {routeName(route)}
          </code>
        </p>
        <dl className="facts one">
          <div>
            <dt>Request ID</dt>
            <dd className="row">
              <code>{id}</code>
              <Copy text={id} label="Copy" isBare />
            </dd>
          </div>
          <div>
            <dt>Time</dt>
            <dd>
              <time dateTime={at}>
                {instant(at)} {zone(at)}
              </time>{' '}
              <span className="fine">{at}</span>
            </dd>
          </div>
          <div>
            <dt>Key</dt>
            <dd>
              {keyName} <span className="fine">{mode === 'live' ? 'live' : 'sandbox'}</span>
            </dd>
          </div>
          <div>
            <dt>Duration</dt>
            <dd>
              {took < 10 ? took.toFixed(1) : whole(took)} ms on our side, from the first byte of the request to the last
              of the response
            </dd>
          </div>
          <div>
            <dt>Cost</dt>
            <dd>{explainCost(request)}</dd>
          </div>
        </dl>
        {code && <ErrorHelp code={code} />}
        <Exchange request={request} />
        <p className="fine">
          <Link href={`/dashboard/support?request_id=${encodeURIComponent(id)}`}>
            Contact support about this request
          </Link>
        </p>
      </div>
    </Dialog>
  );
}

/** What was asked and answered, as long as it is kept. */
function Exchange({ request }: { request: LoggedRequest }) {
  const { mode } = useCaller();
  const { data, problem, isLoading } = useApi<FullRequest>(`requests/${encodeURIComponent(request.request_id)}`);
  if (isLoading && !data) return <Skeleton lines={4} />;
  if (problem) return <ProblemNotice problem={problem} />;
  const exchange = data?.exchange;
  if (!exchange) return <p className="fine">{whyNotKept(request, mode)}</p>;
  const { response_bytes: size } = exchange;
  return (
    <>
      <Side title="Request">
        <Headers first={`${request.method} ${exchange.url}`} headers={exchange.request_headers} />
        {exchange.request_body && <Json label="Request body" text={exchange.request_body} />}
      </Side>
      <Side title={`Response${size == null ? '' : `, ${bytes(size)}`}`}>
        <Headers first={String(request.status)} headers={exchange.response_headers} />
        {exchange.response_body ? (
          <Json label="Response body" text={exchange.response_body} />
        ) : (
          <p className="fine">The body isn’t kept: it is a file, is longer than 32 kB, or is about people.</p>
        )}
      </Side>
      <p className="fine">
        Kept for 24 hours, encrypted. Keys and secrets are never kept, and people’s names only in the sandbox.
      </p>
    </>
  );
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Headers({ first, headers }: { first: string; headers: Record<string, string> }) {
  const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return <pre className="exchange">{lines.join('\n')}</pre>;
}

function Json({ label, text }: { label: string; text: string }) {
  return (
    <div className="exchange-body">
      <pre className="exchange" tabIndex={0} role="region" aria-label={label}>
        {JSON.stringify(JSON.parse(text), null, 2)}
      </pre>
      <Copy text={text} label="Copy" isBare />
    </div>
  );
}

const KEPT_MS = 24 * 3_600_000;

function whyNotKept({ at, mode, route }: LoggedRequest, shownMode: 'test' | 'live'): string {
  if (Date.now() - Date.parse(at) > KEPT_MS) return 'Headers and bodies are kept for 24 hours.';
  if (mode !== shownMode)
    return `Switch to ${mode === 'live' ? 'live data' : 'the sandbox'} to see headers and bodies of this request.`;
  if (route.startsWith('/api/v1/tiles')) return 'Tiles aren’t text, so there is nothing to show of them.';
  return 'Headers and bodies are kept of requests with a key, up to five a second.';
}

function explainCost({ mode, status, meter, units }: LoggedRequest): string {
  if (mode === 'test') return 'Nothing. Sandbox calls are free.';
  if (status >= 300) return 'Nothing. Only successful responses (2xx) are charged.';
  if (meter === 'none') return 'Nothing. This operation is free.';
  const what = meter === 'avm' ? 'valuation' : 'call';
  if (units === 0)
    return `Nothing. It was answered again or counted with its batch, so no further ${what} was charged.`;
  return `${whole(units)} ${what}${units === 1 ? '' : 's'} of your plan’s allowance${units > 1 ? ', because it returned or did the work of that many' : ''}.`;
}
