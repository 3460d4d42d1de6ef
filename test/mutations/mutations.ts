// The ways in which the program is broken on purpose, one line each, file by file, with the tests that should notice.
// `breaks` says what a customer would see. A `find` occurs exactly once in its file (test/repo/mutations.test.ts).

export interface Mutation {
  find: string;
  replace: string;
  breaks: string;
}

export interface Group {
  file: string;
  /** Nearest first: the rest is run only if these pass. */
  tests: string[];
  mutations: Mutation[];
}

const BILLING = ['test/unit/billing.test.ts', 'test/api/billing.test.ts'];
const USAGE = ['test/api/usage.test.ts'];
const KEYS = ['test/api/keys.test.ts'];
const ADDRESS = ['test/unit/address-resolving.test.ts', 'test/unit/address-reading.test.ts'];
const VALUATION = ['test/unit/valuation.test.ts'];
const WEBHOOKS = ['test/unit/webhook-signing.test.ts', 'test/unit/dial.test.ts', 'test/api/webhooks.test.ts'];

export const GROUPS: Group[] = [
  {
    file: 'src/operate/counties/routes.ts',
    tests: ['test/api/counties.test.ts'],
    mutations: [
      {
        find: 'if (signedIn?.user.operator_since) return;',
        replace: 'if (signedIn) return;',
        breaks: 'any customer can bring in counties',
      },
    ],
  },
  {
    file: 'src/operate/counties/counties.ts',
    tests: ['test/api/counties.test.ts'],
    mutations: [
      {
        find: 'if (offset !== draft.received_bytes)',
        replace: 'if (offset > draft.received_bytes)',
        breaks: 'a part that is sent twice overwrites the file',
      },
      {
        find: 'version !== draft.recipe_version)',
        replace: 'version < 0)',
        breaks: 'two operators overwrite each other',
      },
      {
        find: "if (kind === 'load' && !(await",
        replace: 'if (!kind && !(await',
        breaks: 'a recipe that nobody has previewed is loaded',
      },
    ],
  },
  {
    file: 'src/operate/counties/recipe.ts',
    tests: ['test/api/counties.test.ts'],
    mutations: [
      {
        find: "!/[/\\\\\\0]/.test(path) && !path.startsWith('.')",
        replace: "!path.startsWith('.')",
        breaks: 'a recipe reads any file of the server',
      },
    ],
  },
  {
    file: 'src/base/lib/shares.ts',
    tests: BILLING,
    mutations: [
      { find: 'BigInt(part) + BigInt(whole)', replace: 'BigInt(part)', breaks: 'half a cent is rounded down' },
      { find: '? floor - 1n : floor', replace: '? floor : floor', breaks: 'money given back does not add up' },
      {
        find: 'return upTo(part.end) - upTo(part.start)',
        replace: 'return upTo(part.end)',
        breaks: 'a part costs the whole',
      },
      { find: 'given += share', replace: 'given += 0', breaks: 'shares add up to more than the total' },
      { find: 'if (whole === 0)', replace: 'if (whole === 1)', breaks: 'a split over nothing divides by zero' },
    ],
  },
  {
    file: 'src/customers/billing/money.ts',
    tests: BILLING,
    mutations: [
      { find: '100 - ANNUAL_DISCOUNT_PERCENT', replace: '100', breaks: 'a year has no discount' },
      { find: 'monthly * 12', replace: 'monthly * 11', breaks: 'a year has eleven months' },
    ],
  },
  {
    file: 'src/customers/billing/lines.ts',
    tests: BILLING,
    mutations: [
      {
        find: 'if (quantity === 0) return []',
        replace: 'if (quantity < 0) return []',
        breaks: 'a line of zero units',
      },
      {
        find: 'unitCents: -part(before)',
        replace: 'unitCents: part(before)',
        breaks: 'unused time is charged, not given back',
      },
      { find: 'unitCents: -amountCents', replace: 'unitCents: amountCents', breaks: 'a credit raises the invoice' },
      { find: 'each.amount_cents !== 0', replace: 'each.amount_cents > 0', breaks: 'unused time is never given back' },
      { find: 'amount_cents: quantity * unitCents', replace: 'amount_cents: unitCents', breaks: 'one unit is charged' },
      {
        find: 'const unitCents = -prorate(',
        replace: 'const unitCents = prorate(',
        breaks: 'a term that ends early costs more',
      },
      {
        find: 'roundedShare(baseCents, ratePpm, PPM)',
        replace: 'Math.floor((baseCents * ratePpm) / PPM)',
        breaks: 'tax is rounded down',
      },
    ],
  },
  {
    file: 'src/customers/usage/rating.ts',
    tests: BILLING,
    mutations: [
      { find: 'Math.max(0, entitled - covered)', replace: 'entitled', breaks: 'an upgrade gives the allowance twice' },
      {
        find: 'covered += stretch.used - overageUnits',
        replace: 'covered += stretch.used',
        breaks: 'overage that was paid for is covered again',
      },
      {
        find: 'Math.max(0, stretch.used - included)',
        replace: 'stretch.used',
        breaks: 'the allowance is charged, too',
      },
      {
        find: 'passed += prorate(allowance, month, stretch)',
        replace: 'passed += 0',
        breaks: 'the plan before an upgrade allowed nothing',
      },
      {
        find: ': before + last.included',
        replace: ': last.included',
        breaks: 'an upgrade is capped by what was used before it',
      },
    ],
  },
  {
    file: 'src/customers/billing/closing.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      { find: 'await closeDue(books);', replace: '', breaks: 'a change of plan rates the month before it' },
      {
        find: 'lines.push(...(await closeUsage(books, period)));',
        replace: 'await closeUsage(books, period);',
        breaks: 'usage that is booked late is free',
      },
      {
        find: "if (subscription.status === 'canceled') return correctInvoices(books);",
        replace: '',
        breaks: 'work under way at the end of a plan is free',
      },
      {
        find: 'if (now < end) return false',
        replace: 'if (now > end) return false',
        breaks: 'a trial ends on day one',
      },
      {
        find: "...overageLines(month, 'avm', avm, billed)",
        replace: '',
        breaks: 'valuations beyond the allowance are free',
      },
      { find: 'term_end! <= month.end', replace: 'term_end! < month.end', breaks: 'a term never ends' },
      { find: "=== 'year' ? 12 : 1", replace: "=== 'year' ? 1 : 1", breaks: 'a year is renewed for a month' },
      { find: 'if (fee) lines.push(fee)', replace: 'if (!fee) lines.push(fee!)', breaks: 'a renewal costs nothing' },
      { find: 'subscription.cancels_at_end || ', replace: '', breaks: 'a canceled plan goes on' },
      {
        find: 'if (await sql.lockPlanInvoice(client, account.id)) return false;',
        replace: '',
        breaks: 'a month closes before its upgrade is decided',
      },
    ],
  },
  {
    file: 'src/customers/billing/invoices.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      {
        find: 'Math.min(balance, subtotal + taxCents)',
        replace: 'Math.min(0, subtotal + taxCents)',
        breaks: 'credit is never used',
      },
      { find: 'amountCents: -credit', replace: 'amountCents: 0', breaks: 'credit is used again and again' },
      {
        find: 'subscription.invoice_count += 1',
        replace: 'subscription.invoice_count += 2',
        breaks: 'numbers have gaps',
      },
      { find: 'subtotal + taxCents - credit', replace: 'subtotal - credit', breaks: 'tax is shown but not charged' },
      {
        find: 'if (invoice.credit_cents === 0) return;',
        replace: 'if (invoice.credit_cents > 0) return;',
        breaks: 'a void invoice keeps the credit it took',
      },
    ],
  },
  {
    file: 'src/customers/billing/payments.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      {
        find: 'RETRY_DAYS = [1, 3, 5, 7]',
        replace: 'RETRY_DAYS = [1, 3, 5, 6]',
        breaks: 'the last try is a day early',
      },
      {
        find: 'if (underWay) return { invoice, payment: underWay, customerRef };',
        replace: '',
        breaks: 'a lost answer is paid twice',
      },
      {
        find: "account.status === 'suspended' && account.suspended_for === 'unpaid'",
        replace: "account.status === 'closed'",
        breaks: 'paying does not mend a suspended account',
      },
      { find: "&& account.suspended_for === 'unpaid'", replace: '', breaks: 'paying lifts an operator’s suspension' },
      {
        find: 'if (isFinal) return undefined',
        replace: 'if (!payment) return undefined',
        breaks: 'a payment is settled twice',
      },
      {
        find: 'await keepAsCredit(books, invoice, payment.amount_cents)',
        replace: '',
        breaks: 'money for a void invoice is kept by us',
      },
      {
        find: 'if (invoice.applies) return voidInvoice(books, invoice)',
        replace: '',
        breaks: 'a plan that was declined is dunned',
      },
    ],
  },
  {
    file: 'src/customers/billing/credit-notes.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      {
        find: 'amountCents > left',
        replace: 'amountCents > invoice.subtotal_cents',
        breaks: 'more is credited than was invoiced',
      },
    ],
  },
  {
    file: 'src/customers/billing/refunds.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      {
        find: 'payment.amount_cents - sent',
        replace: 'payment.amount_cents',
        breaks: 'more is refunded than was paid',
      },
      {
        find: 'idempotencyKey: refund.id',
        replace: "idempotencyKey: randomId('ref')",
        breaks: 'a refund is sent twice',
      },
    ],
  },
  {
    file: 'src/customers/billing/plan-changes.ts',
    tests: ['test/api/billing.test.ts'],
    mutations: [
      {
        find: 'if (!subscription.card) fail',
        replace: 'if (!subscription) fail',
        breaks: 'a plan begins without a card',
      },
      { find: 'isUp && now < term.end', replace: 'isUp && now > term.end', breaks: 'a higher plan waits' },
      { find: 'cancels_at_end: !isTrial }', replace: 'cancels_at_end: isTrial }', breaks: 'canceling does not cancel' },
      { find: "if (plan === 'trial') fail", replace: 'if (!plan) fail', breaks: 'a trial is had twice' },
      { find: 'if (debt) fail', replace: 'if (!books) fail', breaks: 'a debtor chooses a new plan' },
    ],
  },
  {
    file: 'src/customers/usage/periods.ts',
    tests: ['test/unit/billing.test.ts'],
    mutations: [
      {
        find: 'Math.min(anchor.getUTCDate(), lastDay)',
        replace: 'anchor.getUTCDate()',
        breaks: 'the 31st skips a month',
      },
      {
        find: 'addMonths(anchor, months) > at',
        replace: 'addMonths(anchor, months) >= at',
        breaks: 'a boundary belongs to the month before',
      },
    ],
  },
  {
    file: 'src/edge/gate/metering.ts',
    tests: USAGE,
    mutations: [
      { find: 'status < 300', replace: 'status < 400', breaks: 'a redirect is charged' },
      { find: "request.caller?.key.mode === 'live' &&", replace: '', breaks: 'the sandbox is charged' },
      { find: 'request.usageUnits > 0 &&', replace: '', breaks: 'an answer of no units is booked' },
      {
        find: 'isSent ? reply.statusCode : 499);',
        replace: 'reply.statusCode);',
        breaks: 'a caller who hung up is charged',
      },
      {
        find: 'request.isRecorded = true',
        replace: 'request.isRecorded = false',
        breaks: 'a call is written down twice',
      },
    ],
  },
  {
    file: 'src/edge/gate/limits.ts',
    tests: [...USAGE, 'test/unit/limits.test.ts'],
    mutations: [
      {
        find: "if (key.mode === 'live' && meter !== 'none') refuseUnpaid",
        replace: "if (meter === 'none') refuseUnpaid",
        breaks: 'an ended trial goes on',
      },
      {
        find: 'b.remaining < a.remaining',
        replace: 'b.remaining > a.remaining',
        breaks: 'headers show the wider limit',
      },
    ],
  },
  {
    file: 'src/customers/usage/admission.ts',
    tests: USAGE,
    mutations: [
      {
        find: 'second < block.untilSecond',
        replace: 'second <= block.untilSecond',
        breaks: 'a caller waits a second too long',
      },
      { find: 'block.limit === limit && second', replace: 'second', breaks: 'a raised limit is not noticed' },
      { find: 'Math.max(0, limit - used)', replace: 'Math.max(0, limit - used - 1)', breaks: 'headers are off by one' },
      { find: 'null ? null : key.first_id', replace: 'null ? null : key.id', breaks: 'rotating resets the hour' },
      {
        find: 'isLive ? terms.rateLimitPerHour : terms.sandboxRateLimitPerHour',
        replace: 'terms.rateLimitPerHour',
        breaks: 'the sandbox has the plan’s limit',
      },
      { find: '? key.spend_cap_cents : null', replace: '? null : null', breaks: 'a spend cap caps nothing' },
    ],
  },
  {
    file: 'src/customers/usage/booking.ts',
    tests: [...USAGE, 'test/api/billing.test.ts'],
    mutations: [
      {
        find: 'if (charged.has(hold.id)) move.spent += cents',
        replace: 'move.spent += cents',
        breaks: 'a failed call uses up the cap',
      },
      {
        find: 'percent <= counter.alerted_percent',
        replace: 'percent < counter.alerted_percent',
        breaks: 'the same alert again',
      },
      {
        find: 'counter.used * 100 >= included * step',
        replace: 'counter.used * 100 > included * step',
        breaks: 'an alert comes one call late',
      },
      {
        find: 'sum.units += row.units',
        replace: 'sum.units = row.units',
        breaks: 'calls booked together count as one',
      },
    ],
  },
  {
    file: 'src/customers/usage/usage.ts',
    tests: [...USAGE, 'test/api/batches.test.ts'],
    mutations: [
      { find: 'allowance - used - reserved', replace: 'allowance - used', breaks: 'held units are shown as left' },
      {
        find: 'if (usagePeriod(account, now).end <= now)',
        replace: 'if (usagePeriod(account, now).end < now)',
        breaks: 'a trial lasts a moment longer',
      },
      {
        find: 'hold.units < units[meter]',
        replace: 'hold.units > units[meter]',
        breaks: 'a hold cannot be settled in parts',
      },
      {
        find: 'Math.min(hold.overage_units, left)',
        replace: 'hold.overage_units',
        breaks: 'a batch’s overage is never spent',
      },
    ],
  },
  {
    file: 'src/customers/accounts/key-format.ts',
    tests: KEYS,
    mutations: [
      {
        find: 'return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)',
        replace: 'return true',
        breaks: 'a typo reaches the database',
      },
    ],
  },
  {
    file: 'src/customers/accounts/allowed-ips.ts',
    tests: KEYS,
    mutations: [
      {
        find: 'if (allowed.length === 0) return true',
        replace: 'if (allowed.length > 0) return true',
        breaks: 'an allow-list allows everybody',
      },
      { find: '(version === 4 ? 32 : 128)', replace: '128', breaks: 'a block that is none is taken' },
    ],
  },
  {
    file: 'src/customers/accounts/accounts.ts',
    tests: [...KEYS, 'test/api/event-causes.test.ts'],
    mutations: [
      {
        find: 'key.expires_at !== null && key.expires_at <= now',
        replace: 'key.expires_at !== null && key.expires_at < now',
        breaks: 'a key outlives its last moment',
      },
      {
        find: 'old.expires_at < overlapEnd ? old.expires_at : overlapEnd',
        replace: 'old.expires_at < overlapEnd ? overlapEnd : overlapEnd',
        breaks: 'rotating prolongs a key',
      },
      { find: 'if (old.replaced_by) fail', replace: 'if (!old) fail', breaks: 'a key has two successors' },
      { find: "'live', now)) <= 1 &&", replace: "'live', now)) <= 0 &&", breaks: 'the last live key can be revoked' },
      {
        find: "if (key.revoked_at) fail('invalid_state'",
        replace: "if (!key) fail('invalid_state'",
        breaks: 'a revoked key can be changed',
      },
      {
        find: 'if (isExpired(old, now)) fail',
        replace: 'if (!old) fail',
        breaks: 'an expired key comes back by rotating',
      },
      {
        find: 'scopes: options.scopes ?? DEFAULT_SCOPES',
        replace: 'scopes: options.scopes ?? []',
        breaks: 'a new key can do nothing',
      },
      { find: 'EXPIRY_NOTICE_MS = 7 *', replace: 'EXPIRY_NOTICE_MS = 1 *', breaks: 'an expiry is told too late' },
    ],
  },
  {
    file: 'src/customers/accounts/scopes.ts',
    tests: KEYS,
    mutations: [
      { find: '!/^(keys|billing):/.test(scope)', replace: 'scope.length > 0', breaks: 'a new key can make keys' },
    ],
  },
  {
    file: 'src/edge/gate/idempotency.ts',
    tests: ['test/api/idempotency.test.ts'],
    mutations: [
      { find: '!earlier.digest.equals(digest)', replace: 'false', breaks: 'an idempotency key hides another request' },
      { find: 'request.usageUnits = 0;', replace: '', breaks: 'a repetition is charged' },
      {
        find: 'if (status >= 500) await sql.endClaim(deps.control, holder, claimedUntil);',
        replace: 'if (status >= 500) return payload;',
        breaks: 'a failure of ours holds the key',
      },
    ],
  },
  {
    file: 'src/edge/gate/auth.ts',
    tests: KEYS,
    mutations: [
      { find: 'if (key.revoked_at) fail', replace: 'if (!key) fail', breaks: 'a revoked key goes on' },
      {
        find: '!scope || key.scopes.includes(scope)',
        replace: '!scope || key.scopes.length > 0',
        breaks: 'any scope opens every door',
      },
      { find: 'if (isExpired(key, now)) {', replace: 'if (!key) {', breaks: 'an expired key goes on' },
      {
        find: 'if (!isAllowedIp(request.ip, key.allowed_ips)) {',
        replace: 'if (!key) {',
        breaks: 'an allow-list is not asked',
      },
    ],
  },
  {
    file: 'src/records/address/match/decide.ts',
    tests: ADDRESS,
    mutations: [
      {
        find: "if (has('unit_missing') && !isOneProperty) return ambiguous('unit_required');",
        replace: '',
        breaks: 'one apartment on file is taken for the building',
      },
      {
        find: "if (has('number_letter_missing') && !isOneProperty) return unresolved('number_letter_required');",
        replace: '',
        breaks: '1342 is taken for 1342B',
      },
      {
        find: "if (has('direction_extra')) return unresolved('direction_not_in_record');",
        replace: '',
        breaks: '12 N Elm is taken for 12 Elm',
      },
      {
        find: 'top.weight > MAX_WEIGHT || isTooWeak(top)',
        replace: 'top.weight > MAX_WEIGHT',
        breaks: 'two weak signs make a match',
      },
      {
        find: 'top.edits > 0 && verdicts.get(top)?.hasRival',
        replace: 'top.edits > 9 && verdicts.get(top)?.hasRival',
        breaks: 'one of two like names is guessed',
      },
      {
        find: '!top.reading.zip && !top.reading.city',
        replace: 'top.reading.zip && !top.reading.zip',
        breaks: 'an address without a place matches',
      },
      {
        find: "top.edits > 0 && policy === 'strict'",
        replace: "top.edits > 9 && policy === 'strict'",
        breaks: 'strict corrects spelling',
      },
      {
        find: 'each.weight - top.weight < TIE',
        replace: 'each.weight - top.weight < 0',
        breaks: 'a tie is decided by chance',
      },
      {
        find: "has('unit_not_in_record') && hasOtherUnits(comparisons, top)",
        replace: "has('unit_not_in_record') && false",
        breaks: 'a unit that is not on file is dropped',
      },
      {
        find: 'weigh(each) - weigh(top) < TIE',
        replace: 'each.weight - top.weight < TIE',
        breaks: 'a range on the other side of town is overlooked',
      },
      {
        find: "if (has('zip_differs') && isInexact) return ambiguous('zip_and_city_disagree');",
        replace: '',
        breaks: 'a wrong ZIP and half a street match',
      },
      {
        find: "return ambiguous('zip_and_city_disagree');\n  }",
        replace: '}',
        breaks: 'ZIP and city name two homes, one is guessed',
      },
      { find: '!verdicts.get(each)?.vetoed', replace: 'true', breaks: 'a real street is taken for a slip' },
      {
        find: 'comparison.weight < before.weight',
        replace: 'comparison.weight > before.weight',
        breaks: 'the more doubtful reading of a door wins',
      },
    ],
  },
  {
    file: 'src/records/address/match/vetoes.ts',
    tests: ADDRESS,
    mutations: [
      {
        find: 'realNames.has(reading.street.name) || isAnotherName',
        replace: 'isAnotherName',
        breaks: 'a street of the next town is a slip',
      },
      {
        find: 'realNames.has(reading.street.name) || isAnotherName',
        replace: 'realNames.has(reading.street.name) && isAnotherName',
        breaks: 'a common name is a slip',
      },
      {
        find: 'words.length > 1 && words.every((word) => isStreetName(word))',
        replace: 'false',
        breaks: 'Lovers Lake is a slip for Lovers Lane',
      },
      {
        find: 'asTyped >= MIN_RECORDS',
        replace: 'asTyped >= MIN_RECORDS * 9',
        breaks: '13 Meadow Ln is 13 W Meadow Ln',
      },
      {
        find: 'asTyped === 0 ? hasOther : isBareReal',
        replace: 'asTyped === 0 ? false : isBareReal',
        breaks: 'Elm Ct is taken for Elm',
      },
      { find: 'bare >= MIN_RECORDS &&', replace: 'bare >= 0 &&', breaks: 'one slip in a file makes a street' },
      {
        find: "if (street.suffix === '') return isBareReal",
        replace: "if (street.suffix === '') return false",
        breaks: 'Broadway is Broadway Ter',
      },
      {
        find: 'editDistance(street.name, reading.street.name, edits) <= edits',
        replace: 'editDistance(street.name, reading.street.name, edits) < edits',
        breaks: 'a name as near is no rival',
      },
    ],
  },
  {
    file: 'src/records/address/parse/numbers.ts',
    tests: ADDRESS,
    mutations: [
      { find: '(asked.low - record.low) % stepOf(record) === 0', replace: 'true', breaks: '105 lies in 100-108' },
      { find: 'gap > 0 && gap <= maxGap', replace: 'gap > 0', breaks: '92-10 of Queens is a range' },
      { find: 'asked.high <= record.high &&', replace: '', breaks: 'a number past the range is in it' },
      {
        find: 'gap % 2 === 1 ? MAX_GAP_OF_BOTH_SIDES',
        replace: 'gap % 2 === 1 ? MAX_GAP',
        breaks: '11-24 is fourteen houses',
      },
    ],
  },
  {
    file: 'src/records/address/parse/units.ts',
    tests: ADDRESS,
    mutations: [
      { find: ".replace(/^([A-Z]*)0+(?=\\d)/, '$1')", replace: '', breaks: 'APT 03 is not APT 3' },
      { find: ".replace(/(?<!\\d)-|-(?!\\d)/g, '')", replace: '', breaks: '2-B is not 2B' },
      {
        find: 'UNITS_WITH_MEANING.has(standard) && !value',
        replace: 'UNITS_WITH_MEANING.has(value) && !value',
        breaks: 'floor 2 is apartment 2',
      },
    ],
  },
  {
    file: 'src/insight/avm/interval.ts',
    tests: VALUATION,
    mutations: [
      {
        find: '(probability * (n + 1) - 1) / (n - 1)',
        replace: '(probability * n - 1) / (n - 1)',
        breaks: 'intervals are too low',
      },
      { find: 'at(misses / 2)', replace: 'at(misses)', breaks: 'intervals are too narrow below' },
      { find: 'Math.min(0, sigma * low)', replace: 'sigma * low', breaks: 'an interval may lie above its estimate' },
      {
        find: 'knownDay[end - 1] >= day',
        replace: 'knownDay[end - 1] > day',
        breaks: 'a sale of the day itself is known',
      },
      {
        find: 'Math.max(1, calibration.minSigma / (sigma * middleOf(kind)))',
        replace: '1',
        breaks: 'a valuation is surer than any known one',
      },
      { find: 'fsd <= HIGH_FSD ?', replace: 'fsd < HIGH_FSD ?', breaks: 'the edge of a label moves' },
      {
        find: 'score[k] /= score[k] < 0 ? own.low : own.high',
        replace: 'score[k] /= 1',
        breaks: 'kinds of homes are not told apart',
      },
      { find: 'count < MIN_SCORES', replace: 'count < 0', breaks: 'an interval from no sales' },
    ],
  },
  {
    file: 'src/insight/avm/price-growth.ts',
    tests: VALUATION,
    mutations: [
      {
        find: 'const end = lowerBound(knownDay, day)',
        replace: 'const end = lowerBound(knownDay, day + 1)',
        breaks: 'a value knows sales of its own day',
      },
      { find: 'return middle - slope * meanX', replace: 'return middle', breaks: 'a rising market is lagged behind' },
      { find: 'if (count < options.minSales) return 0', replace: '', breaks: 'one sale moves a market' },
    ],
  },
  {
    file: 'src/base/math/quantiles.ts',
    tests: VALUATION,
    mutations: [
      {
        find: 'running >= total * share',
        replace: 'running > total * share',
        breaks: 'a weighted median is one too high',
      },
    ],
  },
  {
    file: 'src/insight/avm/price-growth.ts',
    tests: VALUATION,
    mutations: [
      { find: 'if (at >= last) return', replace: 'if (at > last + 9) return', breaks: 'no index after its last month' },
    ],
  },
  {
    file: 'src/records/properties/search.ts',
    tests: ['test/api/search.test.ts'],
    mutations: [
      {
        find: 'within >= wanted || ring === radiusMiles',
        replace: 'found.length >= wanted || ring === radiusMiles',
        breaks: 'a nearer home in the next cell is missed',
      },
      {
        find: 'miles === afterMiles && id > afterId',
        replace: 'miles === afterMiles && id >= afterId',
        breaks: 'a home is on two pages',
      },
    ],
  },
  {
    file: 'src/base/lib/cursors.ts',
    tests: ['test/api/search.test.ts'],
    mutations: [
      {
        find: '|| !isSameBytes(signature, bytes.subarray(0, SIGNATURE_BYTES))',
        replace: '',
        breaks: 'a cursor can be forged',
      },
      {
        find: 'if (!isSameBytes(digestOf(query), body.subarray(0, QUERY_BYTES))) {',
        replace: 'if (body.length === 0) {',
        breaks: 'a cursor of another query is misread',
      },
    ],
  },
  {
    file: 'src/base/lib/pages.ts',
    tests: KEYS,
    mutations: [
      {
        find: 'const hasMore = found.length > limit',
        replace: 'const hasMore = found.length >= limit',
        breaks: 'a last page promises another',
      },
      { find: 'positionOf(rows[limit - 1])', replace: 'positionOf(found[limit])', breaks: 'pages leave rows out' },
    ],
  },
  {
    file: 'src/delivery/changes/changes.ts',
    tests: ['test/api/changes.test.ts'],
    mutations: [
      {
        find: 'now - Number(issuedAt) > KEPT_MS',
        replace: 'now - Number(issuedAt) > 9 * KEPT_MS',
        breaks: 'an old cursor skips what is gone',
      },
      {
        find: 'query.mayReadOwners && !suppressed.has(row.property_id)',
        replace: 'query.mayReadOwners',
        breaks: 'a suppressed name is shown',
      },
      {
        find: 'const showsPeople = query.mayReadOwners && ',
        replace: 'const showsPeople = ',
        breaks: 'names without the scope',
      },
      { find: 'rows.filter((row) => kinds.includes(row.kind))', replace: 'rows', breaks: 'kinds are not filtered' },
      {
        find: 'if (last) position = { epoch: start.epoch, xid: last.xid, seq: last.seq };',
        replace: '',
        breaks: 'a cursor stands still before what is not shown',
      },
      {
        find: 'identityOf(query);',
        replace: 'identityOf({ ...query, kinds: undefined });',
        breaks: 'a cursor goes on under other kinds',
      },
    ],
  },
  {
    file: 'src/delivery/changes/positions.ts',
    tests: ['test/api/restored-feed.test.ts'],
    mutations: [
      {
        find: ' || (xid === surviving && seq > 0)',
        replace: '',
        breaks: 'a cursor goes on past a transaction that was lost',
      },
      {
        find: 'known === present ? (await sql.readEnd(data)).xid : known.completeBelow',
        replace: '(await sql.readEnd(data)).xid',
        breaks: 'a cursor from after the backup goes on as if nothing was lost',
      },
    ],
  },
  {
    file: 'src/operate/backup/seal.ts',
    tests: ['test/unit/backup.test.ts'],
    mutations: [
      {
        find: 'if (await reader.take(1)) throw new CommandError(CHANGED);',
        replace: '',
        breaks: 'what was added to a backup goes unnoticed',
      },
      {
        find: 'place.writeBigUInt64BE(BigInt(index));',
        replace: '',
        breaks: 'the frames of a backup can be exchanged',
      },
      {
        find: 'place[8] = isLast ? 1 : 0;',
        replace: '',
        breaks: 'a backup can be cut at a frame',
      },
    ],
  },
  {
    file: 'src/base/db/epochs.ts',
    tests: ['test/api/restored-feed.test.ts'],
    mutations: [
      {
        find: 'if (!isNumberedOn) await shiftTransactions(client);',
        replace: '',
        breaks: 'changes of a restored database come before those it was restored with',
      },
      {
        find: '    await skipSequences(client);\n',
        replace: '',
        breaks: 'a new change has the id of a lost one',
      },
    ],
  },
  {
    file: 'src/delivery/changes/sql.ts',
    tests: ['test/api/changes.test.ts'],
    mutations: [
      {
        find: '$2::bigint) and xid < ${FINAL_BELOW}',
        replace: '$2::bigint)',
        breaks: 'a late transaction is passed over',
      },
      {
        find: '(xid, seq) > ($1::xid8, $2::bigint) and xid < ${FINAL',
        replace: '(xid, seq) >= ($1::xid8, $2::bigint) and xid < ${FINAL',
        breaks: 'a change comes twice',
      },
    ],
  },
  {
    file: 'src/delivery/batches/batches.ts',
    tests: ['test/api/batches.test.ts'],
    mutations: [
      {
        find: 'if (!finished) return;\n  if (finished.hold_id !== null) await releaseUnits(client, finished.hold_id);',
        replace: 'if (!finished) return;',
        breaks: 'a finished batch keeps its hold',
      },
      {
        find: 'if (batch.hold_id !== null && !(await sql.hasPendingItems(client, batch.id)))',
        replace: 'if (!batch)',
        breaks: 'a canceled batch keeps its hold',
      },
      {
        find: 'await settleUnits(client, batch.hold_id, { standard, avm }, what);',
        replace: '',
        breaks: 'a batch is free',
      },
      { find: 'standard: isCalled ? items.length : 0', replace: 'standard: 0', breaks: 'a batch holds nothing' },
      {
        find: 'counted.succeeded + counted.failed === counted.total',
        replace: 'counted.succeeded === counted.total',
        breaks: 'a batch with a failure never ends',
      },
      {
        find: 'MAX_AGE_MS = 24 * HOUR_MS',
        replace: 'MAX_AGE_MS = 48 * HOUR_MS',
        breaks: 'a stuck batch expires a day late',
      },
    ],
  },
  {
    file: 'src/delivery/webhooks/signing.ts',
    tests: WEBHOOKS,
    mutations: [
      {
        find: '${id}.${timestampSeconds}.${body}',
        replace: '${id}.${body}',
        breaks: 'an old delivery can be played again',
      },
      { find: 'new Date(expires_at) > now', replace: 'new Date(expires_at) < now', breaks: 'an old secret signs on' },
      { find: 'secret.slice(PREFIX.length)', replace: 'secret', breaks: 'no receiver can verify' },
    ],
  },
  {
    file: 'src/delivery/webhooks/retries.ts',
    tests: WEBHOOKS,
    mutations: [
      { find: 'PAUSES_MS[attempts - 1]', replace: 'PAUSES_MS[attempts]', breaks: 'the first retry takes minutes' },
      {
        find: 'Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)',
        replace: 'retryAfterMs ?? 0',
        breaks: 'a receiver can put us off for years',
      },
      {
        find: "failingMs >= DISABLE_AFTER_MS ? 'disable'",
        replace: "failingMs >= DAY ? 'disable'",
        breaks: 'an endpoint is disabled early',
      },
    ],
  },
  {
    file: 'src/delivery/webhooks/send.ts',
    tests: WEBHOOKS,
    mutations: [
      {
        find: 'if (problem) return Promise.resolve',
        replace: 'if (!sending) return Promise.resolve',
        breaks: 'an inside address is called',
      },
      {
        find: "agent: url.protocol === 'https:' ? agents.https : agents.http,",
        replace: '',
        breaks: 'a name that leads inside is followed',
      },
    ],
  },
  {
    file: 'src/delivery/webhooks/deliveries.ts',
    tests: ['test/api/webhooks.test.ts'],
    mutations: [
      { find: 'sent.status < 300', replace: 'sent.status < 400', breaks: 'a redirect counts as delivered' },
      { find: 'sent.status === 410', replace: 'sent.status === 411', breaks: 'a receiver that is gone is called on' },
      { find: 'failing_since: null, warnings: 0', replace: 'warnings: 0', breaks: 'a success does not start anew' },
    ],
  },
  {
    file: 'src/base/lib/dial.ts',
    tests: WEBHOOKS,
    mutations: [
      {
        find: "return allow === 'any' || isPublicIp(ip)",
        replace: "return allow === 'any' || !isLoopback(ip)",
        breaks: 'private networks can be reached',
      },
      { find: "'must have a public host name'", replace: 'undefined', breaks: 'inside names are taken' },
      {
        find: 'if (isIP(host) === 0 || mayDial(host, allow)) return connect',
        replace: 'if (isIP(host) >= 0 || mayDial(host, allow)) return connect',
        breaks: 'an IP in the URL is dialed unchecked',
      },
      {
        find: 'if (!PORTS.has(url.port)) return',
        replace: 'if (PORTS.size === 0) return',
        breaks: 'any port can be called',
      },
    ],
  },
  {
    file: 'src/delivery/reports/loan.ts',
    tests: ['test/unit/reports.test.ts', 'test/api/reports.test.ts'],
    mutations: [
      {
        find: "loan.purpose === 'purchase' || loan.purpose === 'refinance'",
        replace: "loan.purpose === 'purchase'",
        breaks: 'a refinanced mortgage is counted twice',
      },
      {
        find: 'low: Math.min(confidence_interval.low, price)',
        replace: 'low: Math.min(estimated_value, price)',
        breaks: 'loan to the low end is loan to value',
      },
      {
        find: 'loan.amount + existing.balance + otherLiens',
        replace: 'loan.amount + existing.balance',
        breaks: 'other liens are left out of the combined figure',
      },
    ],
  },
  {
    file: 'src/delivery/reports/decide.ts',
    tests: ['test/api/reports.test.ts'],
    mutations: [
      {
        find: "applies === undefined ? 'refer'",
        replace: "applies === undefined ? 'pass'",
        breaks: 'what is not known passes',
      },
      {
        find: "has('decline') ? 'decline' : has('refer')",
        replace: "has('refer') ? 'refer' : has('refer')",
        breaks: 'a declined file is referred',
      },
    ],
  },
  {
    file: 'src/delivery/reports/reports.ts',
    tests: ['test/api/reports.test.ts'],
    mutations: [
      {
        find: 'reader.mayReadOwners && !(await isOwnerSuppressed(deps, row.property_id))',
        replace: 'reader.mayReadOwners',
        breaks: 'an owner who asked not to be shown is named in a stored report',
      },
    ],
  },
];
