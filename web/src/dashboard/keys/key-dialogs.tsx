// What is done to keys: make one with scopes and limits, see it once, rotate with an overlap, revoke.
import { SCOPES } from '../../../../src/accounts/scopes.ts';
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

export function RevokeDialog({ apiKey, onDone, onClose }: { apiKey: ApiKey; onDone: () => void; onClose: () => void }) {
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

export function Reveal({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
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
