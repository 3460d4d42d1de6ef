// Budgets for what live mode shows without a charge: tiles, counts and suggestions, per account and hour, over all processes.
import type { App } from '../../base/http/types.ts';
import type { Usage } from '../../customers/usage/usage.ts';

export function limitFreeData(app: App, usage: Usage): void {
  app.addHook('onRequest', async (request) => {
    const { budget } = request.routeOptions.config;
    if (budget !== undefined && request.caller.key.mode === 'live') await usage.admitFree(request.caller, budget);
  });
}
