// `platbook admin`: accounts, contracts, credit, suspension, usage as CSV, due billing, and owners to be hidden.
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
import { takeBackNames } from '../../delivery/exports/retention.ts';
import { open } from '../open.ts';
import type { MarketPriceReason } from '../../records/properties/market-price.ts';
import { showOwner, suppressOwner } from '../../records/properties/properties.ts';
import { markSale, unmarkSale } from '../../records/properties/verdicts.ts';
import { endSessionsOf, setOperator } from '../../customers/people/people.ts';
import * as sso from '../../customers/sso/sso.ts';
import words from './admin.json' with { type: 'json' };
import contractMembers from './contract-members.json' with { type: 'json' };

/** The arguments after the command's name: the words of `<a> <b>` in order, and the rest as one text. */
type Act = (deps: Deps, words: string[], rest: string) => Promise<string>;

class UsageError extends Error {}

/** Their arguments and descriptions are in admin.json. */
const ACTS: Record<keyof typeof words, Act> = {
  create: createCustomer,
  contract: makeContract,
  credit: async (deps, [accountId, cents], reason) => {
    const grant = { accountId, amountCents: readCents(cents), reason };
    const balance = await operator.grantCredit(deps, await billing.createProvider(deps), grant);
    return `${accountId} has ${balance} cents of credit.`;
  },
  'credit-note': async (deps, [invoiceId, cents], reason) => {
    const correction = { invoiceId, amountCents: readCents(cents), reason };
    const note = await creditInvoice(deps, await billing.createProvider(deps), correction);
    return `Credit note ${note.number} for ${note.total_cents} cents.`;
  },
  refund: async (deps, [invoiceId, cents], reason) => {
    const correction = { invoiceId, amountCents: readCents(cents), reason };
    const refund = await refundInvoice(deps, await billing.createProvider(deps), correction);
    return `Refund ${refund.id} of ${refund.amount_cents} cents: ${refund.status}.`;
  },
  'tax-rate': async (deps, [place, percent], name) => {
    await operator.setTaxRate(deps, { place, percent: Number(percent), name });
    return `Invoices to ${place} now carry ${percent}% ${name}.`;
  },
  paid: async (deps, [id]) => `Invoice ${(await operator.markInvoicePaid(deps, id)).number} is paid.`,
  suspend: setStatus('suspended'),
  activate: setStatus('active'),
  usage: exportUsage,
  'hide-owner': async (deps, [reference], reason) => {
    const { id } = await suppressOwner(deps, reference, reason);
    return `The owner of ${id} is now hidden. Files of ${await takeBackNames(deps)} exports, which may name them, were deleted.`;
  },
  'show-owner': async (deps, [reference]) =>
    `The owner of ${(await showOwner(deps, reference)).id} can be shown again; names return with the next load.`,
  'mark-sale': async (deps, [property, transaction, verdict], note) => {
    await markSale(deps, property, transaction, { verdict: verdict as MarketPriceReason, note: note || null });
    return verdict === 'market'
      ? `${transaction} is a market price.`
      : `${transaction} is not a market price: ${verdict}. The next training leaves it out.`;
  },
  'unmark-sale': async (deps, [property, transaction]) => {
    await unmarkSale(deps, property, transaction);
    return `${transaction} is left to the rules of its load and to the next training.`;
  },
  'sso-domain': async (deps, [accountId, domain]) => {
    await sso.verifyDomain(deps, accountId, domain);
    return `${accountId} may sign in people of ${domain}.`;
  },
  'sso-release': async (deps, [domain]) => {
    await sso.releaseDomain(deps, domain);
    return `${domain} is free again.`;
  },
  'sso-optional': async (deps, [accountId]) => {
    await sso.stopEnforcing(deps, accountId);
    return `People of ${accountId} may sign in without single sign-on.`;
  },
  'make-operator': makeOperator,
  'end-sessions': async (deps, [email]) => `${await endSessionsOf(deps, email)} sessions of ${email} were ended.`,
  bill: async (deps) => {
    await runBilling(deps, await billing.createProvider(deps));
    return 'Everything due has been billed.';
  },
};

const isAct = (name: string): name is keyof typeof words => Object.hasOwn(words, name);

export async function runAdmin(config: Config, [name = '', ...args]: string[]): Promise<void> {
  if (!isAct(name)) {
    const lines = Object.entries(words).map(
      ([act, [usage, what]]) => `  admin ${act} ${usage.replaceAll('…', '')}\n      ${what}`,
    );
    console.error(`${name ? `Unknown command \`admin ${name}\`. ` : ''}Commands:\n${lines.join('\n')}`);
    process.exitCode = 2;
    return;
  }
  const { deps, close } = await open(config);
  try {
    const [usage] = words[name];
    const needed = usage.match(/<\w+>/g)?.length ?? 0;
    const hasRest = usage.includes('…');
    const rest = args.slice(needed).join(' ');
    if (args.length < needed || (usage.endsWith('…>') && rest === '')) throw new UsageError();
    const done = await ACTS[name](deps, hasRest ? args.slice(0, needed) : args, rest);
    // Later reads see the command's effect, on the replica too.
    await deps.replica?.settle();
    console.log(done);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof UsageError)) throw error;
    console.error(
      error instanceof UsageError ? `Usage: admin ${name} ${words[name][0].replaceAll('…', '')}` : error.message,
    );
    process.exitCode = 1;
  } finally {
    await close();
  }
}

async function createCustomer(deps: Deps, [name, plan]: string[]): Promise<string> {
  if (!PLAN_IDS.includes(plan as PlanId)) throw new UsageError();
  const account = await createAccount(deps.control, deps.clock(), name, plan as PlanId);
  const operator = { id: 'operator', ip: null };
  const make = (name: string, mode: 'live' | 'test') =>
    issueKey(deps, account.id, { name, mode, scopes: [...SCOPES] }, operator);
  const [test, live] = [await make('Sandbox', 'test'), await make('Production', 'live')];
  return `${account.id}\nTest key ${test.secret}\nLive key ${live.secret}`;
}

const CONTRACT_MEMBERS: Record<keyof Contract, string> = contractMembers;

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
  const invoice = await operator.createContract(deps, provider, { accountId, contract, interval });
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
