// HTTP in and out for test clocks.
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../accounts/accounts.ts';
import { readInvoices } from '../billing/invoice-pages.ts';
import { InvoicePage } from '../billing/schema.ts';
import type { Deps } from '../../base/deps.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage } from '../../base/lib/pages.ts';
import { DELETED, IdParams, Paging, strict } from '../../base/lib/schema.ts';
import type { Usage } from '../usage/usage.ts';
import { advanceClock, changeClock, createClock, deleteClock, getClock, type Passing } from './clocks.ts';
import { Advance, NewTestClock, TestClock, TestClockPage, TestClockPatch, TestClockWithKey } from './schema.ts';
import { listClocks, type ClockRow } from './sql.ts';

/** `passing` runs the time-driven work of rooms above for an account. */
export function clockRoutes(app: App, deps: Deps, usage: Usage, passing: Passing): void {
  const reads = operationsOf('sandbox', { scope: 'account:read', meter: 'none' });
  const writes = operationsOf('sandbox', { scope: 'keys:write', meter: 'none', errors: ['invalid_state'] });
  const clockOf = (request: FastifyRequest<{ Params: { id: string } }>) =>
    getClock(deps, request.caller.account.id, request.params.id);

  app.get(
    '/test-clocks',
    reads('list_test_clocks', 'List test clocks', { querystring: Paging, response: { 200: TestClockPage } }),
    async (request) => {
      const { id } = request.caller.account;
      const list = (after: [string, string] | undefined, limit: number) => listClocks(deps.control, id, after, limit);
      const page = await readPage(deps.secrets, ['test-clocks', id], request.query, list, byCreation);
      return presentPage(page, present);
    },
  );

  app.post(
    '/test-clocks',
    writes('create_test_clock', 'Create a test clock', {
      errors: ['invalid_state', 'card_declined', 'payment_required'],
      body: NewTestClock,
      response: { 201: TestClockWithKey },
    }),
    async (request, reply) => {
      const { name, now, plan, interval, card = 'tok_test_visa' } = request.body;
      const wanted = { name, now: now === undefined ? deps.clock() : new Date(now), plan, interval, card };
      const { clock, secret } = await createClock(deps, request.caller, request.ip, wanted);
      return created(reply, 'test-clocks', { ...present(clock), key: secret });
    },
  );

  app.get(
    '/test-clocks/:id',
    reads('get_test_clock', 'Get a test clock', {
      params: IdParams,
      querystring: strict({}),
      response: { 200: TestClock },
    }),
    async (request) => present(await clockOf(request)),
  );

  app.patch(
    '/test-clocks/:id',
    writes('update_test_clock', 'Change the card or plan of a test clock', {
      errors: ['invalid_state', 'card_declined', 'payment_required', 'trial_unavailable'],
      params: IdParams,
      body: TestClockPatch,
      response: { 200: TestClock },
    }),
    async (request) => {
      await usage.flush();
      await changeClock(deps, await clockOf(request), actorOf(request.caller, request.ip), request.body);
      return present(await clockOf(request));
    },
  );

  app.post(
    '/test-clocks/:id/advance',
    writes('advance_test_clock', 'Advance a test clock', {
      params: IdParams,
      body: Advance,
      response: { 200: TestClock },
    }),
    async (request) => {
      // Earlier calls must be booked at the earlier time.
      await usage.flush();
      const by = actorOf(request.caller, request.ip);
      await advanceClock(deps, await clockOf(request), { to: new Date(request.body.to), by, passing });
      return present(await clockOf(request));
    },
  );

  app.get(
    '/test-clocks/:id/invoices',
    operationsOf('sandbox', { scope: 'billing:read', meter: 'none' })(
      'list_test_clock_invoices',
      'List the invoices of a test clock, newest first',
      { params: IdParams, querystring: Paging, response: { 200: InvoicePage } },
    ),
    async (request) => readInvoices(deps, (await clockOf(request)).id, request.query),
  );

  app.delete(
    '/test-clocks/:id',
    writes('delete_test_clock', 'Delete a test clock with all it has', { params: IdParams, response: DELETED }),
    async (request, reply) => {
      await usage.flush();
      await deleteClock(deps, await clockOf(request), actorOf(request.caller, request.ip));
      return reply.code(204).send();
    },
  );
}

const present = ({ clock_at, created_at, status, term_end, ...clock }: ClockRow) => ({
  object: 'test_clock' as const,
  id: clock.id,
  name: clock.name,
  now: clock_at.toISOString(),
  began_at: created_at.toISOString(),
  plan: clock.plan,
  account_status: status,
  billing_status: clock.billing_status,
  term_end: term_end?.toISOString() ?? null,
  next_plan: clock.next_plan,
  cancels_at_end: clock.cancels_at_end,
});
