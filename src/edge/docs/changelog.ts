// The changelog as a page, and as an Atom feed with one entry per day of changes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { escapeHtml, renderMarkdown } from './markdown.ts';

/** Links to files of the repository become links to pages of the docs. */
export function readChangelog(): string {
  const text = readFileSync(fileURLToPath(new URL('../../../CHANGELOG.md', import.meta.url)), 'utf8');
  return text.replaceAll(/\]\(docs\/site\/([\w-]+)\.md(#[\w-]+)?\)/g, '](/docs/$1$2)');
}

type Day = { date: string; markdown: string };

/** Newest first; undated sections are unreleased. */
const listDays = (changelog: string): Day[] =>
  changelog.split(/^## /m).flatMap((section) => {
    const [, date, markdown] = /^(\d{4}-\d{2}-\d{2})\n+([\s\S]+)$/.exec(section) ?? [];
    return date ? [{ date, markdown: markdown.trim() }] : [];
  });

export function makeFeed(baseUrl: string): string {
  const days = listDays(readChangelog());
  const page = `${baseUrl}/docs/changelog`;
  const entries = days.map(({ date, markdown }) => {
    const html = renderMarkdown(markdown).html.replaceAll('href="/', `href="${baseUrl}/`);
    return `<entry>
<id>${page}#${date}</id>
<title>Changes of ${date}</title>
<link href="${page}#${date}"/>
<updated>${date}T00:00:00Z</updated>
<content type="html">${escapeHtml(html)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${page}</id>
<title>Platbook changelog</title>
<subtitle>What an API customer notices</subtitle>
<author><name>Platbook</name></author>
<link href="${page}"/>
<link rel="self" type="application/atom+xml" href="${baseUrl}/docs/changelog.xml"/>
<updated>${days[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
${entries.join('\n')}
</feed>
`;
}
