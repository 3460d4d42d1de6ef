// A message to support, with the requests it is about.
import { useState, type FormEvent } from 'react';
import { useCall, useCaller } from '../../caller.tsx';
import { formOf } from '../../pages/sign-in.tsx';
import { useQuery } from '../../router.tsx';
import { Button, Card, Field, Notice, PageHead, ProblemNotice } from '../../ui/parts.tsx';
import { useAct, useApi } from '../../use-api.ts';
import type { Account } from '../answers.ts';

export function SupportSection() {
  const call = useCall();
  const { session } = useCaller();
  const [query] = useQuery();
  const account = useApi<Account>('account');
  const [sent, setSent] = useState<string>();
  const act = useAct(async ({ subject, message, request_ids: ids }: Record<string, string>, form: HTMLFormElement) => {
    const requestIds = (ids ?? '').split(/[\s,]+/).filter(Boolean);
    const body = { subject, message, ...(requestIds.length > 0 && { request_ids: requestIds }) };
    const answer = await call<{ id: string }>('/session/support', { body });
    form.reset();
    setSent(answer.id);
  });
  const submit = (event: FormEvent<HTMLFormElement>) => void act.run(formOf(event), event.currentTarget);
  return (
    <>
      <PageHead title="Support" lead={account.data && `Your plan: ${account.data.plan.support}`} />
      <div className="sections">
        {sent && (
          <Notice tone="good" title="Message sent">
            <p>
              We’ll answer at {session?.user.email}. Your reference is <code>{sent}</code>.
            </p>
          </Notice>
        )}
        <Card title="Send us a message" lead="You get a copy by email.">
          <form className="stack" onSubmit={submit}>
            <Field label="Subject">{(id) => <input id={id} name="subject" required maxLength={150} />}</Field>
            <Field label="Message" hint="What did you expect, and what happened instead?">
              {(id, describedBy) => (
                <textarea id={id} name="message" rows={7} required maxLength={5_000} aria-describedby={describedBy} />
              )}
            </Field>
            <Field
              label="Request IDs"
              hint="Optional. From the request log or the x-request-id header. We add what our log says about them."
            >
              {(id, describedBy) => (
                <input
                  id={id}
                  name="request_ids"
                  defaultValue={query.get('request_id') ?? ''}
                  aria-describedby={describedBy}
                  autoComplete="off"
                />
              )}
            </Field>
            <ProblemNotice problem={act.problem} />
            <div>
              <Button look="primary" type="submit" isRunning={act.isRunning}>
                Send
              </Button>
            </div>
          </form>
        </Card>
      </div>
    </>
  );
}
