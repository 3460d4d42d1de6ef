// The requester of work whose price depends on the request.
import type { FastifyRequest } from 'fastify';
import { actorOf, type Actor, type Caller } from './accounts.ts';

export interface Asking {
  caller: Caller;
  by: Actor;
  /** Of the idempotency key: the same when the request is repeated after a crash. */
  claimId?: string;
  /** Reserves the work's standard calls, or fails with 402. */
  holdUnits(units: number): Promise<void>;
}

export const askingOf = (request: FastifyRequest): Asking => ({
  caller: request.caller,
  by: actorOf(request.caller, request.ip),
  claimId: request.claimId,
  holdUnits: (units) => request.holdUnits(units),
});
