// Ways to break batches, exports, feeds, lists and reports.
import { group, type Group } from './group.ts';

export const DELIVERY: Group[] = [
  group(
    'src/delivery/batches/batches.ts',
    ['test/api/batches.test.ts'],
    [
      [
        'if (!finished) return;\n  if (finished.hold_id !== null) await releaseUnits(client, finished.hold_id);',
        'if (!finished) return;',
        'a finished batch keeps its hold',
      ],
      [
        'if (batch.hold_id !== null && !(await sql.hasPendingItems(client, batch.id)))',
        'if (!batch)',
        'a canceled batch keeps its hold',
      ],
      ['await settleUnits(client, batch.hold_id, { standard, avm }, what);', '', 'a batch is free'],
      ['standard: isCalled ? items.length : 0', 'standard: 0', 'a batch holds nothing'],
      [
        'counted.succeeded + counted.failed === counted.total',
        'counted.succeeded === counted.total',
        'a batch with a failure never ends',
      ],
      ['MAX_AGE_MS = 24 * HOUR_MS', 'MAX_AGE_MS = 48 * HOUR_MS', 'a stuck batch expires a day late'],
    ],
  ),
  group(
    'src/delivery/changes/changes.ts',
    ['test/api/changes.test.ts'],
    [
      ['now - Number(issuedAt) > KEPT_MS', 'now - Number(issuedAt) > 9 * KEPT_MS', 'an old cursor skips what is gone'],
      ['query.mayReadOwners && !suppressed.has(row.property_id)', 'query.mayReadOwners', 'a suppressed name is shown'],
      ['const showsPeople = query.mayReadOwners && ', 'const showsPeople = ', 'names without the scope'],
      ['batch.filter((row) => kinds.includes(row.kind))', 'batch', 'kinds are not filtered'],
      [
        'if (last) position = { epoch: start.epoch, xid: last.xid, seq: last.seq };',
        '',
        'a cursor stands still before what is not shown',
      ],
      ['identityOf(query);', 'identityOf({ ...query, kinds: undefined });', 'a cursor goes on under other kinds'],
    ],
  ),
  group(
    'src/delivery/changes/positions.ts',
    ['test/api/restored-feed.test.ts'],
    [
      [' || (xid === surviving && seq > 0)', '', 'a cursor goes on past a transaction that was lost'],
      [
        'known === present ? (await sql.readEnd(data)).xid : known.completeBelow',
        '(await sql.readEnd(data)).xid',
        'a cursor from after the backup goes on as if nothing was lost',
      ],
    ],
  ),
  group(
    'src/delivery/changes/sql.ts',
    ['test/api/changes.test.ts'],
    [
      [
        '${place.seq}::bigint) and xid < ${raw(FINAL_BELOW)}',
        '${place.seq}::bigint)',
        'a late transaction is passed over',
      ],
      ['(xid, seq) > (${place.xid}', '(xid, seq) >= (${place.xid}', 'a change comes twice'],
    ],
  ),
  group(
    'src/delivery/exports/exports.ts',
    ['test/api/exports.test.ts'],
    [
      [
        "if (mode === 'live' && !termsOf(account).delivery)",
        "if (mode === 'live' && !termsOf(account))",
        'plans without delivery have exports',
      ],
      [
        "format: options.format ?? 'parquet',",
        "format: options.format ?? 'csv',",
        'an export without a format is not Parquet',
      ],
      [
        "kind: options.kind ?? 'full',",
        "kind: options.kind ?? 'delta',",
        'the first export of a customer has only changes',
      ],
    ],
  ),
  group(
    'src/delivery/exports/rows.ts',
    ['test/api/exports.test.ts'],
    [
      [
        'const rows = read.filter((row) => BigInt(row.xid) < end);',
        'const rows = read.slice(1).filter((row) => BigInt(row.xid) < end);',
        'a delta lacks changes',
      ],
    ],
  ),
  group(
    'src/delivery/reports/decide.ts',
    ['test/api/reports.test.ts'],
    [
      ["applies === undefined ? 'refer'", "applies === undefined ? 'pass'", 'what is not known passes'],
      [
        "has('decline') ? 'decline' : has('refer')",
        "has('refer') ? 'refer' : has('refer')",
        'a declined file is referred',
      ],
    ],
  ),
  group(
    'src/delivery/reports/loan.ts',
    ['test/unit/reports.test.ts', 'test/api/reports.test.ts'],
    [
      [
        "loan.purpose === 'purchase' || loan.purpose === 'refinance'",
        "loan.purpose === 'purchase'",
        'a refinanced mortgage is counted twice',
      ],
      [
        'low: Math.min(confidence_interval.low, price)',
        'low: Math.min(estimated_value, price)',
        'loan to the low end is loan to value',
      ],
      [
        'loan.amount + existing.balance + liens',
        'loan.amount + existing.balance',
        'other liens are left out of the combined figure',
      ],
    ],
  ),
  group(
    'src/delivery/reports/reports.ts',
    ['test/api/reports.test.ts'],
    [
      [
        'reader.mayReadOwners && !(await isOwnerSuppressed(deps, row.property_id))',
        'reader.mayReadOwners',
        'an owner who asked not to be shown is named in a stored report',
      ],
    ],
  ),
  group(
    'src/delivery/watchlists/portfolio.ts',
    ['test/api/portfolio.test.ts', 'test/unit/portfolio.test.ts', 'test/api/charges.test.ts'],
    [
      ['await holdUnits(callsFor(ids.length));', '', 'a portfolio costs nothing'],
      ['if (since > today) fail(', 'if (since < today && !today) fail(', 'a portfolio is compared with the future'],
      [
        "if (row.status === 'retired') return",
        "if (row.status === 'nowhere') return",
        'a home that is gone has no reason for its missing value',
      ],
    ],
  ),
  group(
    'src/delivery/watchlists/relay.ts',
    ['test/api/watchlists.test.ts'],
    [
      [
        'if (!isWanted(member, change) || !isVisible(catalog, change, member)) continue;',
        'if (!isVisible(catalog, change, member)) continue;',
        'customers are told of changes they did not ask for',
      ],
    ],
  ),
  group(
    'src/delivery/watchlists/watchlists.ts',
    ['test/api/watchlists.test.ts'],
    [
      [
        'if ((ids === undefined) === (filter === undefined))',
        'if (ids === undefined && filter === undefined)',
        'a list of homes with a filter beside it is accepted',
      ],
      ["events: options.events ?? ['*'],", 'events: options.events ?? [],', 'a new list tells of nothing'],
    ],
  ),
  group(
    'src/delivery/webhooks/deliveries.ts',
    ['test/api/webhooks.test.ts'],
    [
      ['sent.status < 300', 'sent.status < 400', 'a redirect counts as delivered'],
      ['sent.status === 410', 'sent.status === 411', 'a receiver that is gone is called on'],
      ['failing_since: null, warnings: 0', 'warnings: 0', 'a success does not start anew'],
    ],
  ),
  group(
    'src/delivery/loans/condition.ts',
    ['test/api/loans.test.ts'],
    [
      [
        'return likely.length === 1 ? likely[0] : undefined;',
        'return likely.at(-9);',
        'the own mortgage is not recognized',
      ],
      ['if (before.includes(null)) return [];', 'return [];', 'a new mortgage is not told'],
      ['before > limit === after > limit', 'after <= limit', 'a ratio above the threshold is told every day'],
    ],
  ),
  group(
    'src/delivery/loans/loans.ts',
    ['test/api/loans.test.ts'],
    [
      [
        'if (!(error instanceof ApiError) || error.status >= 500) throw error;',
        'throw error;',
        'one bad row refuses all of them',
      ],
    ],
  ),
  group(
    'src/delivery/reviews/comparable.ts',
    ['test/api/reviews.test.ts'],
    [
      [
        'const SAME_SALE_DAYS = 45;',
        'const SAME_SALE_DAYS = 4500;',
        'a sale of another year is taken for the stated one',
      ],
      ['stated.sale_price + sum === stated.adjusted_price', 'true', 'adjustments that do not add up pass'],
      ['isCovered ?', '!isCovered ?', 'a sale is called missing where no record reaches'],
    ],
  ),
  group(
    'src/delivery/reviews/questions.ts',
    ['test/api/reviews.test.ts'],
    [['days_before < 0 &&', 'days_before < -999 &&', 'a sale after the effective date raises no question']],
  ),
  group(
    'src/delivery/webhooks/retries.ts',
    ['test/unit/webhook-signing.test.ts', 'test/unit/dial.test.ts', 'test/api/webhooks.test.ts'],
    [
      ['PAUSES_MS[attempts - 1]', 'PAUSES_MS[attempts]', 'the first retry takes minutes'],
      [
        'Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)',
        'retryAfterMs ?? 0',
        'a receiver can put us off for years',
      ],
      ["failingMs >= DISABLE_AFTER_MS ? 'disable'", "failingMs >= DAY ? 'disable'", 'an endpoint is disabled early'],
    ],
  ),
  group(
    'src/delivery/webhooks/send.ts',
    ['test/unit/webhook-signing.test.ts', 'test/unit/dial.test.ts', 'test/api/webhooks.test.ts'],
    [
      ['if (problem) return Promise.resolve', 'if (!sending) return Promise.resolve', 'an inside address is called'],
      ["agent: url.protocol === 'https:' ? agents.https : agents.http,", '', 'a name that leads inside is followed'],
    ],
  ),
  group(
    'src/delivery/webhooks/signing.ts',
    ['test/unit/webhook-signing.test.ts', 'test/unit/dial.test.ts', 'test/api/webhooks.test.ts'],
    [
      ['${id}.${timestampSeconds}.${body}', '${id}.${body}', 'an old delivery can be played again'],
      ['new Date(expires_at) > now', 'new Date(expires_at) < now', 'an old secret signs on'],
      ['secret.slice(PREFIX.length)', 'secret', 'no receiver can verify'],
    ],
  ),
  group(
    'src/delivery/shares/shares.ts',
    ['test/api/shares.test.ts'],
    [
      ['requireScope(caller, scope);', '', 'a link to what its maker may not read'],
      ["if (body.include_owners) requireScope(caller, 'owners:read');", '', 'names without the scope'],
      ['await request.holdUnits(units);', '', 'links are free'],
      ["expires_at <= now ? ('expired' as const)", "expires_at < now ? ('expired' as const)", 'a link lasts too long'],
      [" || share.account_status !== 'active'", '', 'a suspended account still shows pages'],
      ['(await isOwnerSuppressed(deps, share.subject))', 'false', 'a suppressed name is shown'],
    ],
  ),
  group(
    'src/delivery/digests/digests.ts',
    ['test/api/digests.test.ts'],
    [
      ['if (reader.told[name] === line) return [];', '', 'an area is told every week'],
      ['lists.filter(mayRead)', 'lists', 'a list by owners in the digest of a viewer'],
      ['|| lines.length === 0) return;', ') return;', 'an email with nothing to say'],
    ],
  ),
  group(
    'src/delivery/webhooks/slack.ts',
    ['test/api/webhooks.test.ts'],
    [[".replaceAll('<', '&lt;')", '', 'data can call a whole channel']],
  ),
];
