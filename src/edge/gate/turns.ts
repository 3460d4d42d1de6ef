// Fair scheduling of accounts in a process: while others are active, an account has few concurrent requests. Otherwise
// a caller that sends a hundred at once gets a hundred shares of the event loop and all PostgreSQL connections.
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { networkOf } from '../../base/lib/ips.ts';
import { createTurns, refuseToWait } from '../../base/lib/turns.ts';

/** An account counts as active for this long after its last call. */
const HERE_MS = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    endTurn?: () => void;
  }
}

/** Runs after all checks, before the work. */
export function takeTurns(app: App, { config: { poolSize }, clock }: Pick<Deps, 'config' | 'clock'>): void {
  // Connection shares: all but two for a single active account, a quarter with others active.
  const [alone, besideOthers] = [Math.max(2, poolSize - 2), Math.max(2, Math.floor(poolSize / 4))];
  let [newest, other] = [
    { caller: '', at: -Infinity },
    { caller: '', at: -Infinity },
  ];
  const mostOf = (caller: string) => {
    const { at } = newest.caller === caller ? other : newest;
    return clock().getTime() - at < HERE_MS ? besideOthers : alone;
  };
  const inTurn = createTurns({ most: Infinity, mostOf, mostWaitingOf: 1_000, mostWaiting: 10_000 });

  app.addHook('preHandler', (request, _reply, done) => {
    const { account, isGuest } = request.caller;
    const caller = isGuest ? networkOf(request.ip) : (account.parent_id ?? account.id);
    if (caller !== newest.caller) [newest, other] = [{ caller, at: 0 }, newest];
    newest.at = clock().getTime();
    const work = () =>
      new Promise<void>((endTurn) => {
        request.endTurn = endTurn;
        if (request.hasHungUp) refuseToWait();
        done();
      });
    inTurn(work, caller).catch(done);
  });
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.endTurn?.();
    done();
  });
}
