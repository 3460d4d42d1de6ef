// `platbook admin`: accounts, contracts, credit, suspension, usage as CSV, due billing, and owners who must not be shown.
import { DAY_MS } from '../../base/lib/clock.ts';
import { createAccount, getAccount, issueKey } from '../../customers/accounts/accounts.ts';
import { PLAN_IDS, type Contract, type PlanId } from '../../customers/accounts/plans.ts';
import { SCOPES } from '../../customers/accounts/scopes.ts';
import * as billing from '../../customers/billing/billing.ts';
import { runBilling } from '../../customers/billing/due.ts';
import { creditInvoice } from '../../customers/billing/credit-notes.ts';
import * as operator from '../../customers/billing/operator.ts';
import { refundInvoice } from '../../customers/billing/refunds.ts';
import type { Config } from '../../base/config.ts';
import type { Deps } from '../../base/deps.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { ApiError } from '../../base/lib/errors.ts';
import { listMemberships } from '../../customers/people/sql.ts';
import { listDays } from '../../customers/usage/sql.ts';
import { open } from '../open.ts';
import type { MarketPriceReason } from '../../records/properties/market-price.ts';
import { showOwner, suppressOwner } from '../../records/properties/properties.ts';
import { markSale, unmarkSale } from '../../records/properties/verdicts.ts';
import { endSessionsOf, setOperator } from '../../customers/people/people.ts';
import * as sso from '../../customers/sso/sso.ts';

/** What was typed after the command's name: the words of `<a> <b>` in order, and the rest as one text. */
type Act = (deps: Deps, words: string[], rest: string) => Promise<string>;

class UsageError extends Error {}

const ACTS: Record<string, [usage: string, what: string, act: Act]> = {
  create: ['<name> <plan>', 'create an account with a test and a live key', createCustomer],
  contract: [
    '<account> <json> [month|year]',
    'give the account terms of its own from now on, e.g. {"priceCentsPerMonth":500000}',
    makeContract,
  ],
  credit: [
    '<account> <cents> <reason…>',
    'grant credit for coming invoices',
    async (deps, [accountId, cents], reason) => {
      const grant = { accountId, amountCents: readCents(cents), reason };
      const balance = await operator.grantCredit(deps, await billing.createProvider(deps), grant);
      return `${accountId} has ${balance} cents of credit.`;
    },
  ],
  'credit-note': [
    '<invoice> <cents> <reason…>',
    'correct an invoice; the amount becomes credit',
    async (deps, [invoiceId, cents], reason) => {
      const correction = { invoiceId, amountCents: readCents(cents), reason };
      const note = await creditInvoice(deps, await billing.createProvider(deps), correction);
      return `Credit note ${note.number} for ${note.total_cents} cents.`;
    },
  ],
  refund: [
    '<invoice> <cents> <reason…>',
    'send part of an invoice back to the card that paid it',
    async (deps, [invoiceId, cents], reason) => {
      const correction = { invoiceId, amountCents: readCents(cents), reason };
      const refund = await refundInvoice(deps, await billing.createProvider(deps), correction);
      return `Refund ${refund.id} of ${refund.amount_cents} cents: ${refund.status}.`;
    },
  ],
  'tax-rate': [
    '<place> <percent> <name…>',
    'tax on invoices to a country or region, e.g. US-WA 10.25 Sales tax',
    async (deps, [place, percent], name) => {
      await operator.setTaxRate(deps, { place, percent: Number(percent), name });
      return `Invoices to ${place} now carry ${percent}% ${name}.`;
    },
  ],
  paid: [
    '<invoice>',
    'mark an invoice paid: its transfer has arrived',
    async (deps, [id]) => `Invoice ${(await operator.markInvoicePaid(deps, id)).number} is paid.`,
  ],
  suspend: ['<account> <reason…>', 'refuse the account’s calls', setStatus('suspended')],
  activate: ['<account> <reason…>', 'accept the account’s calls again', setStatus('active')],
  usage: ['<account> <from> <to>', 'print usage by day, meter, key and route as CSV', exportUsage],
  'hide-owner': [
    '<property> <reason…>',
    'remove the names of its owners and parties; loads do not bring them back',
    async (deps, [reference], reason) =>
      `The owner of ${(await suppressOwner(deps, reference, reason)).id} is now hidden.`,
  ],
  'show-owner': [
    '<property>',
    'let the next load bring them back',
    async (deps, [reference]) =>
      `The owner of ${(await showOwner(deps, reference)).id} can be shown again; names return with the next load.`,
  ],
  'mark-sale': [
    '<property> <transaction> market|<reason> [note…]',
    'say whether a deed’s price is a market price; loads and models leave it alone',
    async (deps, [property, transaction, verdict], note) => {
      await markSale(deps, property, transaction, { verdict: verdict as MarketPriceReason, note: note || null });
      return verdict === 'market'
        ? `${transaction} is a market price.`
        : `${transaction} is not a market price: ${verdict}. The next training leaves it out.`;
    },
  ],
  'unmark-sale': [
    '<property> <transaction>',
    'leave it to the rules and the model again',
    async (deps, [property, transaction]) => {
      await unmarkSale(deps, property, transaction);
      return `${transaction} is left to the rules of its load and to the next training.`;
    },
  ],
  'sso-domain': [
    '<account> <domain>',
    'the account has shown that it owns this email domain',
    async (deps, [accountId, domain]) => {
      await sso.verifyDomain(deps, accountId, domain);
      return `${accountId} may sign in people of ${domain}.`;
    },
  ],
  'sso-release': [
    '<domain>',
    'no account owns this email domain anymore',
    async (deps, [domain]) => {
      await sso.releaseDomain(deps, domain);
      return `${domain} is free again.`;
    },
  ],
  'sso-optional': [
    '<account>',
    'let its people sign in without single sign-on again',
    async (deps, [accountId]) => {
      await sso.stopEnforcing(deps, accountId);
      return `People of ${accountId} may sign in without single sign-on.`;
    },
  ],
  'make-operator': [
    '<email> [--remove]',
    'let a person who has signed up bring in counties on the dashboard, or no longer',
    makeOperator,
  ],
  'end-sessions': [
    '<email>',
    'sign a person out everywhere',
    async (deps, [email]) => `${await endSessionsOf(deps, email)} sessions of ${email} were ended.`,
  ],
  bill: [
    '',
    'close months that are over and try payments that are due; safe to repeat',
    async (deps) => {
      await runBilling(deps, await billing.createProvider(deps));
      return 'Everything due has been billed.';
    },
  ],
};

export async function runAdmin(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const entry = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (!entry) {
    const lines = Object.entries(ACTS).map(
      ([act, [usage, what]]) => `  admin ${act} ${usage.replaceAll('…', '')}\n      ${what}`,
    );
    console.error(`${name ? `Unknown command \`admin ${name}\`. ` : ''}Commands:\n${lines.join('\n')}`);
    process.exitCode = 2;
    return;
  }
  const { deps, close } = await open(config);
  try {
    const [usage, , act] = entry;
    const needed = usage.match(/<\w+>/g)?.length ?? 0;
    const hasRest = usage.includes('…');
    const rest = args.slice(needed).join(' ');
    if (args.length < needed || (usage.endsWith('…>') && rest === '')) throw new UsageError();
    const done = await act(deps, hasRest ? args.slice(0, needed) : args, rest);
    // Whoever reads after the command sees its effect, on the replica too.
    await deps.replica?.settle();
    console.log(done);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof UsageError)) throw error;
    console.error(error instanceof UsageError ? `Usage: admin ${name} ${entry[0].replaceAll('…', '')}` : error.message);
    process.exitCode = 1;
  } finally {
    await close();
  }
}

async function createCustomer(deps: Deps, [name, plan]: string[]): Promise<string> {
  if (!PLAN_IDS.includes(plan as PlanId)) throw new UsageError();
  const account = await createAccount(deps.control, deps.clock(), name, plan as PlanId);
  const operator = { id: 'operator', ip: null };
  const make = (mode: 'live' | 'test') =>
    issueKey(
      deps,
      account.id,
      { name: mode === 'live' ? 'Production' : 'Sandbox', mode, scopes: [...SCOPES] },
      operator,
    );
  return `${account.id}\nTest key ${(await make('test')).secret}\nLive key ${(await make('live')).secret}`;
}

const CONTRACT_MEMBERS: Record<keyof Contract, 'number' | 'string' | 'boolean' | 'limits'> = {
  exports: 'number',
  exportRunsPerDay: 'number',
  exportBytes: 'number',
  sandboxExports: 'number',
  sandboxExportRunsPerDay: 'number',
  sandboxExportBytes: 'number',
  priceCentsPerMonth: 'number',
  includedCalls: 'number',
  includedAvmCalls: 'number',
  rateLimitPerHour: 'number',
  limits: 'limits',
  overageCentsPerCall: 'number',
  overageCentsPerAvmCall: 'number',
  batchAddresses: 'number',
  tilesPerHour: 'number',
  freeReadsPerHour: 'number',
  webhooks: 'number',
  uptimePercent: 'number',
  support: 'string',
  delivery: 'boolean',
  sandboxRateLimitPerHour: 'number',
};

function areLimits(value: unknown): boolean {
  const isCount = (count: unknown) => Number.isInteger(count) && Number(count) > 0;
  return (
    Array.isArray(value) &&
    value.every(
      ({ name, amount, windowSeconds }) => /^[a-z_]{1,40}$/.test(name) && isCount(amount) && isCount(windowSeconds),
    )
  );
}

async function makeContract(deps: Deps, [accountId, json, interval = 'month']: string[]): Promise<string> {
  if (interval !== 'month' && interval !== 'year') throw new UsageError();
  const contract = JSON.parse(json) as Record<string, unknown>;
  for (const [member, value] of Object.entries(contract)) {
    const type = CONTRACT_MEMBERS[member as keyof Contract];
    if (!type || (value !== null && (type === 'limits' ? !areLimits(value) : typeof value !== type))) {
      throw new CommandError(
        `\`${member}\` is not a contract term, or has the wrong type. Terms: ${Object.keys(CONTRACT_MEMBERS).join(', ')}.`,
      );
    }
  }
  const provider = await billing.createProvider(deps);
  const invoice = await operator.createContract(deps, provider, {
    accountId,
    contract: contract,
    interval,
  });
  return `The contract is in effect.${invoice ? ` First invoice ${invoice.number}, ${invoice.total_cents} cents.` : ''}`;
}

function setStatus(status: 'suspended' | 'active'): Act {
  return async (deps, [accountId], reason) => {
    await operator.setStatus(deps, accountId, status, reason);
    return `${accountId} is ${status}.`;
  };
}

async function exportUsage(deps: Deps, [accountId, from, to]: string[]): Promise<string> {
  const [start, end] = [new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)];
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) throw new UsageError();
  await getAccount(deps, accountId);
  const rows = await listDays(deps.control, accountId, start, new Date(end.getTime() + DAY_MS));
  const lines = rows.map((row) => [row.day, row.meter, row.key_id ?? '', row.route, row.units].join(','));
  return ['day,meter,key_id,route,units', ...lines].join('\n');
}

async function makeOperator(deps: Deps, args: string[]): Promise<string> {
  const isRemoved = args.includes('--remove');
  const [email, ...rest] = args.filter((arg) => arg !== '--remove');
  if (!email || rest.length > 0) throw new UsageError();
  const user = await setOperator(deps, email, !isRemoved);
  if (isRemoved) return `${user.email} is no longer an operator.`;
  const lines = [`${user.email} is an operator: ${deps.config.baseUrl}/dashboard/counties`];
  for (const { account_id } of await listMemberships(deps.control, user.id)) {
    const { plan, anchor_at } = await getAccount(deps, account_id);
    if (plan === 'trial' && anchor_at === null)
      lines.push(
        'Their account has no plan yet, so the map shows them the sandbox only. To show them what you load:',
        `  npx platbook admin contract ${account_id} '{"priceCentsPerMonth":0}'`,
      );
  }
  return lines.join('\n');
}

function readCents(text: string | undefined): number {
  const cents = Number(text);
  if (!Number.isSafeInteger(cents) || cents <= 0) throw new UsageError();
  return cents;
}
