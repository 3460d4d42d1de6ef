// API keys: make one with scopes, see it once, rotate with an overlap, revoke.
import { useState } from 'react';
import { SCOPES } from '../../../src/accounts/scopes.ts';
import { useCall, useCaller } from '../caller.tsx';
import { ago, day } from '../format.ts';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Code,
  Copy,
  Empty,
  Field,
  Notice,
  PageHead,
  ProblemNotice,
  Skeleton,
  type Tone,
} from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAct, useList } from '../use-api.ts';
import { curlOf } from '../pages/first-call.tsx';
import type { ApiKey, NewApiKey } from './answers.ts';

type Doing = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: ApiKey };

export function KeysSection() {
  const list = useList<ApiKey>('keys?limit=100');
  const [doing, setDoing] = useState<Doing>();
  const [made, setMade] = useState<NewApiKey>();
  const finish = (key?: NewApiKey) => {
    setDoing(undefined);
    if (key) setMade(key);
    list.reload();
  };
  const keys = list.data?.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  return (
    <>
      <PageHead
        title="API keys"
        lead="Give each program its own key with only the scopes it needs. A key is shown once, when it is made."
        actions={
          <Button look="primary" icon="plus" onClick={() => setDoing({ kind: 'create' })}>
            Create a key
          </Button>
        }
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <Card flush>
        {!keys && list.isLoading && <Skeleton />}
        {keys?.length === 0 && (
          <Empty icon="key" title="No keys yet">
            Make a sandbox key to begin: it costs nothing.
          </Empty>
        )}
        {keys && keys.length > 0 && (
          <Table
            caption="API keys"
            rows={keys}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              { head: 'Name', cell: (key) => <strong>{key.name}</strong> },
              { head: 'Key', cell: (key) => <code>{`${key.prefix}…${key.last_four}`}</code> },
              {
                head: 'Data',
                cell: (key) => (
                  <Badge tone={key.mode === 'live' ? 'good' : 'warn'}>{key.mode === 'live' ? 'Live' : 'Sandbox'}</Badge>
                ),
              },
              {
                head: 'Scopes',
                cell: (key) => (
                  <span title={key.scopes.join(', ')}>
                    {key.scopes.length === SCOPES.length ? 'all' : key.scopes.length}
                  </span>
                ),
              },
              { head: 'Last used', cell: (key) => ago(key.last_used_at) },
              { head: 'State', cell: (key) => <State apiKey={key} /> },
              {
                head: <span className="unseen">Actions</span>,
                align: 'right',
                cell: (key) =>
                  stateOf(key)[0] === 'Active' && (
                    <span className="row nowrap end">
                      <Button small onClick={() => setDoing({ kind: 'rotate', key })} aria-label={`Rotate ${key.name}`}>
                        Rotate
                      </Button>
                      <Button
                        small
                        look="quiet"
                        onClick={() => setDoing({ kind: 'revoke', key })}
                        aria-label={`Revoke ${key.name}`}
                      >
                        Revoke
                      </Button>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Card>
      {doing?.kind === 'create' && <CreateDialog onDone={finish} onClose={() => setDoing(undefined)} />}
      {doing?.kind === 'rotate' && (
        <RotateDialog apiKey={doing.key} onDone={finish} onClose={() => setDoing(undefined)} />
      )}
      {doing?.kind === 'revoke' && (
        <RevokeDialog apiKey={doing.key} onDone={() => finish()} onClose={() => setDoing(undefined)} />
      )}
      {made && <Reveal made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function stateOf(key: ApiKey): [string, Tone] {
  if (key.revoked_at) return ['Revoked', 'bad'];
  if (key.expires_at && new Date(key.expires_at) <= new Date())
    return [key.replaced_by ? 'Replaced' : 'Expired', 'neutral'];
  if (key.replaced_by) return [`Until ${day(key.expires_at)}`, 'warn'];
  return ['Active', 'good'];
}

function State({ apiKey }: { apiKey: ApiKey }) {
  const [text, tone] = stateOf(apiKey);
  return <Badge tone={tone}>{text}</Badge>;
}

function CreateDialog({ onDone, onClose }: { onDone: (key: NewApiKey) => void; onClose: () => void }) {
  const call = useCall();
  const { mode } = useCaller();
  const act = useAct(async (form: FormData) => {
    const scopes = form.getAll('scopes');
    const ips = String(form.get('allowed_ips'))
      .split(/[\s,]+/)
      .filter(Boolean);
    const limit = String(form.get('rate_limit_per_hour'));
    const expires = String(form.get('expires_at'));
    onDone(
      await call<NewApiKey>('keys', {
        body: {
          name: form.get('name'),
          mode: form.get('mode'),
          scopes,
          ...(ips.length > 0 && { allowed_ips: ips }),
          ...(limit && { rate_limit_per_hour: Number(limit) }),
          ...(expires && { expires_at: new Date(`${expires}T23:59:59Z`).toISOString() }),
        },
      }),
    );
  });
  return (
    <FormDialog
      title="Create a key"
      submit="Create the key"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="Name" hint="What uses it, for example “pricing job”.">
        {(id, described) => (
          <input id={id} name="name" type="text" maxLength={100} aria-describedby={described} required />
        )}
      </Field>
      <fieldset>
        <legend>Data</legend>
        <div className="row">
          {(['test', 'live'] as const).map((value) => (
            <label key={value} className="check">
              <input type="radio" name="mode" value={value} defaultChecked={value === mode} />
              {value === 'live' ? 'Live: real markets, counted' : 'Sandbox: invented, free'}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Scopes</legend>
        <div className="checks">
          {SCOPES.map((scope) => (
            <label key={scope} className="check">
              <input type="checkbox" name="scopes" value={scope} defaultChecked={!scope.startsWith('keys:')} />
              <code>{scope}</code>
            </label>
          ))}
        </div>
      </fieldset>
      <details>
        <summary>Limits (optional)</summary>
        <div className="stack details-body">
          <Field label="Allowed addresses" hint="IP addresses or CIDR blocks, separated by commas; empty for any.">
            {(id, described) => (
              <input id={id} name="allowed_ips" type="text" placeholder="203.0.113.0/24" aria-describedby={described} />
            )}
          </Field>
          <div className="pair">
            <Field label="Calls an hour">
              {(id) => <input id={id} name="rate_limit_per_hour" type="number" min={1} placeholder="as the plan" />}
            </Field>
            <Field label="Expires after">{(id) => <input id={id} name="expires_at" type="date" />}</Field>
          </div>
        </div>
      </details>
    </FormDialog>
  );
}

function RotateDialog({
  apiKey,
  onDone,
  onClose,
}: {
  apiKey: ApiKey;
  onDone: (key: NewApiKey) => void;
  onClose: () => void;
}) {
  const call = useCall();
  const act = useAct(async (form: FormData) => {
    onDone(
      await call<NewApiKey>(`keys/${apiKey.id}/rotate`, { body: { overlap_hours: Number(form.get('overlap_hours')) } }),
    );
  });
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      submit="Rotate"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <p>
        A new key with the same rights. The old one goes on working for a while, so that you can change it without an
        outage.
      </p>
      <Field label="The old key works for">
        {(id) => (
          <select id={id} name="overlap_hours" defaultValue="24">
            <option value="0">no longer</option>
            <option value="1">1 hour</option>
            <option value="24">24 hours</option>
            <option value="72">3 days</option>
            <option value="168">7 days</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

function RevokeDialog({ apiKey, onDone, onClose }: { apiKey: ApiKey; onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const act = useAct(async () => {
    await call(`keys/${apiKey.id}/revoke`, { method: 'POST' });
    say(`${apiKey.name} is revoked`);
    onDone();
  });
  return (
    <FormDialog
      title={`Revoke ${apiKey.name}?`}
      submit="Revoke"
      danger
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={() => void act.run()}
      onClose={onClose}
    >
      <p>
        Programs with <code>{`${apiKey.prefix}…${apiKey.last_four}`}</code> are refused within ten seconds. This cannot
        be undone.
      </p>
    </FormDialog>
  );
}

function Reveal({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  return (
    <Dialog title="Copy your key now" onClose={onClose}>
      <div className="stack">
        <Notice tone="warn">It is shown this once. We keep only a fingerprint of it.</Notice>
        <div className="row secret">
          <code data-secret>{made.secret}</code>
          <Copy text={made.secret} />
        </div>
        <Code label="Try it">{curlOf(made.secret)}</Code>
        <div className="dialog-foot">
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
