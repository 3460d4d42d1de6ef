// The letters people get: short, plain text, one link.
import type { Letter } from './mail.ts';

const letter = (to: string, subject: string, lines: string[], link?: string): Letter => ({
  to,
  subject,
  text: `${lines.join('\n\n')}\n\nPlatbook\n`,
  ...(link !== undefined && { link }),
});

export function verifyLetter(to: string, baseUrl: string, token: string): Letter {
  const link = `${baseUrl}/verify?token=${token}`;
  return letter(
    to,
    'Confirm your address',
    [
      'Open this page to confirm your address and get your API keys:',
      link,
      'It works for 24 hours. If you did not sign up, ignore this letter.',
    ],
    link,
  );
}

export function alreadyLetter(to: string, baseUrl: string): Letter {
  return letter(to, 'You already have an account', [
    'Someone signed up with this address, which already has an account. If it was you, sign in or choose a new password:',
    `${baseUrl}/sign-in`,
    `${baseUrl}/reset`,
  ]);
}

export function resetLetter(to: string, baseUrl: string, token: string): Letter {
  const link = `${baseUrl}/reset?token=${token}`;
  return letter(
    to,
    'Choose a new password',
    [
      'Open this page to choose a new password:',
      link,
      'It works for one hour. If you did not ask for it, ignore this letter; nothing has changed.',
    ],
    link,
  );
}

export function passwordChangedLetter(to: string, baseUrl: string): Letter {
  return letter(to, 'Your password was changed', [
    'The password of your account was changed, and every other session was ended.',
    `If it was not you: ${baseUrl}/reset`,
  ]);
}

export function invitationLetter(to: string, baseUrl: string, token: string, account: string, role: string): Letter {
  const link = `${baseUrl}/invitation?token=${token}`;
  return letter(
    to,
    `Join ${account} on Platbook`,
    [`You were invited to ${account} as ${role}. Open this page to join:`, link, 'It works for seven days.'],
    link,
  );
}

export function paymentFailedLetter(
  to: string,
  baseUrl: string,
  number: string,
  total: string,
  isLast: boolean,
): Letter {
  return letter(to, `Payment of ${number} failed`, [
    `Your card was declined for invoice ${number} over ${total}.`,
    isLast
      ? 'The account is suspended until the invoice is paid.'
      : 'We will try again in the coming days. A new card is tried at once.',
    `${baseUrl}/dashboard/billing`,
  ]);
}

export function invoiceLetter(to: string, baseUrl: string, number: string, total: string): Letter {
  return letter(to, `Invoice ${number}`, [`Invoice ${number} over ${total} is ready:`, `${baseUrl}/dashboard/billing`]);
}
