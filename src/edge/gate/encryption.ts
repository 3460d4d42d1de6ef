// Requires that keys, cookies and passwords arrive encrypted or from this machine. TLS ends here or at a trusted proxy.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { isFromThisMachine } from '../../base/http/client-ip.ts';
import type { App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';

export interface EncryptionGuard {
  /** Rejects a request that could have been read in transit. */
  check(request: FastifyRequest): void;
  /** Exempts in-process requests made within `work`, which never touch the network. Awaited inside, because an injected
      request starts only when awaited. */
  inProcess<T>(work: () => PromiseLike<T>): Promise<T>;
  /** Whether the current request is one of those. */
  isInProcess(): boolean;
}

export function createEncryptionGuard(): EncryptionGuard {
  const inside = new AsyncLocalStorage<true>();
  return {
    check(request) {
      if (request.protocol === 'https' || isFromThisMachine(request) || inside.getStore()) return;
      fail(
        'https_required',
        'This request came unencrypted. Use https://, and replace any key or password it contained. ' +
          'Operators: set TLS_CERT and TLS_KEY, or TRUST_PROXY for a proxy that sends x-forwarded-proto.',
      );
    },
    inProcess: (work) => inside.run(true, async () => await work()),
    isInProcess: () => inside.getStore() === true,
  };
}

export function requireEncryption(app: App, guard: EncryptionGuard): void {
  app.addHook('onRequest', (request, _reply, done) => {
    guard.check(request);
    done();
  });
}
