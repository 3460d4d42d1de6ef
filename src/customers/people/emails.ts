// Canonical form of a mailbox: lower case, no `+tag`, and no dots where the provider ignores them.

const SHAPE = /^[^\s@"<>(),;:\\[\]]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const IGNORES_DOTS = new Set(['gmail.com', 'googlemail.com']);
const SAME_AS: Record<string, string> = { 'googlemail.com': 'gmail.com' };

export const isEmail = (text: string): boolean => text.length <= 254 && SHAPE.test(text) && !text.includes('..');

/** For identity only; mail is sent to the email as entered. */
export function normalizeEmail(email: string): string {
  const [local, domain] = email.trim().toLowerCase().split('@');
  const untagged = local.split('+')[0];
  const plain = IGNORES_DOTS.has(domain) ? untagged.replaceAll('.', '') : untagged;
  return `${plain}@${SAME_AS[domain] ?? domain}`;
}

export const domainOf = (email: string): string => email.trim().toLowerCase().split('@').at(-1) ?? '';
