// Messages to support: to the operator with everything needed to look into it, and a copy to whoever wrote it.
import type { Static } from 'typebox';
import { termsOf } from '../accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { limitAction } from '../people/attempts.ts';
import type { Letter } from '../people/mail.ts';
import type { SignedIn } from '../people/sessions.ts';
import { listRequests } from '../usage/journal-sql.ts';
import type { SupportForm } from './schema.ts';

const PER_HOUR = { limit: 10, windowMs: 3_600_000 };

type SupportDeps = Pick<Deps, 'config' | 'control' | 'clock' | 'secrets' | 'mailer'>;

export async function askSupport(deps: SupportDeps, by: SignedIn, form: Static<typeof SupportForm>) {
  await limitAction(deps, 'support', by.user.id, PER_HOUR);
  const requests = await describeRequests(deps, by.account.id, form.request_ids ?? []);
  const id = randomId('sup');
  const { support, name: plan } = termsOf(by.account);
  const text = [form.message.trim(), ...(requests.length > 0 ? [`Requests:\n${requests.join('\n')}`] : [])];
  const about = [
    `From: ${by.user.name} <${by.user.email}>, ${by.role}`,
    `Account: ${by.account.name} (${by.account.id}), ${plan} plan`,
    `Support: ${support}`,
  ].join('\n');
  // Sent before the answer: "we got your message" must be true.
  await deps.mailer.send(letter(deps.config.supportEmail, `[${id}] ${form.subject}`, [about, ...text], by.user.email));
  const promise = `We got your message and will answer by email. Support of your plan: ${support}.`;
  await deps.mailer.send(
    letter(by.user.email, `[${id}] ${form.subject}`, [promise, ...text], deps.config.supportEmail),
  );
  return { id, support };
}

/** The log's entry for each; one that is not in the account's log was mistyped, or belongs to somebody else. */
async function describeRequests(deps: SupportDeps, accountId: string, ids: string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const requestId of new Set(ids)) {
    const [found] = await listRequests(deps.control, accountId, { requestId }, { limit: 1 });
    if (!found)
      fail('invalid_request', `No request of this account has the id ${requestId}. Copy it from the request log.`);
    const { at, mode, method, route, status, error_code: code, duration_ms: took } = found;
    lines.push(
      `${requestId}  ${at.toISOString()}  ${mode}  ${method} ${route}  ${status}${code ? ` ${code}` : ''}  ${took} ms`,
    );
  }
  return lines;
}

const letter = (to: string, subject: string, parts: string[], replyTo: string): Letter => ({
  to,
  subject: subject.replaceAll(/\s+/g, ' '),
  text: `${parts.join('\n\n')}\n\nPlatbook\n`,
  replyTo,
});
