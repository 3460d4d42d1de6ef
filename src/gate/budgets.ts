// Budgets for what live mode shows without a charge: tiles, counts and suggestions, per account and hour, over all processes.
import { termsOf } from '../accounts/plans.ts';
import type { App } from '../http/types.ts';
import type { Usage } from '../usage/usage.ts';

export function limitFreeData(app: App, usage: Usage): void {
  app.addHook('onRequest', async (request) => {
    const { budget } = request.routeOptions.config;
    const { account, key } = request.caller;
    if (budget === undefined || key.mode !== 'live') return;
    const { tilesPerHour, looksPerHour } = termsOf(account);
    await usage.admitFree(account.id, budget, budget === 'tiles' ? tilesPerHour : looksPerHour);
  });
}
