// HTTP routes for registered loans, their statements and what changed.
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { askingOf } from '../../customers/accounts/asking.ts';
import { getOwn, ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { addDays, isoDate } from '../../base/lib/clock.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';
import { DELETED, IdParams, isoDay, Paging, strict } from '../../base/lib/schema.ts';
import { LOCATE_ERRORS } from '../../records/address/schema.ts';
import { SHEET_BODY, SHEET_TYPES } from '../batches/schema.ts';
import type { LoanFile } from './file.ts';
import { presentLoan, registerLoan, registerLoans } from './loans.ts';
import { ChangePage, Loan, LoanPage, NewLoan, NewLoans, Registered, Statement } from './schema.ts';
import { findCondition, listChanges, listConditions, type LoanRow } from './sql.ts';

export function loanRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('loans', { scope: 'watchlists:read', meter: 'none', liveData: true });
  const writes = operationsOf('loans', { scope: 'watchlists:write', meter: 'none', liveData: true });
  const priced = { meter: 'standard', units: 0 } as const;
  const loanOf = (request: FastifyRequest<{ Params: { id: string } }>) =>
    getOwn<LoanRow>(deps.control, 'loans', ownerOf(request.caller), request.params.id);
  const present = async (rows: LoanRow[]) => {
    const ids = rows.map(({ id }) => id);
    const conditions = await listConditions(deps.control, ids);
    const byLoan = new Map(conditions.map(({ loan_id, condition }) => [loan_id, condition]));
    return rows.map((row) => presentLoan(row, byLoan.get(row.id)));
  };

  app.post(
    '/loans',
    writes('register_loan', 'Register a loan to be told what becomes known of it', {
      ...priced,
      errors: [...LOCATE_ERRORS, 'plan_feature_unavailable'],
      body: NewLoan,
      response: { 201: Loan },
    }),
    async (request, reply) => {
      const [loan] = await present([await registerLoan(deps, askingOf(request), request.body)]);
      return reply.code(201).header('location', `/api/v1/loans/${loan.id}`).send(loan);
    },
  );

  // A separate scope, because no other route of loans takes a file.
  void app.register(async (scope) => {
    for (const type of SHEET_TYPES)
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    (scope as App).post(
      '/loans/batch',
      writes('register_loans', 'Register up to 500 loans; a bad row is refused by itself', {
        ...priced,
        errors: ['plan_feature_unavailable'],
        body: { content: { 'application/json': { schema: NewLoans }, ...SHEET_BODY } },
        response: { 200: Registered },
      }),
      async (request) => {
        const { items, ignored } = await readItems(deps, request);
        const results = await registerLoans(deps, askingOf(request), items);
        const registered = results.filter(({ error }) => error === null).length;
        const counts = { registered, refused: results.length - registered, ignored_columns: ignored };
        return { object: 'registered_loans' as const, ...counts, results };
      },
    );
  });

  app.get(
    '/loans',
    reads('list_loans', 'List registered loans', { querystring: Paging, response: { 200: LoanPage } }),
    async (request) => {
      const page = await readOwnPage<LoanRow>(deps, 'loans', ownerOf(request.caller), request.query);
      const loans = new Map((await present(page.rows)).map((loan) => [loan.id, loan]));
      return presentPage(page, ({ id }) => loans.get(id)!);
    },
  );

  app.get(
    '/loans/:id',
    reads('get_loan', 'Get a loan and its condition', {
      errors: ['resource_not_found'],
      params: IdParams,
      querystring: strict({}),
      response: { 200: Loan },
    }),
    async (request) => (await present([await loanOf(request)]))[0],
  );

  app.get(
    '/loans/:id/statement',
    reads('get_loan_statement', 'Get the condition of a loan as it was known on a day', {
      errors: ['resource_not_found'],
      params: IdParams,
      querystring: strict({
        as_of: Type.Optional(isoDay({ description: 'What was known by the end of this day, in UTC. Default: today.' })),
      }),
      response: { 200: Statement },
    }),
    async (request) => {
      const loan = await loanOf(request);
      const as_of = request.query.as_of ?? isoDate(deps.clock());
      const found = await findCondition(deps.control, loan.id, new Date(`${addDays(as_of, 1)}T00:00:00Z`));
      return {
        object: 'loan_statement' as const,
        loan_id: loan.id,
        as_of,
        known_at: found?.known_at.toISOString() ?? null,
        condition: found?.condition ?? null,
      };
    },
  );

  app.get(
    '/loans/:id/changes',
    reads('list_loan_changes', 'List what became known of a loan, newest first', {
      errors: ['resource_not_found'],
      params: IdParams,
      querystring: Paging,
      response: { 200: ChangePage },
    }),
    async (request) => {
      const loan = await loanOf(request);
      const list = ([before]: [string] = ['9999-12-31'], limit: number) =>
        listChanges(deps.control, loan.id, new Date(before), limit);
      const position = ({ known_at }: { known_at: Date }): [string] => [known_at.toISOString()];
      const page = await readPage(deps.secrets, ['loan_changes', loan.id], request.query, list, position);
      return presentPage(page, ({ known_at, changes }) => ({
        object: 'loan_change' as const,
        known_at: known_at.toISOString(),
        changes,
      }));
    },
  );

  app.delete(
    '/loans/:id',
    writes('delete_loan', 'Delete a loan and its history', {
      errors: ['resource_not_found'],
      liveData: false,
      params: IdParams,
      response: DELETED,
    }),
    removeOwn(deps, 'loans'),
  );
}

async function readItems(deps: Deps, { body, caller }: FastifyRequest): Promise<LoanFile> {
  if (!Buffer.isBuffer(body)) {
    const { items } = body as Static<typeof NewLoans>;
    return { items: items.map((loan) => ({ line: null, loan, error: null })), ignored: [] };
  }
  const place = { file: new URL('./file.ts', import.meta.url), name: 'readLoanFile', account: caller.account.id };
  return deps.threads.run<typeof import('./file.ts').readLoanFile>(place, body);
}
