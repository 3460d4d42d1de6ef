// Ways to break accounts, money and people.
import { group, type Group } from './group.ts';

export const CUSTOMERS: Group[] = [
  group(
    'src/customers/oauth/grants.ts',
    ['test/api/oauth.test.ts'],
    [
      ['if (interaction.uid !== uid) gone();', '', 'consent is given to another request than the one shown'],
      ['given.includes(name) && SCOPES_OF_ROLE', 'SCOPES_OF_ROLE', 'a token has scopes that were not given'],
    ],
  ),
  group(
    'src/customers/clocks/clocks.ts',
    ['test/api/test-clocks.test.ts'],
    [
      ['await runBilling(then, bank, clock.id);', '', 'a test clock closes no months'],
      [
        'month_start).end.getTime() + GRACE_MS',
        'month_start).end.getTime()',
        'months are closed on the next stop only',
      ],
      ['if (parent.clock_at) fail(', 'if (!parent) fail(', 'a test clock has test clocks'],
    ],
  ),
  group(
    'src/customers/clocks/sql.ts',
    ['test/api/test-clocks.test.ts'],
    [['where a.id = ${id} and a.parent_id = ${parentId}', 'where a.id = ${id}', 'anyone can move a test clock']],
  ),
  group(
    'src/customers/oauth/provider.ts',
    ['test/api/oauth.test.ts'],
    [
      ['pkce: { required: () => true }', 'pkce: { required: () => false }', 'a stolen code works without a verifier'],
      ["metadata.application_type = 'native'", "metadata.application_type = 'web'", 'codes are sent over plain HTTP'],
      ['rotateRefreshToken: true', 'rotateRefreshToken: false', 'a refresh token works forever'],
    ],
  ),
  group(
    'src/customers/oauth/records.ts',
    ['test/api/oauth.test.ts'],
    [["throw new errors.InvalidGrant('already used')", 'return', 'two refreshes at once both win']],
  ),
  group(
    'src/customers/accounts/accounts.ts',
    ['test/api/keys.test.ts', 'test/api/event-causes.test.ts'],
    [
      [
        'key.expires_at !== null && key.expires_at <= now',
        'key.expires_at !== null && key.expires_at < now',
        'a key outlives its last moment',
      ],
      [
        'old.expires_at < overlapEnd ? old.expires_at : overlapEnd',
        'old.expires_at < overlapEnd ? overlapEnd : overlapEnd',
        'rotating prolongs a key',
      ],
      ['if (old.replaced_by) fail', 'if (!old) fail', 'a key has two successors'],
      ["'live', now)) <= 1 &&", "'live', now)) <= 0 &&", 'the last live key can be revoked'],
      ["if (key.revoked_at) fail('invalid_state'", "if (!key) fail('invalid_state'", 'a revoked key can be changed'],
      ['if (isExpired(old, now)) fail', 'if (!old) fail', 'an expired key comes back by rotating'],
      ['scopes: options.scopes ?? DEFAULT_SCOPES', 'scopes: options.scopes ?? []', 'a new key can do nothing'],
      ['EXPIRY_NOTICE_MS = 7 *', 'EXPIRY_NOTICE_MS = 1 *', 'an expiry is told too late'],
    ],
  ),
  group(
    'src/customers/accounts/allowed-ips.ts',
    ['test/api/keys.test.ts'],
    [
      [
        'if (allowed.length === 0) return true',
        'if (allowed.length > 0) return true',
        'an allow-list allows everybody',
      ],
    ],
  ),
  group(
    'src/customers/accounts/key-format.ts',
    ['test/api/keys.test.ts'],
    [
      [
        'return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)',
        'return true',
        'a typo reaches the database',
      ],
    ],
  ),
  group(
    'src/customers/accounts/scopes.ts',
    ['test/api/keys.test.ts'],
    [['!/^(keys|billing|audit):/.test(scope)', 'scope.length > 0', 'a new key can make keys']],
  ),
  group(
    'src/customers/billing/closing.ts',
    ['test/api/billing.test.ts'],
    [
      ['await closeDue(books);', '', 'a change of plan rates the month before it'],
      [
        'lines.push(...(await closeUsage(books, period)));',
        'await closeUsage(books, period);',
        'usage that is booked late is free',
      ],
      [
        "if (subscription.status === 'canceled') return correctInvoices(books);",
        '',
        'work under way at the end of a plan is free',
      ],
      ['if (now < end) return false', 'if (now > end) return false', 'a trial ends on day one'],
      ["...overageLines(month, 'avm', avm, billed)", '', 'valuations beyond the allowance are free'],
      ["'end of the term') <= month.end", "'end of the term') < month.end", 'a term never ends'],
      ["=== 'year' ? 12 : 1", "=== 'year' ? 1 : 1", 'a year is renewed for a month'],
      ['if (fee) lines.push(fee)', 'if (!fee) lines.push(fee!)', 'a renewal costs nothing'],
      ['subscription.cancels_at_end || ', '', 'a canceled plan goes on'],
      [
        'if (await sql.lockPlanInvoice(client, account.id)) return false;',
        '',
        'a month closes before its upgrade is decided',
      ],
    ],
  ),
  group(
    'src/customers/billing/credit-notes.ts',
    ['test/api/billing.test.ts'],
    [['amountCents > left', 'amountCents > invoice.subtotal_cents', 'more is credited than was invoiced']],
  ),
  group(
    'src/customers/billing/invoices.ts',
    ['test/api/billing.test.ts'],
    [
      ['Math.min(balance, subtotal + taxCents)', 'Math.min(0, subtotal + taxCents)', 'credit is never used'],
      ['amountCents: -credit', 'amountCents: 0', 'credit is used again and again'],
      ['subscription.invoice_count += 1', 'subscription.invoice_count += 2', 'numbers have gaps'],
      ['subtotal + taxCents - credit', 'subtotal - credit', 'tax is shown but not charged'],
      [
        'if (invoice.credit_cents === 0) return;',
        'if (invoice.credit_cents > 0) return;',
        'a void invoice keeps the credit it took',
      ],
    ],
  ),
  group(
    'src/customers/billing/lines.ts',
    ['test/unit/billing.test.ts', 'test/api/billing.test.ts'],
    [
      ['if (quantity === 0) return []', 'if (quantity < 0) return []', 'a line of zero units'],
      ['unitCents: -part(before)', 'unitCents: part(before)', 'unused time is charged, not given back'],
      ['unitCents: -amountCents', 'unitCents: amountCents', 'a credit raises the invoice'],
      ['each.amount_cents !== 0', 'each.amount_cents > 0', 'unused time is never given back'],
      ['amount_cents: quantity * unitCents', 'amount_cents: unitCents', 'one unit is charged'],
      ['const unitCents = -prorate(', 'const unitCents = prorate(', 'a term that ends early costs more'],
      ['roundedShare(baseCents, ratePpm, PPM)', 'Math.floor((baseCents * ratePpm) / PPM)', 'tax is rounded down'],
    ],
  ),
  group(
    'src/customers/billing/money.ts',
    ['test/unit/billing.test.ts', 'test/api/billing.test.ts'],
    [
      ['100 - ANNUAL_DISCOUNT_PERCENT', '100', 'a year has no discount'],
      ['monthly * 12', 'monthly * 11', 'a year has eleven months'],
    ],
  ),
  group(
    'src/customers/billing/payments.ts',
    ['test/api/billing.test.ts'],
    [
      ['RETRY_DAYS = [1, 3, 5, 7]', 'RETRY_DAYS = [1, 3, 5, 6]', 'the last try is a day early'],
      ['if (underWay) return { invoice, payment: underWay, customerRef };', '', 'a lost answer is paid twice'],
      [
        "account.status === 'suspended' && account.suspended_for === 'unpaid'",
        "account.status === 'closed'",
        'paying does not mend a suspended account',
      ],
      ["&& account.suspended_for === 'unpaid'", '', 'paying lifts an operator’s suspension'],
      ['if (isFinal) return undefined', 'if (!payment) return undefined', 'a payment is settled twice'],
      ['await keepAsCredit(books, invoice, payment.amount_cents)', '', 'money for a void invoice is kept by us'],
      ['if (invoice.applies) return voidInvoice(books, invoice)', '', 'a plan that was declined is dunned'],
    ],
  ),
  group(
    'src/customers/billing/plan-changes.ts',
    ['test/api/billing.test.ts'],
    [
      ['if (!subscription.card) fail', 'if (!subscription) fail', 'a plan begins without a card'],
      ['isUp && now < term.end', 'isUp && now > term.end', 'a higher plan waits'],
      ['cancels_at_end: !isTrial }', 'cancels_at_end: isTrial }', 'canceling does not cancel'],
      ["if (plan === 'trial') fail", 'if (!plan) fail', 'a trial is had twice'],
      ['if (debt) fail', 'if (!books) fail', 'a debtor chooses a new plan'],
    ],
  ),
  group(
    'src/customers/billing/refunds.ts',
    ['test/api/billing.test.ts'],
    [
      ['payment.amount_cents - sent', 'payment.amount_cents', 'more is refunded than was paid'],
      ['idempotencyKey: refund.id', "idempotencyKey: randomId('ref')", 'a refund is sent twice'],
    ],
  ),
  group(
    'src/customers/people/emails.ts',
    ['test/api/sessions.test.ts', 'test/api/sign-in-safety.test.ts'],
    [["!text.includes('..')", "!text.includes('../..')", 'an email that no server takes is accepted']],
  ),
  group(
    'src/customers/people/passkeys.ts',
    ['test/api/passkeys.test.ts'],
    [
      [
        'if (known.length >= MAX_PASSKEYS)',
        'if (known.length > MAX_PASSKEYS + 1000)',
        'somebody keeps any number of passkeys',
      ],
    ],
  ),
  group(
    'src/customers/people/password-changes.ts',
    ['test/api/sessions.test.ts', 'test/api/sso.test.ts'],
    [
      [
        'if (!user || !(await hasUseOfPassword(deps.control, user))) return;',
        'if (!user) return;',
        'a password is reset where single sign-on is enforced',
      ],
    ],
  ),
  group(
    'src/customers/people/passwords.ts',
    ['test/api/passwords.test.ts', 'test/api/sessions.test.ts'],
    [
      ['return isMatch && stored != null;', 'return isMatch;', 'the decoy password signs in to accounts without one'],
      [
        'if (password.length < MIN_LENGTH) return',
        'if (password.length < 1) return',
        'a password of one letter is judged by its words alone',
      ],
    ],
  ),
  group(
    'src/customers/people/sessions.ts',
    ['test/api/sessions.test.ts'],
    [
      [
        'if (!session || session.expires_at <= now) return undefined;',
        'if (!session) return undefined;',
        'a session never ends',
      ],
    ],
  ),
  group(
    'src/customers/people/two-factor.ts',
    ['test/api/sessions.test.ts', 'test/api/passkeys.test.ts'],
    [
      ['if (step === undefined) return false;', 'if (step === undefined) return true;', 'any code is a second factor'],
      [
        "if (!user.totp_secret || user.totp_enabled_at) fail('invalid_state'",
        "if (!user.totp_secret) fail('invalid_state'",
        'two-factor sign-in can be set up twice',
      ],
    ],
  ),
  group(
    'src/customers/sso/outbound.ts',
    ['test/api/sso.test.ts'],
    [
      [
        "const isPlain = target.protocol === 'http:' && policy.allow !== 'none';",
        'const isPlain = false;',
        'a provider on this machine cannot be tried',
      ],
    ],
  ),
  group(
    'src/customers/sso/sso.ts',
    ['test/api/sso.test.ts'],
    [
      [
        "if (form.is_enforced && session.method !== 'sso') {",
        'if (form.is_enforced && !session) {',
        'an owner locks everybody out with a provider that was never tried',
      ],
      [
        "if (signedIn.account.plan !== 'enterprise') {",
        "if (signedIn.account.plan === 'nothing') {",
        'single sign-on is free',
      ],
    ],
  ),
  group(
    'src/customers/support/support.ts',
    ['test/api/support.test.ts'],
    [
      ['const PER_HOUR = { limit: 10,', 'const PER_HOUR = { limit: 10_000,', 'a customer fills the mailbox of support'],
      [
        'for (const requestId of new Set(ids)) {',
        'for (const requestId of new Set<string>()) {',
        'support is not told which requests a message is about',
      ],
      ['if (!found)\n', 'if (found === null)\n', 'a message about somebody else’s request fails without a reason'],
    ],
  ),
  group(
    'src/customers/accounts/limits.ts',
    ['test/api/limits.test.ts', 'test/api/usage.test.ts', 'test/api/key-fences.test.ts'],
    [
      ['({ key }) => key.first_id', '({ key }) => String(key)', 'all keys share one limit'],
      [
        "(key.mode === 'live' ? terms.rateLimitPerHour : terms.sandboxRateLimitPerHour)",
        'terms.rateLimitPerHour',
        'the sandbox has the plan’s limit',
      ],
      ['return [...limits, ...further]', 'return limits', 'a further limit is not enforced'],
    ],
  ),
  group(
    'src/customers/usage/admission.ts',
    ['test/api/usage.test.ts'],
    [
      [
        'now.getTime() < block.untilSecond * 1000',
        'now.getTime() <= block.untilSecond * 1000',
        'a caller waits a second too long',
      ],
      ['block?.amount === limit.amount && now', 'block && now', 'a raised limit is not noticed'],
      ['Math.max(0, amount - row.used[i])', 'Math.max(0, amount - row.used[i] - 1)', 'headers are off by one'],
      ['? key.spend_cap_cents : null', '? null : null', 'a spend cap caps nothing'],
    ],
  ),
  group(
    'src/customers/usage/booking.ts',
    ['test/api/usage.test.ts', 'test/api/billing.test.ts'],
    [
      ['if (charged.has(hold.id)) move.spent += cents', 'move.spent += cents', 'a failed call uses up the cap'],
      ['percent <= counter.alerted_percent', 'percent < counter.alerted_percent', 'the same alert again'],
      ['counter.used * 100 >= included * step', 'counter.used * 100 > included * step', 'an alert comes one call late'],
      ['sum.units += row.units', 'sum.units = row.units', 'calls booked together count as one'],
    ],
  ),
  group(
    'src/customers/usage/periods.ts',
    ['test/unit/billing.test.ts'],
    [
      ['Math.min(anchor.getUTCDate(), lastDay)', 'anchor.getUTCDate()', 'the 31st skips a month'],
      ['addMonths(anchor, months) > at', 'addMonths(anchor, months) >= at', 'a boundary belongs to the month before'],
    ],
  ),
  group(
    'src/customers/usage/rating.ts',
    ['test/unit/billing.test.ts', 'test/api/billing.test.ts'],
    [
      ['Math.max(0, entitled - covered)', 'entitled', 'an upgrade gives the allowance twice'],
      [
        'covered += stretch.used - overageUnits',
        'covered += stretch.used',
        'overage that was paid for is covered again',
      ],
      ['Math.max(0, stretch.used - included)', 'stretch.used', 'the allowance is charged, too'],
      ['passed += prorate(allowance, month, stretch)', 'passed += 0', 'the plan before an upgrade allowed nothing'],
      [': before + last.included', ': last.included', 'an upgrade is capped by what was used before it'],
    ],
  ),
  group(
    'src/customers/usage/usage.ts',
    ['test/api/usage.test.ts', 'test/api/batches.test.ts'],
    [
      ['allowance - used - reserved', 'allowance - used', 'held units are shown as left'],
      [
        'if (usagePeriod(account, now).end <= now)',
        'if (usagePeriod(account, now).end < now)',
        'a trial lasts a moment longer',
      ],
      ['hold.units < units[meter]', 'hold.units > units[meter]', 'a hold cannot be settled in parts'],
      ['Math.min(hold.overage_units, left)', 'hold.overage_units', 'a batch’s overage is never spent'],
    ],
  ),
];
