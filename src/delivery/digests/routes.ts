// HTTP in and out for digests: a person's subscriptions, and the unsubscribe link of every email.
import Type from 'typebox';
import { signedInOf } from '../../customers/people/requests.ts';
import { Done } from '../../customers/people/schema.ts';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { list, oneOf, strict, text } from '../../base/lib/schema.ts';
import { AreaKey } from '../../insight/analytics/schema.ts';
import { readSummary } from '../../insight/analytics/summary.ts';
import { unsubscribe } from './digests.ts';
import * as sql from './sql.ts';

const mode = oneOf(['live', 'test']);
const wanted = { watchlists: Type.Boolean(), loans: Type.Boolean(), receipts: Type.Boolean() };
const choice = { mode, ...wanted, areas: list(AreaKey, { maxItems: 20 }) };
const NONE = { watchlists: false, loans: false, receipts: false, areas: [] };

export function digestRoutes(app: App, deps: Deps): void {
  app.get('/digests', hidden({ querystring: strict({ mode }) }, Type.Object(choice)), async (request) => {
    const { user, account } = signedInOf(request);
    const subscriber = { user_id: user.id, account_id: account.id, mode: request.query.mode };
    return { ...NONE, ...(await sql.findSubscription(deps.control, subscriber)), mode: subscriber.mode };
  });

  app.put('/digests', hidden({ body: strict(choice) }, Type.Object(choice)), async (request) => {
    const { user, account } = signedInOf(request);
    const { body } = request;
    for (const each of body.areas) await readSummary(deps, body.mode, each);
    const row = { user_id: user.id, account_id: account.id, ...body, created_at: deps.clock() };
    if (body.watchlists || body.loans || body.receipts || body.areas.length > 0)
      await sql.upsertSubscription(deps.control, row);
    else await sql.deleteSubscription(deps.control, row);
    return body;
  });
}

/** For mail programs, which post an RFC 8058 form without a cookie, and for the page that the link opens. */
export async function unsubscribeRoutes(app: App, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4_096 }, (_request, _body, done) => done(null));
    const inputs = { querystring: strict({ token: text(300, { minLength: 1 }) }) };
    (scope as App).post('/unsubscribe', hidden(inputs, Done), async (request) => {
      await unsubscribe(deps, request.query.token);
      return { object: 'done' as const };
    });
  });
}
