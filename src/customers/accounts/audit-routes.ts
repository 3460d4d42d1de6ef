// HTTP route for the audit log.
import Type from 'typebox';
import { ANCHORED } from '../../base/audit/audit.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { Paging, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import { readAuditPage } from './audit-log.ts';
import { AuditPage } from './schema.ts';

export function auditRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('usage', { scope: 'audit:read', meter: 'none' });
  app.get(
    '/audit-log',
    reads('list_audit_log', 'List who did what in the account, newest first', {
      querystring: strict({
        action: Type.Optional(text(60, { minLength: 1, description: 'Entries of this action.', examples: [ANCHORED] })),
        sequence: Type.Optional(wholeNumber({ minimum: 1, description: 'The entry with this number.' })),
        ...Paging.properties,
      }),
      response: { 200: AuditPage },
    }),
    ({ caller: { account, key }, query }) =>
      readAuditPage(deps, account.id, key.mode === 'test' ? { ...query, action: ANCHORED } : query),
  );
}
