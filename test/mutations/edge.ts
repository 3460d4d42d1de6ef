// Ways to break the gate, docs, agents and status.
import { group, type Group } from './group.ts';

export const EDGE: Group[] = [
  group(
    'src/edge/docs/changelog.ts',
    ['test/e2e/docs.test.ts', 'test/unit/docs-markdown.test.ts'],
    [['return date ? [{ date, markdown: markdown.trim() }] : [];', 'return [];', 'the changelog is empty']],
  ),
  group(
    'src/edge/docs/markdown.ts',
    ['test/unit/docs-markdown.test.ts'],
    [["(lang || 'text').split", "('text').split", 'code in the docs has no language']],
  ),
  group(
    'src/edge/docs/pages.ts',
    ['test/e2e/docs.test.ts'],
    [
      [
        "href: isFirst ? '/docs' : `/docs/${slug}`",
        "href: isFirst ? '/docs' : `/doc/${slug}`",
        'links between pages of the docs lead nowhere',
      ],
    ],
  ),
  group(
    'src/edge/gate/auth.ts',
    ['test/api/keys.test.ts'],
    [
      ['if (key.revoked_at) fail', 'if (!key) fail', 'a revoked key goes on'],
      ['!scope || key.scopes.includes(scope)', '!scope || key.scopes.length > 0', 'any scope opens every door'],
      ['if (isExpired(key, now)) {', 'if (!key) {', 'an expired key goes on'],
      ['if (!isAllowedIp(request.ip, key.allowed_ips)) {', 'if (!key) {', 'an allow-list is not asked'],
    ],
  ),
  group(
    'src/edge/gate/idempotency.ts',
    ['test/api/idempotency.test.ts'],
    [
      ['!earlier.digest.equals(digest)', 'false', 'an idempotency key hides another request'],
      ['request.usageUnits = 0;', '', 'a repetition is charged'],
      [
        'if (status >= 500) await sql.endClaim(deps.control, holder, claimedUntil);',
        'if (status >= 500) return payload;',
        'a failure of ours holds the key',
      ],
    ],
  ),
  group(
    'src/edge/gate/limits.ts',
    ['test/api/usage.test.ts', 'test/unit/limits.test.ts'],
    [
      [
        "if (isMetered(request.caller) && meter !== 'none') refuseUnpaid",
        "if (meter === 'none') refuseUnpaid",
        'an ended trial goes on',
      ],
      ['b.remaining < a.remaining', 'b.remaining > a.remaining', 'headers show the wider limit'],
    ],
  ),
  group(
    'src/edge/gate/turns.ts',
    ['test/api/turns.test.ts'],
    [
      ['request.endTurn?.();', '', 'a turn never ends'],
      ['if (request.hasHungUp) refuseToWait();', '', 'work is done for nobody'],
      ['Math.max(2, poolSize - 2)', '99', 'one account takes every connection'],
      ['? besideOthers : alone', '? alone : alone', 'many requests of one account run beside those of others'],
    ],
  ),
  group(
    'src/edge/gate/metering.ts',
    ['test/api/usage.test.ts'],
    [
      ['status < 300', 'status < 400', 'a redirect is charged'],
      ['isMetered(request.caller) &&', '', 'the sandbox is charged'],
      ['request.usageUnits > 0 &&', '', 'an answer of no units is booked'],
      ['isSent ? reply.statusCode : 499);', 'reply.statusCode);', 'a caller who hung up is charged'],
      ['request.isRecorded = true', 'request.isRecorded = false', 'a call is written down twice'],
    ],
  ),
  group(
    'src/edge/mcp/fit.ts',
    ['test/unit/mcp-fit.test.ts', 'test/api/mcp.test.ts'],
    [
      [
        'omitted[path] = (omitted[path] ?? 0) + dropped;',
        'omitted[path] = dropped;',
        'an agent is told of too few omitted items',
      ],
      ['> MAX_ANSWER_BYTES;', '> MAX_ANSWER_BYTES * 100;', 'an answer does not fit into an agent’s context'],
    ],
  ),
  group(
    'src/edge/mcp/mcp.ts',
    ['test/api/mcp.test.ts', 'test/api/agent-session.test.ts'],
    [
      [
        'if (answer.status >= 300) return describeFailure(answer);',
        'if (answer.status >= 600) return describeFailure(answer);',
        'an agent takes an error for data',
      ],
      ['const hasMore = rest !== undefined ||', 'const hasMore = ', 'an agent stops after the first page'],
    ],
  ),
  group(
    'src/edge/mcp/place-arguments.ts',
    ['test/api/mcp.test.ts'],
    [['if (meant.length > 1) return { bad:', 'if (meant.length > 99) return { bad:', 'an ambiguous place is guessed']],
  ),
  group(
    'src/edge/ogc/cql2.ts',
    ['test/api/ogc.test.ts'],
    [
      [
        'const parts = [this.readAnd(depth, isTop && !hasOr)];',
        'const parts = [this.readAnd(depth, isTop)];',
        'a place that is one of two alternatives narrows all',
      ],
      ["{ '<': '>', '>': '<',", "{ '<': '<', '>': '>',", 'a value before its property is compared the wrong way round'],
    ],
  ),
  group(
    'src/edge/ogc/crs.ts',
    ['test/api/ogc.test.ts'],
    [
      [
        'fromDegrees: (longitude, latitude) => [latitude, longitude],',
        'fromDegrees: (longitude, latitude) => [longitude, latitude],',
        'EPSG:4326 has longitude first',
      ],
    ],
  ),
  group(
    'src/edge/status/components.ts',
    ['test/api/status.test.ts'],
    [
      [
        "return route.startsWith(API) && component !== 'api' ? [component, 'api'] : [component];",
        'return [component];',
        'failures of valuations do not count for the API',
      ],
    ],
  ),
  group(
    'src/edge/status/incidents.ts',
    ['test/api/status.test.ts'],
    [
      ['2 * open.gaps > open.bad', 'open.gaps > 2 * open.bad', 'a measurer that was down is told as an outage'],
      ['open.bad++;', 'open.bad += 2;', 'a single bad minute is an incident'],
      ['open.last + MINUTE_MS) : null', 'open.last) : null', 'an incident ends a minute too early'],
    ],
  ),
  group(
    'src/edge/status/present.ts',
    ['test/api/status.test.ts'],
    [["up === 0 ? 'down' : 'partly_down'", "'down'", 'one component that is down is told as all of them']],
  ),
];
