// Single sign-on settings, for owners of enterprise accounts.
import type { Static } from 'typebox';
import type { Settings } from '../../../../src/customers/sso/schema.ts';
import { words } from '../../format.ts';
import { useCall } from '../../caller.tsx';
import { formOf } from '../../pages/sign-in.tsx';
import { Button, Card, Code, Field, ProblemNotice, SureButton } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useApi } from '../../use-api.ts';

type SsoSettings = Static<typeof Settings>;

export function SsoCard() {
  const call = useCall();
  const say = useToast();
  const settings = useApi<SsoSettings>('/session/sso/connection');
  const known = settings.data?.connection;
  const save = useAct(async (form: Record<string, string>) => {
    const { client_secret, is_enforced, ...rest } = form;
    const body = { ...rest, is_enforced: is_enforced === 'on', ...(client_secret && { client_secret }) };
    await call('/session/sso/connection', { method: 'PUT', body });
    say('Single sign-on saved.');
    settings.reload();
  });
  const remove = useAct(async () => {
    await call('/session/sso/connection', { method: 'DELETE' });
    settings.reload();
  });
  return (
    <Card title="Single sign-on" lead="Let your team sign in through your OpenID Connect provider.">
      <form className="stack" key={known?.updated_at ?? 'new'} onSubmit={(event) => void save.run(formOf(event))}>
        <ProblemNotice problem={settings.problem} />
        {settings.data && (
          <>
            <p>
              {settings.data.domains.length > 0
                ? `Domains: ${settings.data.domains.join(', ')}`
                : 'Ask us to verify your email domain.'}
            </p>
            <Code label="Redirect URL">{settings.data.redirect_url}</Code>
          </>
        )}
        <Field label="Issuer URL">
          {(id) => <input id={id} name="issuer" type="url" defaultValue={known?.issuer} required />}
        </Field>
        <Field label="Client ID">
          {(id) => <input id={id} name="client_id" type="text" defaultValue={known?.client_id} required />}
        </Field>
        <Field label="Client secret" hint={known ? 'Leave empty to keep the current secret.' : undefined}>
          {(id, described) => (
            <input
              id={id}
              name="client_secret"
              type="password"
              autoComplete="off"
              aria-describedby={described}
              required={!known}
            />
          )}
        </Field>
        <Field label="Role for new members">
          {(id) => (
            <select id={id} name="default_role" defaultValue={known?.default_role ?? 'viewer'}>
              {['admin', 'developer', 'billing', 'viewer'].map((role) => (
                <option key={role} value={role}>
                  {words(role)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <label className="check">
          <input type="checkbox" name="is_enforced" defaultChecked={known?.is_enforced} />
          Require single sign-on for everyone in these domains
        </label>
        <ProblemNotice problem={save.problem ?? remove.problem} />
        <div className="row spread">
          <Button type="submit" isRunning={save.isRunning}>
            Save
          </Button>
          {known && (
            <SureButton small sure="Confirm removal" onSure={() => void remove.run()}>
              Remove
            </SureButton>
          )}
        </div>
      </form>
    </Card>
  );
}
