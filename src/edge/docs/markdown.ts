// Renders the subset of Markdown that our pages use. Everything is escaped first, so a page can contain any text.
import { readCurl } from './curl.ts';
import { highlight } from './highlight.ts';

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

interface Rendered {
  html: string;
  headings: Heading[];
}

/** A fenced block: ```` ```ts run ```` is TypeScript that the tests execute. */
interface CodeBlock {
  language: string;
  flags: string[];
  code: string;
}

type Block =
  | { kind: 'heading'; depth: number; text: string }
  | { kind: 'code'; block: CodeBlock }
  | { kind: 'table'; rows: string[][] }
  | { kind: 'list'; isOrdered: boolean; items: string[] }
  | { kind: 'quote'; text: string }
  | { kind: 'paragraph'; text: string };

const LABELS: Record<string, string> = {
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  json: 'JSON',
  csv: 'CSV',
  text: 'Text',
};

export function renderMarkdown(markdown: string): Rendered {
  const blocks = readBlocks(markdown);
  const headings: Heading[] = [];
  const html: string[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block.kind !== 'code') {
      html.push(renderBlock(block, headings));
      continue;
    }
    // Consecutive code blocks are the same example in several languages.
    const group = [block.block];
    for (let next = blocks[index + 1]; next?.kind === 'code'; next = blocks[index + 1]) {
      group.push(next.block);
      index++;
    }
    html.push(renderCode(group));
  }
  return { html: html.join('\n'), headings };
}

export function listCode(markdown: string): CodeBlock[] {
  return readBlocks(markdown).flatMap((block) => (block.kind === 'code' ? [block.block] : []));
}

function readBlocks(markdown: string): Block[] {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (test: (line: string) => boolean): string[] => {
    const start = at;
    while (at < lines.length && test(lines[at])) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,4}) +(.+)$/.exec(line);
    if (line.trim() === '') at++;
    else if (line.startsWith('```')) {
      at++;
      const [language = 'text', ...flags] = line.slice(3).trim().split(/\s+/);
      const code = takeWhile((each) => !each.startsWith('```')).join('\n');
      at++;
      blocks.push({ kind: 'code', block: { language: language || 'text', flags, code } });
    } else if (heading) {
      at++;
      blocks.push({ kind: 'heading', depth: heading[1].length, text: heading[2] });
    } else if (line.startsWith('|')) {
      const rows = takeWhile((each) => each.startsWith('|')).map(readCells);
      blocks.push({ kind: 'table', rows: rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell))) });
    } else if (line.startsWith('>')) {
      const text = takeWhile((each) => each.startsWith('>')).map((each) => each.replace(/^> ?/, ''));
      blocks.push({ kind: 'quote', text: text.join(' ') });
    } else if (/^(-|\d+\.) /.test(line)) {
      const isOrdered = !line.startsWith('-');
      const own = takeWhile((each) => /^(-|\d+\.) /.test(each) || /^ {2,}\S/.test(each));
      blocks.push({ kind: 'list', isOrdered, items: joinItems(own) });
    } else {
      const text = takeWhile((each) => each.trim() !== '' && !/^(```|#{1,4} |\||>|- |\d+\. )/.test(each));
      blocks.push({ kind: 'paragraph', text: text.join(' ') });
    }
  }
  return blocks;
}

function readCells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** An indented line belongs to the item above it. */
function joinItems(lines: string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const start = /^(?:-|\d+\.) +(.*)$/.exec(line);
    if (start) items.push(start[1]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return items;
}

function renderBlock(block: Exclude<Block, { kind: 'code' }>, headings: Heading[]): string {
  switch (block.kind) {
    case 'heading': {
      const id = slug(block.text);
      headings.push({ depth: block.depth, text: block.text.replaceAll('`', ''), id });
      const anchor = block.depth === 1 ? '' : `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${block.depth} id="${id}">${renderInline(block.text)}${anchor}</h${block.depth}>`;
    }
    case 'table':
      return renderTable(block.rows);
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul';
      return `<${tag}>${block.items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</${tag}>`;
    }
    case 'quote':
      return `<aside class="note"><p>${renderInline(block.text)}</p></aside>`;
    case 'paragraph':
      return `<p>${renderInline(block.text)}</p>`;
  }
}

function renderTable([head, ...rows]: string[][]): string {
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}${idOfCell(cell, tag)}>${renderInline(cell)}</${tag}>`).join('')}</tr>`;
  // A scrollable region must be reachable by keyboard.
  return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${row(head, 'th')}</thead><tbody>${rows
    .map((cells) => row(cells, 'td'))
    .join('')}</tbody></table></div>`;
}

/** A cell that begins with {#name} can be linked to. */
function idOfCell(cell: string, tag: string): string {
  const mark = tag === 'td' ? /^\{#([\w-]+)\}/.exec(cell) : null;
  return mark ? ` id="${mark[1]}"` : '';
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

function labelOf(language: string, code: string): string {
  return language === 'sh' && code.includes('curl ') ? 'curl' : (LABELS[language] ?? language);
}

/** Code first, so that nothing inside it is read as emphasis; then links, strong and emphasis. */
export function renderInline(text: string): string {
  const kept: string[] = [];
  const keep = (html: string) => `\uE000${kept.push(html) - 1}\uE000`;
  return escapeHtml(text.replace(/^\{#[\w-]+\}/, ''))
    .replace(/`([^`]+)`/g, (_, code: string) => keep(`<code>${code}</code>`))
    .replace(
      /\[([^\]]+)\]\(([^)\s]+)\)/g,
      (_, label: string, href: string) => `${keep(`<a href="${href}">`)}${label}</a>`,
    )
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*]+)\*/g, '$1<em>$2</em>')
    .replace(/\uE000(\d+)\uE000/g, (_, index: string) => kept[Number(index)]);
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
