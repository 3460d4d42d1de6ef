// The emails people get: short, plain text, one link. Their words are in letters.json.
import words from './letters.json' with { type: 'json' };
import type { Letter } from './mail.ts';

const compose = (to: string, subject: string, lines: string[]): Letter => ({
  to,
  subject,
  text: `${lines.join('\n\n')}\n\nPlatbook\n`,
});

/** A user-chosen name in mail to third parties: one line, with nothing that mail programs turn into a link. */
export const plain = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}&'’(),. -]+/gu, ' ')
    .replace(/\.(?=\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60);

/** Values replace their names in braces; `link` is the letter's page with the token. */
export function writeLetter(
  name: keyof typeof words,
  to: string,
  baseUrl: string,
  values: Record<string, string> = {},
): Letter {
  const { subject, lines, page } = words[name] as { subject: string; lines: string[]; page?: string };
  const link = page && `${baseUrl}/${page}?token=${values.token}`;
  const all: Record<string, string | undefined> = { ...values, base: baseUrl, link };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, key: string) => all[key] ?? '');
  return { ...compose(to, fill(subject), lines.map(fill)), ...(link && { link }) };
}

/** Can be ended by a mail program (RFC 8058) and by the link at its end, both without signing in. */
export function digestLetter(to: string, baseUrl: string, title: string, lines: string[], token: string): Letter {
  const unsubscribe = `${baseUrl}/unsubscribe?token=${token}`;
  const end = [`${baseUrl}/dashboard`, `You asked for this digest. To end it, open:\n${unsubscribe}`];
  return { ...compose(to, title, [`${title}:`, ...lines, ...end]), unsubscribe };
}
