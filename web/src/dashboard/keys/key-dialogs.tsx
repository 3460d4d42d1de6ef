// Dialogs to create, reveal, rotate, and revoke API keys.
import { DEFAULT_SCOPES, SCOPES } from '../../../../src/customers/accounts/scopes.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { curlOf } from '../../pages/first-call.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Button, Code, Copy, Field, Notice } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct } from '../../use-api.ts';
import type { ApiKey, NewApiKey } from '../answers.ts';

export function CreateDialog({ onDone, onClose }: { onDone: (key: NewApiKey) => void; onClose: () => void }) {
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
      title="Create API key"
      submit="Create key"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="Name" hint="What the key is for, such as “pricing job”.">
        {(id, described) => (
          <input id={id} name="name" type="text" maxLength={100} aria-describedby={described} required />
        )}
      </Field>
      <fieldset>
        <legend>Mode</legend>
        <div className="row">
          {(['test', 'live'] as const).map((value) => (
            <label key={value} className="check">
              <input type="radio" name="mode" value={value} defaultChecked={value === mode} />
              {value === 'live' ? 'Live (real markets, metered)' : 'Sandbox (fictional data, free)'}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Scopes</legend>
        <div className="checks">
          {SCOPES.map((scope) => (
            <label key={scope} className="check">
              <input type="checkbox" name="scopes" value={scope} defaultChecked={DEFAULT_SCOPES.includes(scope)} />
              <code>{scope}</code>
            </label>
          ))}
        </div>
      </fieldset>
      <details>
        <summary>Limits (optional)</summary>
        <div className="stack details-body">
          <Field label="Allowed IPs" hint="IPs or CIDR blocks, separated by commas. Leave empty to allow any.">
            {(id, described) => (
              <input id={id} name="allowed_ips" type="text" placeholder="203.0.113.0/24" aria-describedby={described} />
            )}
          </Field>
          <div className="pair">
            <Field label="Calls per hour">
              {(id) => <input id={id} name="rate_limit_per_hour" type="number" min={1} placeholder="Plan limit" />}
            </Field>
            <Field label="Expires on">{(id) => <input id={id} name="expires_at" type="date" />}</Field>
          </div>
        </div>
      </details>
    </FormDialog>
  );
}

export function RotateDialog({
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
        This creates a new key with the same permissions. Keep the old key working for a while so you can switch without
        downtime.
      </p>
      <Field label="Expire old key">
        {(id) => (
          <select id={id} name="overlap_hours" defaultValue="24">
            <option value="0">Immediately</option>
            <option value="1">In 1 hour</option>
            <option value="24">In 24 hours</option>
            <option value="72">In 3 days</option>
            <option value="168">In 7 days</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

export function RevokeDialog({ apiKey, onDone, onClose }: { apiKey: ApiKey; onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const act = useAct(async () => {
    await call(`keys/${apiKey.id}/revoke`, { method: 'POST' });
    say(`${apiKey.name} revoked`);
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
        Requests with <code>{`${apiKey.prefix}…${apiKey.last_four}`}</code> will be rejected within ten seconds. This
        can’t be undone.
      </p>
    </FormDialog>
  );
}

export function Reveal({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  return (
    <Dialog title="Copy your API key" onClose={onClose}>
      <div className="stack">
        <Notice tone="warn">This key won’t be shown again. We store only a hash of it.</Notice>
        <div className="row secret">
          <code data-secret>{made.secret}</code>
          <Copy text={made.secret} />
        </div>
        <Code label="Try it">{curlOf(made.secret)}</Code>
        <div className="dialog-foot">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
