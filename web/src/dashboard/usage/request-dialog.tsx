// One request from the log in full: what it was, how long it took, what it cost and why, and what to do if it failed.
import { instant, routeName, whole, zone } from '../../format.ts';
import { Link } from '../../router.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Copy } from '../../ui/parts.tsx';
import type { LoggedRequest } from '../answers.ts';
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
        <p className="fine">
          Headers, query, and bodies aren’t stored: they can contain owners’ names and what you look for.{' '}
          <Link href={`/dashboard/support?request_id=${encodeURIComponent(id)}`}>
            Contact support about this request
          </Link>
        </p>
      </div>
    </Dialog>
  );
}

export function explainCost({ mode, status, meter, units }: LoggedRequest): string {
  if (mode === 'test') return 'Nothing. Sandbox calls are free.';
  if (status >= 300) return 'Nothing. Only successful responses (2xx) are charged.';
  if (meter === 'none') return 'Nothing. This operation is free.';
  const what = meter === 'avm' ? 'valuation' : 'call';
  if (units === 0)
    return `Nothing. It was answered again or counted with its batch, so no further ${what} was charged.`;
  return `${whole(units)} ${what}${units === 1 ? '' : 's'} of your plan’s allowance${units > 1 ? ', because it returned or did the work of that many' : ''}.`;
}
