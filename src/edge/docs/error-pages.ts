// One page per error: what it means, why it happens, what to do, and a sandbox input that returns it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ERRORS, isRetryable, type ErrorCode } from '../../base/lib/errors.ts';
import { FIXTURES } from '../../supply/sandbox/fixtures.ts';
import { makePage, type Page } from './pages.ts';

type Help = Record<ErrorCode, { why: string; fix: string }>;

export function loadErrorPages(): Map<string, Page> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const help = parse(readFileSync(new URL('./error-help.yaml', import.meta.url), 'utf8')) as Help;
  return new Map(
    codes.map((code) => [
      code,
      makePage({ slug: `errors/${code}`, href: `/docs/errors/${code}`, markdown: describe(code, help[code]) }),
    ]),
  );
}

function describe(code: ErrorCode, { why, fix }: Help[ErrorCode]): string {
  const [status, title] = ERRORS[code];
  return `# ${code}

${title}. Status ${status}; ${isRetryable(code) ? 'the same request may succeed later' : 'repeating the same request does not help'}. Nothing is charged.

## Why it happens

${why}

## What to do

${fix}

${showResponse(code)}
[All errors](/docs/errors) · [Retrying](/docs/errors#retrying) · [Idempotency](/docs/errors#idempotency)
`;
}

/** The request that returns it, if the sandbox has such an input; its answer is recorded from the service. */
function showResponse(code: ErrorCode): string {
  const own = FIXTURES.filter(({ expect }) => expect.code === code);
  if (own.length === 0) return `## The response\n\n\`\`\`json\n${JSON.stringify(shapeOf(code), null, 2)}\n\`\`\`\n`;
  const rows = own.map(
    ({ endpoint, request, what }) => `| \`${endpoint}\` | \`${request.address ?? request.property_id}\` | ${what} |`,
  );
  return `## Try it in the sandbox

\`\`\`sh run
${curlOf(own[0])}
\`\`\`

| operation | input | what it shows |
|---|---|---|
${rows.join('\n')}
`;
}

function shapeOf(code: ErrorCode): object {
  const [status, title] = ERRORS[code];
  const retryable = isRetryable(code);
  const members = { object: 'error', type: `/docs/errors/${code}`, title, status, code };
  return { ...members, detail: '…', instance: '/api/v1/…', request_id: 'req_…', retryable };
}

function curlOf({ endpoint, request }: Pick<(typeof FIXTURES)[number], 'endpoint' | 'request'>): string {
  const [method, path] = endpoint.split(' ');
  const { address, property_id: id } = request;
  const key = '-H "x-api-key: $PLATBOOK_KEY"';
  if (method === 'POST') {
    const body = JSON.stringify({ property: address ? { address } : { id } });
    return `curl -s "$PLATBOOK_URL${path}" \\\n  ${key} \\\n  -H "content-type: application/json" \\\n  -d '${body}'`;
  }
  if (address) return `curl -s --get "$PLATBOOK_URL${path}" \\\n  ${key} \\\n  --data-urlencode "address=${address}"`;
  return `curl -s "$PLATBOOK_URL${path.replace('{id}', id ?? '')}" \\\n  ${key}`;
}
