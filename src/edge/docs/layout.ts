// The frame around a page: top bar, page list, table of contents, links to the next and previous page.
import { escapeHtml } from './markdown.ts';
import { GROUPS, type Page } from './pages.ts';
import { entryOf } from '../../base/lib/must.ts';

/** The content security policy of rendered pages: their own files, nothing from elsewhere. */
export const SHARED_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `connect-src 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `form-action 'self'`,
];
export const PAGE_POLICY = [...SHARED_POLICY, `style-src 'self'`, `img-src 'self' data:`].join('; ');

export const MARK = `<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect class="mark" width="32" height="32" rx="7"/><path class="mark-lines" d="M7 8h8v7H7zM17 8h8v11h-8zM7 17h8v7H7zM17 21h8v3h-8z"/></svg>`;
const MENU = `<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 5.5h14M3 10h14M3 14.5h14" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>`;
export const HALF = `<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/></svg>`;

const LENS = `<svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><circle cx="9" cy="9" r="5.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="m13.2 13.2 3.8 3.8" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>`;

/** The start of every page, before page-specific links. */
export const beginHead = (title: string, description: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/site.css">`;

export const renderPage = (page: Page, pages: Map<string, Page>): string =>
  `${beginHead(`${page.title} · Platbook docs`, page.summary.slice(0, 160))}
<link rel="alternate" type="text/markdown" href="/docs/${page.slug}.md">
<link rel="answers" href="/docs/answers/${page.slug}.json">
<link rel="alternate" type="application/atom+xml" title="Changelog" href="/docs/changelog.xml">
<script src="/docs/theme.js"></script>
<script src="/docs/site.js" defer></script>
<script type="module" src="/docs/search.js"></script>
<script type="module" src="/docs/try.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button class="icon-button menu" type="button" aria-label="Pages" aria-expanded="false" aria-controls="pages">${MENU}</button>
<a class="brand" href="/">${MARK}<span>Platbook</span></a>
<span class="place">Docs</span>
<button class="search" type="button" aria-haspopup="dialog">${LENS}<span>Search the docs</span><kbd>/</kbd></button>
<nav class="top" aria-label="Main"><a href="/docs/reference">API reference</a><a href="/explore">Explore</a><a href="/dashboard">Dashboard</a><a href="/status">Status</a></nav>
<button class="icon-button theme" type="button" aria-label="Light or dark" title="Light or dark">${HALF}</button>
</header>
<div class="frame">
<nav class="pages" id="pages" aria-label="Pages">${renderList(page, pages)}</nav>
<main id="content">
<article>${page.html}</article>
${renderNext(page, pages)}
<footer><a href="/docs/${page.slug}.md">This page as Markdown</a><a href="/llms.txt">llms.txt</a><a href="/openapi.json">OpenAPI 3.1</a><a href="/docs/postman.json" download="platbook.postman_collection.json">Postman</a><a href="/status">Status</a></footer>
</main>
${renderContents(page)}
</div>
</body>
</html>
`;

/** The page of an error belongs to the list of errors. */
const isIn = ({ slug }: Page, listed: string): boolean => slug === listed || slug.startsWith(`${listed}/`);

function renderList(current: Page, pages: Map<string, Page>): string {
  const groups = GROUPS.map(([group, slugs]) => {
    const links = slugs.map((slug) => {
      const { href, title } = entryOf(pages, slug);
      return `<li><a href="${href}"${isIn(current, slug) ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
    });
    return `<h2>${group}</h2><ul>${links.join('')}</ul>`;
  });
  const reference =
    '<h2>Reference</h2><ul><li><a href="/docs/reference">Every route, try it</a></li><li><a href="/openapi.json">OpenAPI 3.1</a></li><li><a href="/docs/postman.json" download="platbook.postman_collection.json">Postman collection</a></li></ul>';
  return groups.join('') + reference;
}

function renderContents(page: Page): string {
  const sections = page.headings.filter(({ depth }) => depth === 2);
  if (sections.length < 2) return '<div class="contents"></div>';
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}

function renderNext(page: Page, pages: Map<string, Page>): string {
  const order = [...pages.values()];
  const index = order.indexOf(page);
  if (index < 0) return '';
  const link = (other: Page | undefined, word: string) =>
    other
      ? `<a class="${word.toLowerCase()}" href="${other.href}"><span>${word}</span>${escapeHtml(other.title)}</a>`
      : '<span></span>';
  return `<nav class="next" aria-label="Next and previous page">${link(order[index - 1], 'Previous')}${link(order[index + 1], 'Next')}</nav>`;
}
