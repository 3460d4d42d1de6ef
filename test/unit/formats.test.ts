// Days, instants and URIs of request bodies: only those that exist are let through.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readerOfBodies } from '../../src/base/http/validation.ts';

const CASES: Record<string, { right: string[]; wrong: string[] }> = {
  date: {
    right: ['2026-03-31', '2024-02-29'],
    wrong: ['2026-02-29', '2026-13-01', '2026-1-1', '2026-03-31T00:00:00Z'],
  },
  'date-time': {
    right: ['2026-03-31T12:00:00Z', '2026-03-31T12:00:00.123Z', '2026-03-31T12:00:00+05:30', '2026-03-31t12:00:00z'],
    wrong: [
      '2026-03-31',
      '2026-03-31T12:00:00',
      '2026-02-30T12:00:00Z',
      '2026-03-31T24:30:00Z',
      '2026-03-31T23:59:60Z',
    ],
  },
  uri: {
    right: ['https://example.com/hook?x=1#y', 'http://[::1]:9000/', 'https://example.com:8443/%20'],
    wrong: ['example.com', '/hook', 'https://exa mple.com', 'https://example.com/ü', 'https://'],
  },
};

it('every format that a request can name is known, so nothing is logged about it', (context) => {
  const warn = context.mock.method(console, 'warn');
  for (const format of ['int64', 'binary']) readerOfBodies().compile({ type: ['string', 'integer'], format });
  assert.equal(warn.mock.callCount(), 0);
});

for (const [format, { right, wrong }] of Object.entries(CASES))
  it(`${format} takes what exists and nothing else`, () => {
    const validate = readerOfBodies().compile({ type: 'string', format });
    for (const text of right) assert.equal(validate(text), true, text);
    for (const text of wrong) assert.equal(validate(text), false, text);
  });
