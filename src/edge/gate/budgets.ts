// Budgets for what live mode shows without a charge: tiles, counts and suggestions, per account and hour, over all processes.
import { termsOf } from '../../customers/accounts/plans.ts';
import type { App } from '../../base/http/types.ts';
import type { Usage } from '../../customers/usage/usage.ts';

export function limitFreeData(app: App, usage: Usage): void {
  app.addHook('onRequest', async (request) => {
    const { budget } = request.routeOptions.config;
    const { account, key } = request.caller;
    if (budget === undefined || key.mode !== 'live') return;
    const { tilesPerHour, looksPerHour } = termsOf(account);
    await usage.admitFree(account.id, budget, budget === 'tiles' ? tilesPerHour : looksPerHour);
  });
}
