// One page per error: what it means, why it happens, what to do, and a sandbox input that returns it.
import { ERRORS, isRetryable, type ErrorCode } from '../lib/errors.ts';
import { FIXTURES } from '../sandbox/fixtures.ts';
import { ERROR_HELP } from './error-help.ts';
import { makePage, type Page } from './pages.ts';

export function loadErrorPages(): Map<string, Page> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return new Map(
    codes.map((code) => [
      code,
      makePage({ slug: `errors/${code}`, href: `/docs/errors/${code}`, markdown: describe(code) }),
    ]),
  );
}

function describe(code: ErrorCode): string {
  const [status, title] = ERRORS[code];
  const { why, fix } = ERROR_HELP[code];
  const body = {
    object: 'error',
    type: `/docs/errors/${code}`,
    title,
    status,
    code,
    detail: '…',
    instance: '/api/v1/…',
    request_id: 'req_…',
    retryable: isRetryable(code),
  };
  return `# ${code}

${title}. Status ${status}; ${isRetryable(code) ? 'the same request may succeed later' : 'repeating the same request does not help'}. Nothing is charged.

## Why it happens

${why}

## What to do

${fix}

## The response

\`\`\`json
${JSON.stringify(body, null, 2)}
\`\`\`
${describeFixtures(code)}
[All errors](/docs/errors) · [Retrying](/docs/errors#retrying) · [Idempotency](/docs/errors#idempotency)
`;
}

function describeFixtures(code: ErrorCode): string {
  const own = FIXTURES.filter(({ expect }) => expect.code === code);
  if (own.length === 0) return '';
  const rows = own.map(
    ({ endpoint, request, what }) => `| \`${endpoint}\` | \`${request.address ?? request.property_id}\` | ${what} |`,
  );
  return `
## Try it in the sandbox

| operation | input | what it shows |
|---|---|---|
${rows.join('\n')}
`;
}
