// The index of the docs' search: every section of every page, every operation, every error.
import { plainText, type Page } from './pages.ts';

interface Entry {
  /** Link, title, parent and text. */
  href: string;
  title: string;
  place: string;
  text: string;
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; summary: string; tags?: string[] }>>;
}

/** The start of a section is enough to describe it. */
const MAX_TEXT = 400;

export function makeSearchIndex(pages: Iterable<Page>, errorPages: Iterable<Page>, openApi: object): Entry[] {
  const { paths } = openApi as OpenApi;
  return [
    ...[...pages].flatMap(listSections),
    ...Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId, summary, tags = [] }]) => ({
        href: `/docs/reference#tag/${encodeURIComponent((tags[0] ?? '').toLowerCase())}/${method.toUpperCase()}${path}`,
        title: `${method.toUpperCase()} ${path}`,
        place: 'API reference',
        text: `${summary} ${operationId}`,
      })),
    ),
    ...[...errorPages].map(({ href, title, summary }) => ({ href, title, place: 'Errors', text: summary })),
  ];
}

function listSections({ href, title, markdown, headings }: Page): Entry[] {
  // Code is left out, because a match in it says little about the section.
  const parts = markdown.replace(/^```[\s\S]*?^```/gm, '').split(/^#{1,4} .+$/m);
  return headings.map(({ text, id, depth }, k) => ({
    href: depth === 1 ? href : `${href}#${id}`,
    title: text,
    place: depth === 1 ? '' : title,
    text: plainText((parts[k + 1] ?? '').replace(/^\|[-| ]+\|$|\{#[\w-]+\}|\|/gm, ' ').replace(/\s+/g, ' ')).slice(
      0,
      MAX_TEXT,
    ),
  }));
}
