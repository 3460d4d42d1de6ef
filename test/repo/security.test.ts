// docs/internals/security.md answers every line of both lists, and the tests it names exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Without line breaks inside a list item. */
const text = read('docs/internals/security.md').replace(/\n {2}/g, ' ');

// The sections of ASVS 5.0.0 with the number of their requirements at levels 1 and 2, which are numbered from 1.
const SECTIONS =
  '1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 ' +
  '5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 ' +
  '8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 ' +
  '12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 ' +
  '16.5:3 17.1:1 17.2:4 17.3:2';

describe('the list of security requirements', () => {
  it('has every line of both lists once', () => {
    const expected = SECTIONS.split(' ').flatMap((part) => {
      const [section, count] = part.split(':');
      return Array.from({ length: Number(count) }, (_, n) => `${section}.${n + 1}`);
    });
    assert.deepEqual(
      [...text.matchAll(/\*\*(\d+\.\d+\.\d+)\*\* \(\d\)/g)].map((match) => match[1]).sort(),
      expected.sort(),
    );
    const ten = Array.from({ length: 10 }, (_, n) => `API${n + 1}`);
    assert.deepEqual(
      [...text.matchAll(/\*\*(API\d+)\*\*/g)].map((match) => match[1]),
      ten,
    );
  });

  it('names a test or a document wherever it says held, and all of them exist', () => {
    for (const line of text.split('\n').filter((each) => each.startsWith('- '))) {
      const references = [...line.matchAll(/`((?:test|docs)\/[\w./-]+)`(?:, "([^"]+)")?/g)];
      if (/ Held\. /.test(line)) assert.ok(references.length > 0, line);
      for (const [, file, title] of references) {
        assert.ok(existsSync(join(ROOT, file)), file);
        if (title) assert.ok(read(file).includes(title), `${file} has no test "${title}"`);
      }
    }
  });

  it('counts what it says', () => {
    const [, ...stated] = /(\d+) requirements: (\d+) held, (\d+) not applicable, (\d+) not held/.exec(text)!;
    const counted = { held: 0, apart: 0, open: 0 };
    for (const line of text.split('\n')) {
      const numbers = line.match(/\*\*\d+\.\d+\.\d+\*\* \(\d\)/g)?.length ?? 0;
      const answer = line.includes('**Not held**') ? 'open' : line.includes(': Not applicable') ? 'apart' : 'held';
      counted[answer] += numbers;
    }
    const { held, apart, open } = counted;
    assert.deepEqual(stated.map(Number), [held + apart + open, held, apart, open]);
  });

  it('says of each line that is not held who must hold it, or why not', () => {
    for (const line of text.split('\n').filter((each) => each.includes('**Not held**')))
      assert.match(line, /operator|identity provider|whoever releases|by choice/, line);
  });
});
