// One webhook: its deliveries with responses, and actions to test, resend, and rotate the secret.
import { useState } from 'react';
import { useCall, useCaller } from '../../caller.tsx';
import { ago, instant, plural, words } from '../../format.ts';
import { navigate } from '../../router.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Code,
  Empty,
  PageHead,
  ProblemNotice,
  Skeleton,
  SureButton,
  type Tone,
} from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useApi, useList } from '../../use-api.ts';
import type { Delivery, DeliveryLog, NewWebhook, Webhook } from '../answers.ts';
import { WebhookSecret, WebhookState } from './webhooks.tsx';

const TONES: Record<Delivery['status'], Tone> = { succeeded: 'good', pending: 'info', failed: 'bad' };

export function WebhookSection({ id }: { id: string }) {
  const call = useCall();
  const say = useToast();
  const { mode } = useCaller();
  const webhook = useApi<Webhook>(`webhooks/${id}`);
  const deliveries = useList<Delivery>(`webhooks/${id}/deliveries?limit=50`);
  const [shown, setShown] = useState<string>();
  const [made, setMade] = useState<NewWebhook>();
  const act = useAct(async (what: 'test' | 'rotate' | 'toggle' | 'delete' | 'event' | 'failed') => {
    if (what === 'test') {
      const delivery = await call<DeliveryLog>(`webhooks/${id}/test`, { method: 'POST' });
      say(delivery.status === 'succeeded' ? 'Test delivered' : 'Test delivery failed');
      setShown(delivery.id);
    }
    if (what === 'rotate')
      setMade(await call<NewWebhook>(`webhooks/${id}/rotate-secret`, { body: { overlap_hours: 24 } }));
    if (what === 'toggle') {
      const status = webhook.data?.status === 'enabled' ? 'disabled' : 'enabled';
      await call(`webhooks/${id}`, { method: 'PATCH', body: { status } });
    }
    if (what === 'event') await call('sandbox/events', { body: { type: 'property.sale_recorded' } });
    if (what === 'failed') {
      const since = new Date(Date.now() - 5 * 86_400_000).toISOString();
      const { delivery_count: count } = await call<{ delivery_count: number }>(`webhooks/${id}/redeliver`, {
        body: { since },
      });
      say(`Resending ${plural(count, 'delivery', 'deliveries')}`);
    }
    if (what === 'delete') {
      await call(`webhooks/${id}`, { method: 'DELETE' });
      navigate('/dashboard/webhooks');
      return;
    }
    webhook.reload();
    deliveries.reload();
  });
  if (webhook.problem) return <ProblemNotice problem={webhook.problem} onRetry={webhook.reload} />;
  if (!webhook.data) return <Skeleton lines={6} />;
  return (
    <>
      <PageHead
        title="Webhook"
        lead={<code>{webhook.data.url}</code>}
        actions={
          <>
            <Button icon="arrow" look="primary" isRunning={act.isRunning} onClick={() => void act.run('test')}>
              Send test
            </Button>
            {mode === 'test' && <Button onClick={() => void act.run('event')}>Send sandbox event</Button>}
          </>
        }
      />
      <div className="sections">
        <ProblemNotice problem={act.problem} />
        <Card
          title="Endpoint"
          lead={`Events: ${webhook.data.events.join(', ')}${webhook.data.format === 'slack' ? '. Sent as messages for Slack.' : ''}`}
          actions={
            <>
              <Button small onClick={() => void act.run('rotate')}>
                Rotate secret
              </Button>
              <Button small onClick={() => void act.run('toggle')}>
                {webhook.data.status === 'enabled' ? 'Disable' : 'Enable'}
              </Button>
              <SureButton small sure="Confirm delete" onSure={() => void act.run('delete')}>
                Delete
              </SureButton>
            </>
          }
        >
          <div className="row">
            <WebhookState webhook={webhook.data} />
            {webhook.data.previous_secret_expires_at && (
              <span className="fine">Previous secret expires {instant(webhook.data.previous_secret_expires_at)}</span>
            )}
          </div>
        </Card>
        <Card
          flush
          title="Deliveries"
          actions={
            <>
              <Button small onClick={() => void act.run('failed')}>
                Resend failed
              </Button>
              <Button small icon="refresh" onClick={deliveries.reload}>
                Refresh
              </Button>
            </>
          }
        >
          {deliveries.data?.length === 0 && (
            <Empty icon="hook" title="No deliveries yet">
              Send a test to see what your endpoint receives.
            </Empty>
          )}
          {deliveries.data && deliveries.data.length > 0 && (
            <Table
              caption="Deliveries"
              rows={deliveries.data}
              keyOf={({ id: key }) => key}
              more={deliveries}
              columns={[
                { head: 'Status', cell: (row) => <Badge tone={TONES[row.status]}>{words(row.status)}</Badge> },
                { head: 'Event', cell: (row) => <code>{row.event_type}</code> },
                { head: 'Attempts', align: 'right', cell: (row) => row.attempt_count },
                { head: 'Response', wide: true, cell: (row) => row.last_response_status ?? row.last_error ?? '' },
                { head: 'Created', cell: (row) => ago(row.created_at) },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  cell: (row) => (
                    <Button small onClick={() => setShown(row.id)} aria-label={`Details for ${row.id}`}>
                      Details
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </Card>
      </div>
      {shown && <DeliveryDialog id={shown} onClose={() => setShown(undefined)} onChange={deliveries.reload} />}
      {made && <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function DeliveryDialog({ id, onClose, onChange }: { id: string; onClose: () => void; onChange: () => void }) {
  const call = useCall();
  const say = useToast();
  const { data, problem, reload } = useApi<DeliveryLog>(`deliveries/${id}`);
  const act = useAct(async () => {
    await call(`deliveries/${id}/redeliver`, { method: 'POST' });
    say('Delivery resent');
    reload();
    onChange();
  });
  return (
    <Dialog title="Delivery" onClose={onClose} wide>
      <ProblemNotice problem={problem ?? act.problem} />
      {!data && !problem && <Skeleton />}
      {data && (
        <div className="stack">
          <div className="row spread">
            <span className="row">
              <Badge tone={TONES[data.status]}>{words(data.status)}</Badge>
              <code>{data.event_type}</code>
            </span>
            <Button small icon="refresh" isRunning={act.isRunning} onClick={() => void act.run()}>
              Resend
            </Button>
          </div>
          {data.attempts.map((attempt) => (
            <div key={attempt.attempt} className="attempt">
              <div className="row spread">
                <strong>
                  Attempt {attempt.attempt}: {attempt.response_status ?? attempt.error ?? 'no response'}
                </strong>
                <span className="fine">
                  {instant(attempt.attempted_at)}, {attempt.duration_ms} ms
                </span>
              </div>
              {attempt.response_body && <Code label="Response">{attempt.response_body}</Code>}
            </div>
          ))}
          {data.next_attempt_at && <p className="fine">Next attempt: {instant(data.next_attempt_at)}</p>}
          <Code label="Payload">{JSON.stringify(data.payload, null, 2)}</Code>
        </div>
      )}
    </Dialog>
  );
}
