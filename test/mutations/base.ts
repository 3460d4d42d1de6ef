// Ways to break what everything stands on.
import { group, type Group } from './group.ts';

export const BASE: Group[] = [
  group(
    'src/base/audit/audit.ts',
    ['test/api/audit.test.ts'],
    [
      ['sequence: (last?.sequence ?? 0) + 1,', 'sequence: (last?.sequence ?? 0) + 2,', 'an untouched trail looks cut'],
      ['|| !hash.equals(hashOf(row));', '|| !hash;', 'an entry that was changed is not noticed'],
      ['previous_hash: last?.hash ?? null,', 'previous_hash: null,', 'entries can be taken out of the trail'],
    ],
  ),
  group(
    'src/base/audit/verify.ts',
    ['test/api/audit.test.ts'],
    [
      [
        'if (seen && last.sequence < seen.sequence)',
        'if (seen && last.sequence < 0)',
        'a trail cut off at its end is taken for whole',
      ],
    ],
  ),
  group(
    'src/base/db/epochs.ts',
    ['test/api/restored-feed.test.ts'],
    [
      [
        'if (!isNumberedOn) await shiftTransactions(client);',
        '',
        'changes of a restored database come before those it was restored with',
      ],
      ['    await skipSequences(client);\n', '', 'a new change has the id of a lost one'],
    ],
  ),
  group(
    'src/base/events/sql.ts',
    ['test/api/webhooks.test.ts', 'test/api/lists.test.ts'],
    [
      [
        'types ? part`and type = any(${types})` : raw',
        'types ? part`and ${types}::text[] is not null` : raw',
        'events of kinds nobody asked for are listed',
      ],
      ['and sequence < ${before}', 'and sequence <= ${before}', 'a page repeats the last event of the one before'],
    ],
  ),
  group(
    'src/base/http/basemap.ts',
    ['test/api/basemap.test.ts'],
    [
      [
        'range.to - range.from >= MAX_RANGE_BYTES',
        'range.to - range.from >= Infinity',
        'one request reads a whole planet',
      ],
    ],
  ),
  group(
    'src/base/http/errors.ts',
    ['test/api/errors.test.ts', 'test/api/edge.test.ts'],
    [
      ['if (error.status === 401)', 'if (error.status === 402)', 'a client is not told how to sign in'],
      [
        'if (allowed.length > 0) {',
        'if (allowed.length > 99) {',
        'a wrong method is told as a path that does not exist',
      ],
      [
        'error.status === 429 || error.status === 503',
        'error.status === 503',
        'a caller over its limit is not told when to come back',
      ],
    ],
  ),
  group(
    'src/base/http/headers.ts',
    ['test/api/headers.test.ts', 'test/api/edge.test.ts'],
    [
      ['SAFE_REQUEST_ID.test(given) ? given', 'given ? given', 'a caller writes what they like into the log'],
      ["tag === '*' || tag.replace(/^W\\//, '') === etag", "tag === '*'", 'what has not changed is sent again'],
    ],
  ),
  group(
    'src/base/http/health.ts',
    ['test/api/ops.test.ts'],
    [
      [
        'request.headers.authorization === `Bearer ${metricsToken}`',
        'request.headers.authorization !== undefined',
        'any token reads the metrics',
      ],
    ],
  ),
  group(
    'src/base/http/validation.ts',
    ['test/api/edge.test.ts', 'test/api/errors.test.ts'],
    [
      [
        "if (typeof value === 'string') return value.includes('\\0');",
        "if (typeof value === 'string') return false;",
        'a NUL byte in a body is an error of the server',
      ],
    ],
  ),
  group(
    'src/base/jobs/sql.ts',
    ['test/api/jobs.test.ts'],
    [
      ['and run_at <= ${claim.now} and name', 'and name', 'a job that waits for its turn is run at once'],
      [
        '(leased_until is null or leased_until < ${claim.now})',
        '(leased_until is null)',
        'a job whose worker died is never finished',
      ],
      [
        '(host is null or host = ${claim.host})',
        '(host is null or host is not null)',
        'a job about a folder is taken by a machine without it',
      ],
    ],
  ),
  group(
    'src/base/jobs/jobs.ts',
    ['test/api/jobs.test.ts'],
    [
      ['attempts < definition.attempts && ', '', 'a job that fails is tried for ever'],
      [
        "if (reason === 'canceled') return end(",
        "if (reason === 'nothing') return end(",
        'a canceled job is told as failed',
      ],
    ],
  ),
  group(
    'src/base/lib/cursors.ts',
    ['test/api/search.test.ts'],
    [
      ['|| !isSameBytes(signature, bytes.subarray(0, SIGNATURE_BYTES))', '', 'a cursor can be forged'],
      [
        'if (!isSameBytes(digestOf(query), body.subarray(0, QUERY_BYTES))) {',
        'if (body.length === 0) {',
        'a cursor of another query is misread',
      ],
    ],
  ),
  group(
    'src/base/lib/dial.ts',
    ['test/unit/webhook-signing.test.ts', 'test/unit/dial.test.ts', 'test/api/webhooks.test.ts'],
    [
      ["allow === 'any' || isPublicIp(ip)", "allow === 'any' || !isLoopback(ip)", 'private networks can be reached'],
      ["'must have a public host name'", 'undefined', 'inside names are taken'],
      [
        'if (isIP(host) === 0 || mayDial(host, allow)) return connect',
        'if (isIP(host) >= 0 || mayDial(host, allow)) return connect',
        'an IP in the URL is dialed unchecked',
      ],
      ['if (!PORTS.has(url.port)) return', 'if (PORTS.size === 0) return', 'any port can be called'],
    ],
  ),
  group(
    'src/base/lib/ips.ts',
    ['test/api/keys.test.ts'],
    [['(version === 4 ? 32 : 128)', '128', 'a block that is none is taken']],
  ),
  group(
    'src/base/lib/pages.ts',
    ['test/api/keys.test.ts'],
    [
      ['const hasMore = found.length > limit', 'const hasMore = found.length >= limit', 'a last page promises another'],
      ['positionOf(rows[limit - 1])', 'positionOf(found[limit])', 'pages leave rows out'],
    ],
  ),
  group(
    'src/base/lib/shares.ts',
    ['test/unit/billing.test.ts', 'test/api/billing.test.ts'],
    [
      ['BigInt(part) + BigInt(whole)', 'BigInt(part)', 'half a cent is rounded down'],
      ['? floor - 1n : floor', '? floor : floor', 'money given back does not add up'],
      ['return upTo(part.end) - upTo(part.start)', 'return upTo(part.end)', 'a part costs the whole'],
      ['given += share', 'given += 0', 'shares add up to more than the total'],
      ['if (whole === 0)', 'if (whole === 1)', 'a split over nothing divides by zero'],
    ],
  ),
  group(
    'src/base/math/quantiles.ts',
    ['test/unit/valuation.test.ts'],
    [['(sorted.length - 1) * share', 'sorted.length * share', 'a quantile is that of a longer list']],
  ),
  group(
    'src/base/measures/backlog-sql.ts',
    ['test/api/ops.test.ts', 'test/api/billing.test.ts'],
    [
      [
        "i.status = 'open' and i.due_at < ",
        "i.status = 'open' and i.due_at > ",
        'invoices that are not due yet raise the alarm',
      ],
    ],
  ),
  group(
    'src/base/measures/backlogs.ts',
    ['test/api/ops.test.ts'],
    [
      [
        'Math.max(0, (now.getTime() - since.getTime()) / 1000)',
        'Math.max(0, now.getTime() - since.getTime())',
        'ages are told in milliseconds',
      ],
    ],
  ),
  group(
    'src/base/threads/threads.ts',
    ['test/unit/threads.test.ts'],
    [
      ['mostOf: () => 1,', 'mostOf: () => 99,', 'one account takes every thread'],
      ['mostWaitingOf: MOST_WAITING_PER_ACCOUNT', 'mostWaitingOf: 99', 'one account fills the queue'],
      ["? tooMuch('memory') : reject(error)", '? reject(error) : reject(error)', 'a bomb is a failure of ours'],
    ],
  ),
  group(
    'src/base/pdf/chart.ts',
    ['test/unit/reports.test.ts', 'test/api/quality.test.ts'],
    [
      ['const rough = span / 4;', 'const rough = span / 40;', 'a chart is full of lines'],
      [
        'Math.ceil((most + span * 0.05) / step) * step;',
        'Math.floor((most - span * 0.05) / step) * step;',
        'the highest value is drawn outside of the chart',
      ],
    ],
  ),
  group(
    'src/base/processes/metrics-text.ts',
    ['test/unit/metrics-text.test.ts'],
    [
      [
        'else if (isFirst) current.about.push(line);',
        'else current.about.push(line);',
        'a metric is described once per process, which Prometheus refuses',
      ],
      [
        "if (!line.startsWith('#')) current.samples.push(line);",
        "if (!line.startsWith('#')) current.samples = [line];",
        'all but one process are missing in the metrics',
      ],
      [
        "if (line === '' || !current) continue;",
        'if (!current) continue;',
        'empty lines between the samples of a metric',
      ],
    ],
  ),
  group(
    'src/base/telemetry/statements.ts',
    ['test/api/telemetry.test.ts'],
    [
      [
        'return table === undefined ? verb : `${verb} ${table}`;',
        'return verb;',
        'a trace does not tell which table a statement reads',
      ],
      [
        'const table = tables.find((name) => !NO_TABLE.test(name));',
        'const table = tables[0];',
        'functions are taken for tables',
      ],
      [
        "const bare = text.replace(/'(?:[^']|'')*'/g, \"''\");",
        'const bare = text;',
        'words in quotes are taken for tables',
      ],
    ],
  ),
];
