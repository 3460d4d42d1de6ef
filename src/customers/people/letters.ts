// The emails people get: short, plain text, one link.
import type { Letter } from './mail.ts';

const letter = (to: string, subject: string, lines: string[], link?: string): Letter => ({
  to,
  subject,
  text: `${lines.join('\n\n')}\n\nPlatbook\n`,
  ...(link !== undefined && { link }),
});

/** What somebody called themselves, to people who did not ask: one line of words, and nothing that mail programs link. */
const plain = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}&'’(),. -]+/gu, ' ')
    .replace(/\.(?=\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60);

export function verifyLetter(to: string, baseUrl: string, token: string): Letter {
  const link = `${baseUrl}/verify?token=${token}`;
  return letter(
    to,
    'Confirm your email',
    [
      'Open this page to confirm your email and get your API keys:',
      link,
      'The link works for 24 hours. If you did not sign up, ignore this email.',
    ],
    link,
  );
}

export const alreadyLetter = (to: string, baseUrl: string): Letter =>
  letter(to, 'You already have an account', [
    'Someone signed up with this email, which already has an account. If it was you, sign in or reset your password:',
    `${baseUrl}/sign-in`,
    `${baseUrl}/reset`,
  ]);

export function resetLetter(to: string, baseUrl: string, token: string): Letter {
  const link = `${baseUrl}/reset?token=${token}`;
  return letter(
    to,
    'Reset your password',
    [
      'Open this page to choose a new password:',
      link,
      'The link works for one hour. If you did not ask for it, ignore this email; nothing has changed.',
    ],
    link,
  );
}

export const passwordChangedLetter = (to: string, baseUrl: string): Letter =>
  letter(to, 'Your password was changed', [
    'The password of your account was changed, and every other session was signed out.',
    `If this was not you, reset your password: ${baseUrl}/reset`,
  ]);

export const securityLetter = (to: string, baseUrl: string, what: string): Letter =>
  letter(to, 'Your sign-in settings changed', [
    what,
    `If this was not you, reset your password and review your security settings: ${baseUrl}/reset`,
  ]);

export function invitationLetter(
  to: string,
  baseUrl: string,
  { token, account, role }: Record<'token' | 'account' | 'role', string>,
): Letter {
  const link = `${baseUrl}/invitation?token=${token}`;
  return letter(
    to,
    `Join ${plain(account)} on Platbook`,
    [
      `You were invited to join ${plain(account)} as ${role}. Open this page to accept:`,
      link,
      'The link works for seven days. If you do not know the sender, ignore this email.',
    ],
    link,
  );
}

export const paymentFailedLetter = (
  to: string,
  baseUrl: string,
  number: string,
  total: string,
  isLast: boolean,
): Letter =>
  letter(to, `Payment of ${number} failed`, [
    `Your card was declined for invoice ${number} over ${total}.`,
    isLast
      ? 'The account is suspended until the invoice is paid.'
      : 'We will try again in the coming days. A new card is tried at once.',
    `${baseUrl}/dashboard/billing`,
  ]);

export const invoiceLetter = (to: string, baseUrl: string, number: string, total: string): Letter =>
  letter(to, `Invoice ${number}`, [`Invoice ${number} over ${total} is ready:`, `${baseUrl}/dashboard/billing`]);

/** Can be ended by a mail program (RFC 8058) and by the link at its end, both without signing in. */
export function digestLetter(to: string, baseUrl: string, title: string, lines: string[], token: string): Letter {
  const unsubscribe = `${baseUrl}/unsubscribe?token=${token}`;
  const end = [`${baseUrl}/dashboard`, `You asked for this digest. To end it, open:\n${unsubscribe}`];
  return { ...letter(to, title, [`${title}:`, ...lines, ...end]), unsubscribe };
}
