// Content-Security-Policy reports: every policy names where to report, and what browsers report is counted by directive.
// A rise means that a page of ours is broken or that someone tried to inject into one.
import { Counter, type Registry } from 'prom-client';
import { fail } from '../lib/errors.ts';
import type { App } from './types.ts';

const PATH = '/reports/policy';
const MAX_BODY_BYTES = 8 * 1024;
const MAX_REPORTS = 20;
const TYPES = ['application/csp-report', 'application/reports+json', 'application/json'];
/** Anyone can send a report, so only these directives become metric labels. */
const DIRECTIVES = new Set(
  (
    'default-src script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr img-src font-src ' +
    'connect-src worker-src manifest-src frame-src media-src object-src frame-ancestors base-uri form-action'
  ).split(' '),
);

/** `takeReport` counts a report of an IP: undefined, or the seconds to wait if there were too many. */
export async function registerPolicyReports(
  app: App,
  registry: Registry,
  takeReport: (ip: string) => Promise<number | undefined>,
): Promise<void> {
  const violations = new Counter({
    name: 'content_security_policy_violations_total',
    help: 'Violations that browsers reported, by directive.',
    labelNames: ['directive'],
    registers: [registry],
  });
  app.addHook('onSend', async (_request, reply) => {
    const policy = reply.getHeader('content-security-policy');
    if (typeof policy !== 'string') return;
    reply.headers({
      'content-security-policy': `${policy}; report-uri ${PATH}; report-to policy`,
      'reporting-endpoints': `policy="${PATH}"`,
    });
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TYPES, { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (_request, text, done) => {
      done(null, text);
    });
    scope.post(PATH, { config: { isHidden: true }, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      const wait = await takeReport(request.ip);
      if (wait !== undefined) fail('rate_limited', 'Too many reports.', { retryAfterSeconds: wait });
      for (const directive of readDirectives(request.body)) violations.inc({ directive });
      return reply.code(204).send();
    });
  });
}

/** Reads both forms: `report-uri` sends one object, the Reporting API a list. */
function readDirectives(body: unknown): string[] {
  let read: unknown;
  try {
    read = JSON.parse(String(body));
  } catch {
    fail('invalid_json', 'The report must be valid JSON.');
  }
  const reports = Array.isArray(read) ? read.slice(0, MAX_REPORTS) : [read];
  return reports.flatMap((report: unknown) => {
    const {
      type,
      body: modern,
      'csp-report': old,
    } = (report ?? {}) as Record<string, Record<string, unknown> | undefined>;
    if (modern !== undefined && (type as unknown) !== 'csp-violation') return [];
    const members = modern ?? old;
    if (members === undefined || members === null) return [];
    const named = members.effectiveDirective ?? members['effective-directive'] ?? members['violated-directive'];
    const directive = String(named ?? '').split(' ')[0];
    return [DIRECTIVES.has(directive) ? directive : 'other'];
  });
}
