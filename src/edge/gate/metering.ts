// Records every keyed request once. A 2xx to a live key or to a test clock's is charged; nothing else ever is. A GET is
// charged once its response starts to be sent, no matter how much the caller reads. Any other call is charged when its
// work is done, even if the caller is gone: it may have created something, or its response is stored for a retry. The
// charge is promised in the journal just before the response is sent; otherwise a process killed in between would have
// served the call for free.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { isMetered, nowOf } from '../../customers/accounts/clock-sql.ts';
import type { JournalLine } from '../../customers/usage/journal.ts';
import type { Usage } from '../../customers/usage/usage.ts';
import type { App } from '../../base/http/types.ts';
import type { Meter } from './caller.ts';

export function meterCalls(app: App, deps: Pick<Deps, 'clock'>, usage: Usage): void {
  app.addHook('onError', async (request, _reply, error) => {
    request.errorCode = error instanceof ApiError ? error.code : undefined;
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { meter = 'none' } = request.routeOptions.config;
    if (request.method === 'HEAD' && meter !== 'none') {
      reply.header('allow', 'GET');
      fail('method_not_allowed', 'A metered route has no HEAD: it would do the work of a GET and show nothing of it.');
    }
    reply.raw.once('close', () => {
      const { headersSent } = reply.raw;
      request.hasHungUp = !headersSent;
      // Releases the hold of a GET whose caller is gone.
      if (headersSent || request.method === 'GET') record(request, reply, headersSent);
    });
    done();
  });
  // The scope's hooks run after the app's own, so a 304 is already known here and reports no charge.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.routeOptions.config.meter === undefined) return done();
    const charged = chargedMeter(request, reply.statusCode);
    reply.headers({ 'x-usage-meter': charged, 'x-usage-units': charged === 'none' ? 0 : request.usageUnits });
    if (charged !== 'none' && !request.isRecorded) {
      request.chargePromise = usage.promise(lineOf(request, reply, reply.statusCode));
    }
    // No further event fires for a response to a closed connection.
    if (request.hasHungUp) record(request, reply, true);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    record(request, reply, true);
    done();
  });

  function record(request: FastifyRequest, reply: FastifyReply, isSent: boolean): void {
    if (request.caller === undefined || request.caller.isGuest || request.isRecorded) return;
    request.isRecorded = true;
    const line = lineOf(request, reply, isSent ? reply.statusCode : 499);
    usage.record(request.chargePromise === undefined ? line : { ...line, n: request.chargePromise });
  }

  function lineOf(request: FastifyRequest, reply: FastifyReply, status: number): JournalLine {
    const { account, key } = request.caller;
    const meter = chargedMeter(request, status);
    return {
      t: nowOf(deps, account).getTime(),
      a: account.id,
      k: key.id,
      m: key.mode,
      r: request.id,
      v: request.method,
      p: request.routeOptions.url ?? 'unknown',
      s: status,
      d: Math.round(reply.elapsedTime * 100) / 100,
      ...(request.errorCode !== undefined && { e: request.errorCode }),
      ...(meter !== 'none' && {
        c: { m: meter, u: request.usageUnits, p: request.admission!.periodStart.getTime() },
      }),
      ...(request.admission?.holdId !== undefined && { h: request.admission.holdId }),
    };
  }
}

/** The meter a response is charged on; `none` for anything but a 2xx with units to a metered key. */
function chargedMeter(request: FastifyRequest, status: number): Meter {
  const { meter = 'none' } = request.routeOptions.config ?? {};
  const isCharged =
    status >= 200 &&
    status < 300 &&
    request.caller !== undefined &&
    isMetered(request.caller) &&
    request.usageUnits > 0 &&
    !!request.admission;
  return isCharged ? meter : 'none';
}
