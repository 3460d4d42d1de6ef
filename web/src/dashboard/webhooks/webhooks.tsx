// The list of webhook endpoints, and the dialogs to add one and reveal its secret.
import { useState } from 'react';
import { KIND_NAMES } from '../../../../src/base/events/names.ts';
import { useCall } from '../../caller.tsx';
import { ago, instant } from '../../format.ts';
import { Link } from '../../router.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Badge, Button, Card, Copy, Empty, Field, Notice, PageHead, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useAct, useList } from '../../use-api.ts';
import type { NewWebhook, Webhook } from '../answers.ts';

const GROUPS = [...new Set(KIND_NAMES.filter((name) => name.includes('.')).map((name) => `${name.split('.')[0]}.*`))];

export function WebhooksSection() {
  const list = useList<Webhook>('webhooks?limit=100');
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewWebhook>();
  return (
    <>
      <PageHead
        title="Webhooks"
        lead="Get notified when something happens. Deliveries are signed, logged, and retried for about three days."
        actions={
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            Add endpoint
          </Button>
        }
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <Card flush>
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Empty icon="hook" title="No endpoints yet">
            Add the HTTPS URL of your server, then send a test.
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Table
            caption="Webhook endpoints"
            rows={list.data}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              {
                head: 'URL',
                wide: true,
                cell: (row) => (
                  <>
                    <Link href={`/dashboard/webhooks/${row.id}`}>{row.url}</Link>
                    {row.description && <p className="fine">{row.description}</p>}
                  </>
                ),
              },
              { head: 'Events', cell: (row) => row.events.join(', ') },
              { head: 'Status', cell: (row) => <WebhookState webhook={row} /> },
              { head: 'Added', cell: (row) => ago(row.created_at) },
            ]}
          />
        )}
      </Card>
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onDone={(webhook) => {
            setCreating(false);
            setMade(webhook);
            list.reload();
          }}
        />
      )}
      {made && <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'disabled')
    return <Badge tone="bad">Disabled{webhook.disabled_reason ? `: ${webhook.disabled_reason}` : ''}</Badge>;
  return webhook.failing_since ? (
    <Badge tone="warn">Failing since {instant(webhook.failing_since)}</Badge>
  ) : (
    <Badge tone="good">Enabled</Badge>
  );
}

function CreateDialog({ onDone, onClose }: { onDone: (webhook: NewWebhook) => void; onClose: () => void }) {
  const call = useCall();
  const act = useAct(async (form: FormData) => {
    const events = form.getAll('events');
    const description = String(form.get('description'));
    onDone(
      await call<NewWebhook>('webhooks', {
        body: {
          url: form.get('url'),
          format: form.get('format'),
          events: events.length > 0 ? events : ['*'],
          ...(description && { description }),
        },
      }),
    );
  });
  return (
    <FormDialog
      title="Add endpoint"
      submit="Add endpoint"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="URL" hint="Must use HTTPS and be publicly reachable.">
        {(id, described) => (
          <input
            id={id}
            name="url"
            type="url"
            placeholder="https://example.com/platbook"
            aria-describedby={described}
            required
          />
        )}
      </Field>
      <Field label="Description (optional)">
        {(id) => <input id={id} name="description" type="text" maxLength={500} />}
      </Field>
      <Field label="Format" hint="For Slack, use the URL of an incoming webhook of your workspace.">
        {(id, described) => (
          <select id={id} name="format" defaultValue="json" aria-describedby={described}>
            <option value="json">Signed event as JSON</option>
            <option value="slack">Message for Slack</option>
          </select>
        )}
      </Field>
      <fieldset>
        <legend>Events</legend>
        <div className="checks">
          {GROUPS.map((group) => (
            <label key={group} className="check">
              <input type="checkbox" name="events" value={group} />
              <code>{group}</code>
            </label>
          ))}
        </div>
        <p className="fine">Leave all unchecked for every event.</p>
      </fieldset>
    </FormDialog>
  );
}

export function WebhookSecret({ made, onClose }: { made: NewWebhook; onClose: () => void }) {
  return (
    <Dialog title="Copy your signing secret" onClose={onClose}>
      <div className="stack">
        <Notice tone="warn">This secret won’t be shown again. Use it to verify the signature of every delivery.</Notice>
        <div className="row secret">
          <code>{made.secret}</code>
          <Copy text={made.secret} />
        </div>
        <div className="dialog-foot">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
