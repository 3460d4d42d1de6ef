// An event as a message for Slack's incoming webhooks: a headline, the changes, and a link. Pure.
import { asWords } from '../../base/lib/figures.ts';
import { EVENT_KINDS } from '../../base/events/kinds.ts';
import type { EventKind } from '../../base/events/names.ts';

/** Slack refuses a message with a longer text in a section. */
const MAX_TEXT = 3_000;
const MAX_LINE = 300;

/** The page of an event, by the first of these members that its data has. */
const PAGES: [member: string, path: (id: string) => string][] = [
  ['property_id', (id) => `/p/${id}`],
  ['batch_id', (id) => `/dashboard/batches/${id}`],
  ['export_id', (id) => `/dashboard/exports/${id}`],
  ['webhook_id', (id) => `/dashboard/webhooks/${id}`],
  ['watchlist_id', () => '/dashboard/watchlists'],
  ['key_id', () => '/dashboard/keys'],
  ['invoice_id', () => '/dashboard/billing'],
  ['meter', () => '/dashboard/usage'],
];

type Data = Record<string, unknown>;

export function slackMessage({ type, mode, data }: { type: string; mode: string; data: Data }, baseUrl: string) {
  const headline = EVENT_KINDS[type as EventKind].what.replaceAll('`', '');
  const [member, path] = PAGES.find(([name]) => typeof data[name] === 'string') ?? ['', () => '/dashboard'];
  const link = `<${baseUrl}${path(encodeURIComponent(String(data[member])))}|Open in Platbook>`;
  const note = [mode === 'test' ? 'Sandbox' : '', type, link].filter(Boolean).join('  ·  ');
  return {
    text: escaped(headline),
    blocks: [
      sectionOf([`*${escaped(headline)}*`, ...linesOf(data).map((line) => escaped(line.slice(0, MAX_LINE)))]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: note }] },
    ],
  };
}

/** As many lines as fit into a section. */
function sectionOf(lines: string[]) {
  let text = '';
  for (const line of lines) if (text.length + line.length < MAX_TEXT) text += text === '' ? line : `\n${line}`;
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/** The three characters that Slack treats as markup. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function linesOf({ before, after, changes, ...data }: Data): string[] {
  if (Array.isArray(changes)) return (changes as { detail: string }[]).map(({ detail }) => `• ${detail}`);
  const [old, now] = [(before ?? {}) as Data, (after ?? {}) as Data];
  const changed = Object.keys(now).map((name) => `• ${asWords(name)}: ${shown(old[name])} → ${shown(now[name])}`);
  if (changed.length > 0) return changed;
  return Object.entries(data).flatMap(([name, value]) => {
    if (Array.isArray(value) || name.endsWith('_id')) return [];
    return value !== null && typeof value === 'object'
      ? linesOf(value as Data)
      : [`• ${asWords(name)}: ${shown(value)}`];
  });
}

const shown = (value: unknown) =>
  value === null || value === undefined
    ? 'not known'
    : typeof value === 'number'
      ? value.toLocaleString('en-US')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
