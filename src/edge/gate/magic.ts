// Handles magic inputs of sandbox keys: addresses and properties that always return a certain error or delay.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { ERRORS, fail } from '../../base/lib/errors.ts';
import { findMagicOutcome, type MagicOutcome } from '../../supply/sandbox/fixtures.ts';
import type { App } from '../../base/http/types.ts';

export function registerMagic(app: App): void {
  app.addHook('preHandler', async (request) => {
    if (request.caller.key.mode !== 'test') return;
    const outcome = outcomeFor(request);
    if (outcome?.kind === 'delay') await sleep(outcome.delayMs);
    if (outcome?.kind === 'error') {
      fail(
        outcome.code,
        `This sandbox input always returns \`${outcome.code}\`: ${ERRORS[outcome.code][1].toLowerCase()}.`,
        { retryAfterSeconds: outcome.retryAfterSeconds, reason: outcome.reason },
      );
    }
  });
}

function outcomeFor(request: FastifyRequest): MagicOutcome | undefined {
  const isValuation = request.routeOptions.config.meter === 'avm';
  for (const locator of locatorsOf(request)) {
    const outcome = findMagicOutcome(locator);
    if (outcome && outcome.kind !== 'layer_unavailable' && (outcome.calls === 'all' || isValuation)) return outcome;
  }
  return undefined;
}

/** The locators in a request's path, query, or valuation body. */
function locatorsOf(request: FastifyRequest): string[] {
  const { id } = (request.params ?? {}) as { id?: unknown };
  const { address, id: asked } = (request.query ?? {}) as { address?: unknown; id?: unknown };
  const { property } = (request.body ?? {}) as { property?: { id?: unknown; address?: unknown } | null };
  return [id, address, asked, property?.id, property?.address].filter((part) => typeof part === 'string');
}
