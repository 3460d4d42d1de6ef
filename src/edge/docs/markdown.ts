// Renders our Markdown pages. HTML in a page is escaped as text, so a page can contain anything.
import { Marked, type Token, type Tokens } from 'marked';
import { readCurl } from './curl.ts';
import { highlight } from './highlight.ts';

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

/** A fenced block: ```` ```ts run ```` is TypeScript that the tests execute. */
interface CodeBlock {
  language: string;
  flags: string[];
  code: string;
}

const LABELS: Record<string, string> = {
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  json: 'JSON',
  csv: 'CSV',
  text: 'Text',
};

const notRead = () => undefined;

const marked = new Marked({
  tokenizer: { html: notRead, tag: notRead, url: notRead, autolink: notRead, code: notRead, lheading: notRead },
  renderer: {
    heading({ tokens, depth, text }) {
      const id = slug(text);
      const anchor = depth === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
    },
    blockquote({ tokens }) {
      return `<aside class="note">${this.parser.parse(tokens)}</aside>\n`;
    },
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => renderCell(this.parser.parseInline(cell.tokens), tag)).join('')}</tr>`;
      const body = rows.map((cells) => row(cells, 'td')).join('');
      // A scrollable region must be reachable by keyboard.
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
  },
});

export function renderMarkdown(markdown: string): { html: string; headings: Heading[] } {
  const tokens = marked.lexer(markdown).filter(({ type }) => type !== 'space');
  const headings = tokens.flatMap((token): Heading[] => {
    if (token.type !== 'heading') return [];
    const { depth, text } = token as Tokens.Heading;
    return [{ depth, text: text.replaceAll('`', ''), id: slug(text) }];
  });
  // Consecutive code blocks are the same example in several languages.
  const groups: Token[][] = [];
  for (const token of tokens) {
    if (token.type === 'code' && groups.at(-1)?.[0].type === 'code') groups.at(-1)!.push(token);
    else groups.push([token]);
  }
  const html = groups.map((group) =>
    group[0].type === 'code' ? renderCode(group.map(blockOf)) : marked.parser(group),
  );
  return { html: html.join(''), headings };
}

export const listCode = (markdown: string): CodeBlock[] =>
  marked
    .lexer(markdown)
    .filter(({ type }) => type === 'code')
    .map(blockOf);

function blockOf(token: Token): CodeBlock {
  const { lang, text } = token as Tokens.Code;
  const [language, ...flags] = (lang || 'text').split(/\s+/);
  return { language, flags, code: text };
}

/** A cell that begins with {#name} can be linked to. */
function renderCell(html: string, tag: string): string {
  const [mark, id] = /^\{#([\w-]+)\}/.exec(html) ?? [''];
  return `<${tag}${id === undefined ? '' : ` id="${id}"`}>${html.slice(mark.length)}</${tag}>`;
}

function renderCode(group: CodeBlock[]): string {
  const panels = group.map(({ language, flags, code }, index) => {
    const label = labelOf(language, code);
    const isRun = flags.includes('run');
    const request = isRun && language === 'sh' ? readCurl(code) : undefined;
    const asked = request ? ` data-request="${escapeHtml(JSON.stringify(request))}"` : '';
    const marks = `${index > 0 ? ' data-later' : ''}${isRun ? ' data-run' : ''}${asked}`;
    return `<section class="panel" data-language="${language}" data-label="${label}"${marks}><pre tabindex="0"><code>${highlight(code, language)}</code></pre></section>`;
  });
  const title =
    group.length === 1 ? `<span class="code-title">${labelOf(group[0].language, group[0].code)}</span>` : '';
  return `<div class="code" data-panels="${group.length}"><div class="code-bar">${title}</div>${panels.join('')}</div>`;
}

const labelOf = (language: string, code: string): string =>
  language === 'sh' && code.includes('curl ') ? 'curl' : (LABELS[language] ?? language);

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
