// HTTP routes for reports and the rules of an account.
import { ESTIMATE_ERRORS } from '../../insight/valuations/schema.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { removeOwn } from '../../customers/accounts/remove-own.ts';
import type { Deps } from '../../base/deps.ts';
import { created, pdfContent, sendPdf } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage, readSpan, spanPaging } from '../../base/lib/pages.ts';
import { DELETED, IdParams, strict, text } from '../../base/lib/schema.ts';
import { viewOf } from '../../records/properties/request.ts';
import type { RiskReportReader } from '../../records/risk/schema.ts';
import { createReport, getReport, getReportPdf, getRules, setRules } from './reports.ts';
import { NewRuleSet, Report, ReportPage, ReportRequest, RuleSet } from './schema.ts';
import { listReports } from './sql.ts';

const writes = operationsOf('reports', { scope: 'reports:write', meter: 'none' });
const reads = operationsOf('reports', { scope: 'reports:read', meter: 'none' });
/** About what a value, a title, a risk report, a record and market figures cost separately. */
const UNITS = 2;

export function reportRoutes(app: App, deps: Deps & { readRisk: RiskReportReader }): void {
  const readerOf = (request: FastifyRequest) => {
    const { mode, mayReadOwners } = viewOf(request);
    return { accountId: request.caller.account.id, mode, mayReadOwners };
  };
  const askerOf = (request: FastifyRequest) => ({
    ...readerOf(request),
    by: actorOf(request.caller, request.ip),
    claimId: request.claimId,
  });

  app.post(
    '/reports',
    writes('create_report', 'Make a lender’s file: value, comparables, title, risk, market, data gaps and decision', {
      meter: 'avm',
      units: UNITS,
      errors: ESTIMATE_ERRORS,
      body: ReportRequest,
      response: { 201: Report },
    }),
    async (request, reply) => {
      const report = await createReport(deps, askerOf(request), request.body);
      return created(reply, 'reports', report);
    },
  );

  app.get(
    '/reports',
    reads('list_reports', 'List reports, newest first', {
      querystring: strict({
        property_id: Type.Optional(text(40, { minLength: 1, description: 'Reports on this property only.' })),
        ...spanPaging,
      }),
      response: { 200: ReportPage },
    }),
    async (request) => {
      const reader = readerOf(request);
      const { property_id: propertyId, since, until } = request.query;
      const span = readSpan(request.query);
      const list = (before: [string, string] | undefined, limit: number) =>
        listReports(deps.control, reader, propertyId, { span, before, limit });
      const name = ['reports', reader.accountId, reader.mode, propertyId ?? null, since ?? null, until ?? null];
      const page = await readPage(deps.secrets, name, request.query, list, byCreation);
      return presentPage(page, ({ account_id: _account, mode: _mode, created_at, ...row }) => ({
        object: 'report_summary' as const,
        ...row,
        created_at: created_at.toISOString(),
      }));
    },
  );

  app.get(
    '/reports/:id',
    reads('get_report', 'Get a report as it was made', {
      params: IdParams,
      querystring: strict({}),
      response: { 200: Report },
    }),
    (request) => getReport(deps, readerOf(request), request.params.id),
  );

  app.get(
    '/reports/:id/pdf',
    reads('get_report_pdf', 'Get a report as a PDF to be filed', {
      params: IdParams,
      querystring: strict({}),
      response: { 200: { content: pdfContent(20_000_000) } },
    }),
    async (request, reply) =>
      sendPdf(reply, request.params.id, await getReportPdf(deps, readerOf(request), request.params.id)),
  );

  app.delete(
    '/reports/:id',
    writes('delete_report', 'Delete a report', { params: IdParams, response: DELETED }),
    removeOwn(deps, 'reports'),
  );

  app.get(
    '/reports/rules',
    reads('get_report_rules', 'Get the rules that reports are checked against', {
      querystring: strict({}),
      response: { 200: RuleSet },
    }),
    (request) => getRules(deps, readerOf(request)),
  );

  app.put(
    '/reports/rules',
    writes('set_report_rules', 'Replace the rules that reports are checked against', {
      body: NewRuleSet,
      response: { 200: RuleSet },
    }),
    (request) => setRules(deps, askerOf(request), request.body.rules),
  );
}
