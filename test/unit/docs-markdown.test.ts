// Rendering Markdown: the syntax our pages use, and that nothing in a page can break out of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { highlight } from '../../src/edge/docs/highlight.ts';
import { listCode, renderMarkdown } from '../../src/edge/docs/markdown.ts';

const html = (markdown: string) => renderMarkdown(markdown).html.replaceAll('\n', ' ').replaceAll('> <', '><').trim();

describe('blocks', () => {
  it('headings get ids and are listed', () => {
    const { html: text, headings } = renderMarkdown('# One\n\n## Four words, `not` confused\n');
    assert.match(text, /<h1 id="one">One<\/h1>/);
    assert.match(text, /<h2 id="four-words-not-confused">/);
    assert.deepEqual(
      headings.map(({ depth, text: title, id }) => [depth, title, id]),
      [
        [1, 'One', 'one'],
        [2, 'Four words, not confused', 'four-words-not-confused'],
      ],
    );
  });

  it('list items keep their indented lines', () => {
    assert.equal(html('- one\n  goes on\n- two\n'), '<ul><li>one goes on</li><li>two</li></ul>');
    assert.equal(html('1. one\n2. two\n'), '<ol><li>one</li><li>two</li></ol>');
  });

  it('tables keep an escaped bar, and a cell can be a link target', () => {
    const text = html('| a | b |\n|---|---|\n| {#x}`x` | 1 \\| 2 |\n');
    assert.match(text, /<th>a<\/th><th>b<\/th>/);
    assert.match(text, /<td id="x"><code>x<\/code><\/td><td>1 \| 2<\/td>/);
  });

  it('consecutive code blocks become tabs; others stand alone', () => {
    const text = html('```sh run\ncurl x\n```\n\n```ts run\nawait x;\n```\n\ntext\n\n```json\n{}\n```\n');
    assert.deepEqual(
      [...text.matchAll(/data-panels="(\d)"/g)].map(([, count]) => count),
      ['2', '1'],
    );
    assert.match(text, /data-label="curl".*data-label="TypeScript"/s);
  });

  it('code is listed with its language and flags', () => {
    assert.deepEqual(listCode('```python run\nprint(1)\n```\n'), [
      { language: 'python', flags: ['run'], code: 'print(1)' },
    ]);
  });
});

describe('inline', () => {
  it('code, links, strong and emphasis', () => {
    assert.equal(
      html('**a** *b* `c*d*` [e](/f)'),
      '<p><strong>a</strong><em>b</em><code>c*d*</code><a href="/f">e</a></p>',
    );
  });

  it('everything else is text', () => {
    assert.equal(html('<script>"&'), '<p>&lt;script&gt;&quot;&amp;</p>');
    assert.equal(html('a <b>c</b>'), '<p>a &lt;b&gt;c&lt;/b&gt;</p>');
    assert.doesNotMatch(html('```json\n{"a": "</code><script>"}\n```'), /<script>/);
  });
});

describe('highlight', () => {
  it('colors code and never changes the text', () => {
    const code = 'const a = "x<y"; // note\nfor (const b of [1, 2.5]) await c(`z`);';
    const colored = highlight(code, 'ts');
    assert.match(colored, /<span class="t-k">const<\/span>/);
    assert.match(colored, /<span class="t-c">\/\/ note<\/span>/);
    const plain = colored
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    assert.equal(plain, code);
  });

  it('distinguishes JSON members from their values', () => {
    assert.match(highlight('{"a": "b"}', 'json'), /<span class="t-m">"a"<\/span>: <span class="t-s">"b"<\/span>/);
  });
});
