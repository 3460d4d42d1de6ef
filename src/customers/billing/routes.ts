// HTTP in and out for money: invoices for keys, the rest for people who are signed in, and the provider's webhook.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { pdfContent, sendPdf } from '../../base/http/answers.ts';
import { operationsOf, hidden, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { Paging, text } from '../../base/lib/schema.ts';
import { signedInOf } from '../people/requests.ts';
import { requireDuty } from '../people/team.ts';
import * as cards from './cards.ts';
import { saveBillingDetails } from './details.ts';
import { presentInvoice, readInvoices } from './invoice-pages.ts';
import { sumCredits } from './payment-sql.ts';
import * as payments from './payments.ts';
import * as planChanges from './plan-changes.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { sumOf } from './lines.ts';
import * as shape from './schema.ts';
import { findBillingDetails, findInvoice, findSubscription } from './sql.ts';

export function invoiceRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('usage', { scope: 'billing:read', meter: 'none', openWhileSuspended: true });

  app.get(
    '/invoices',
    reads('list_invoices', 'Invoices, newest first', {
      querystring: Paging,
      response: { 200: shape.InvoicePage },
    }),
    async (request) => readInvoices(deps, request.caller.account.id, request.query),
  );

  app.get(
    '/invoices/:id',
    reads('get_invoice', 'One invoice, or its PDF with `.pdf`', {
      etag: true,
      params: Type.Object({ id: text(60, { description: 'Id or number; with `.pdf` behind it the document.' }) }),
      response: {
        200: {
          description: 'The invoice.',
          content: {
            'application/json': { schema: shape.InvoiceShape },
            ...pdfContent(10_000_000),
          },
        },
      },
    }),
    async (request, reply) => {
      const { account } = request.caller;
      const [, id, isPdf] = /^(.*?)(\.pdf)?$/.exec(request.params.id)!;
      const invoice =
        (await findInvoice(deps.control, account.id, id)) ?? fail('resource_not_found', `There is no invoice ${id}.`);
      if (!isPdf) return presentInvoice(invoice);
      const place = { file: new URL('./pdf.ts', import.meta.url), name: 'renderInvoice', account: account.id };
      const { seller } = deps.config;
      const document = await deps.threads.run<typeof import('./pdf.ts').renderInvoice>(
        place,
        invoice,
        account.name,
        seller,
      );
      return sendPdf(reply, invoice.number, document, 'inline');
    },
  );
}

/** Under /session: every member may read; only billing roles may change. */
export function billingRoutes(app: App, deps: Deps, provider: PaymentProvider): void {
  function payer(request: FastifyRequest) {
    const signedIn = signedInOf(request);
    requireDuty(signedIn, 'billing');
    return { account: signedIn.account, by: { actor: signedIn.user.id, ip: request.ip } };
  }

  app.get('/billing', hidden({}, shape.BillingShape), async (request) => {
    const { account } = signedInOf(request);
    const subscription = await findSubscription(deps.control, account.id);
    const iso = (instant: Date | null | undefined) => instant?.toISOString() ?? null;
    const card = subscription?.card;
    return {
      object: 'billing' as const,
      provider: provider.name,
      status: subscription?.status ?? 'none',
      plan: account.plan,
      interval: subscription?.billing_interval ?? 'month',
      term_start: iso(subscription?.term_start),
      term_end: iso(subscription?.term_end),
      next_plan: subscription?.next_plan ?? null,
      next_interval: subscription?.next_interval ?? null,
      cancels_at_end: subscription?.cancels_at_end ?? false,
      card: card
        ? { brand: card.brand, last_four: card.last_four, exp_month: card.exp_month, exp_year: card.exp_year }
        : null,
      credit_cents: await sumCredits(deps.control, account.id),
      bill_to: (await findBillingDetails(deps.control, account.id)) ?? null,
    };
  });

  app.post('/billing/card-setup', hidden({}, shape.CardSetupShape), async (request) => {
    const { account } = payer(request);
    return { object: 'card_setup' as const, ...(await cards.beginCard(deps, provider, account)) };
  });

  app.post('/billing/card', hidden({ body: shape.CardForm }, shape.CardAdded), async (request) => {
    const { account, by } = payer(request);
    const { startedTrial } = await cards.addCard(deps, provider, { account, token: request.body.token, by });
    return { object: 'card_added' as const, started_trial: startedTrial };
  });

  app.get('/billing/preview', hidden({ querystring: shape.PlanQuery }, shape.PlanChangeShape), async (request) => {
    const { account } = signedInOf(request);
    const { plan, interval = 'month' } = request.query;
    const subscription = await findSubscription(deps.control, account.id);
    return presentChange(planChanges.planChange(account, subscription, { plan, interval }, deps.clock()));
  });

  app.post('/billing/plan', hidden({ body: shape.PlanForm }, shape.PlanChangeShape), async (request) => {
    const { account, by } = payer(request);
    const { plan, interval = 'month', when = 'now' } = request.body;
    const choose = when === 'now' ? planChanges.choosePlan : planChanges.choosePlanAfterTrial;
    return presentChange(await choose(deps, provider, { accountId: account.id, plan, interval, by }));
  });

  app.put('/billing/details', hidden({ body: shape.BillToForm }, shape.BillTo), async (request) => {
    const { account, by } = payer(request);
    return saveBillingDetails(deps, provider, { accountId: account.id, details: request.body, by });
  });

  app.post('/billing/cancel', hidden({}, shape.CancelShape), async (request) => {
    const { account, by } = payer(request);
    const endsAt = await planChanges.cancelPlan(deps, provider, account.id, by);
    return { object: 'cancellation' as const, ends_at: endsAt?.toISOString() ?? null };
  });

  app.post('/billing/resume', hidden({}, shape.CancelShape), async (request) => {
    const { account, by } = payer(request);
    await planChanges.resumePlan(deps, provider, account.id, by);
    return { object: 'cancellation' as const, ends_at: null };
  });

  app.post(
    '/billing/invoices/:id/pay',
    hidden({ params: Type.Object({ id: text(60) }) }, shape.InvoiceShape),
    async (request) => {
      const { account } = payer(request);
      const find = () => findInvoice(deps.control, account.id, request.params.id);
      const invoice = (await find()) ?? fail('resource_not_found', `There is no invoice ${request.params.id}.`);
      if (invoice.status !== 'open') fail('invalid_state', `The invoice is ${invoice.status}.`);
      if (provider.name === 'manual') fail('invalid_state', 'Pay this invoice by transfer; the PDF says how.');
      const collected = await payments.collect(deps, provider, invoice.id);
      if (collected?.outcome === 'declined') fail('card_declined', `The card was declined (${collected.reason}).`);
      return presentInvoice((await find())!);
    },
  );
}

/** The payment provider's webhooks: the signature over the raw body is the only authentication. */
export async function providerRoutes(app: App, deps: Deps, provider: PaymentProvider): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/stripe', { config: { isHidden: true } }, async (request) => {
    const signature = request.headers['stripe-signature'];
    if (provider.name !== 'stripe' || typeof signature !== 'string') {
      fail('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.');
    }
    const event = provider.readEvent(request.body as Buffer, signature);
    if (event) await payments.applyProviderEvent(deps, event);
    return { received: true };
  });
}

const presentChange = (change: planChanges.PlanChange) => ({
  object: 'plan_change' as const,
  effect: change.effect,
  at: change.at.toISOString(),
  lines: change.lines,
  amount_cents: sumOf(change.lines),
});
