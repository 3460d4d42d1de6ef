// HTTP routes of outlooks.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { ESTIMATE_ERRORS } from '../valuations/schema.ts';
import { readOutlook } from './outlooks.ts';
import { Outlook, OutlookRequest } from './schema.ts';

const metered = operationsOf('valuations', { scope: 'avm:read', meter: 'avm', errors: ESTIMATE_ERRORS });

export function outlookRoutes(app: App, deps: Deps): void {
  app.post(
    '/avm/outlook',
    metered('get_outlook', 'Forecast a home, its other conditions and its land', {
      body: OutlookRequest,
      response: { 200: Outlook },
    }),
    ({ caller: { key, account }, body }) => readOutlook(deps, { mode: key.mode, accountId: account.id }, body),
  );
}
