// The pages of the docs: their order, Markdown and HTML.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import groups from '../../../docs/site/pages.json' with { type: 'json' };
import { readChangelog } from './changelog.ts';
import { renderMarkdown, type Heading } from './markdown.ts';
import { fillParts, type Parts } from './parts.ts';

export const GROUPS: [group: string, slugs: string[]][] = Object.entries(groups);

export interface Page {
  slug: string;
  /** The first page is at the docs' root URL. */
  href: string;
  title: string;
  /** The first paragraph, for lists and search engines. */
  summary: string;
  markdown: string;
  html: string;
  headings: Heading[];
}

const FOLDER = new URL('../../../docs/site/', import.meta.url);

export const readAsset = (name: string): Buffer => readFileSync(fileURLToPath(new URL(name, FOLDER)));

export function loadPages(parts: Parts): Map<string, Page> {
  const slugs = GROUPS.flatMap(([, own]) => own);
  return new Map(slugs.map((slug, index) => [slug, loadPage(slug, index === 0, parts)]));
}

function loadPage(slug: string, isFirst: boolean, parts: Parts): Page {
  const markdown = slug === 'changelog' ? readChangelog() : readAsset(`${slug}.md`).toString('utf8');
  return makePage({ slug, href: isFirst ? '/docs' : `/docs/${slug}`, markdown: fillParts(markdown, parts) });
}

export function makePage({ slug, href, markdown }: Pick<Page, 'slug' | 'href' | 'markdown'>): Page {
  const { html, headings } = renderMarkdown(markdown);
  const [, title = slug] = /^# +(.+)$/m.exec(markdown) ?? [];
  const [, summary = ''] = /^# .+\n+((?:[^\n]+\n)+)/.exec(markdown) ?? [];
  return {
    slug,
    href,
    title,
    summary: plainText(summary.replace(/\s+/g, ' ')),
    markdown,
    html,
    headings,
  };
}

/** Strips Markdown syntax. */
export const plainText = (markdown: string): string => markdown.replace(/[`*]|\]\([^)]*\)|\[/g, '').trim();
