// The members that the gate adds to routes and requests: scope and meter, the caller, and the admission of the call.
import type { Caller } from '../../customers/accounts/accounts.ts';
import type { Budget } from '../../customers/accounts/plans.ts';
import type { Scope } from '../../customers/accounts/scopes.ts';
import type { ErrorCode } from '../../base/lib/errors.ts';
import type { App } from '../../base/http/types.ts';
import type { Admission } from '../../customers/usage/admission.ts';

export type Meter = 'standard' | 'avm' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a key needs. */
    scope?: Scope;
    meter?: Meter;
    /** Units of one request on its meter; default one. 0 if the route determines and reserves them itself with
        `request.holdUnits` before the work. */
    units?: number;
    /** Not metered, yet counts as one call against the hourly limit: submitting a batch. */
    countsHourly?: boolean;
    /** Shows live records or counts without a charge, so the account must be able to pay. */
    liveData?: boolean;
    /** Free, but limited per hour in live mode. */
    budget?: Budget;
    /** Answers visitors without an account, from the sandbox. */
    openToGuests?: boolean;
    /** Works while the account is suspended or closed: whatever is needed to see and pay a debt. */
    openWhileSuspended?: boolean;
  }
  interface FastifyRequest {
    /** Set by gate/auth.ts on every keyed route. */
    caller: Caller;
    /** Metered calls that this request used; counted only if the answer is a 2xx. */
    usageUnits: number;
    /** Set when gate/limits.ts admits the call. */
    admission?: Admission;
    /** Sets the units of a call whose price depends on the request, or fails with 402. */
    holdUnits(units: number): Promise<void>;
    /** Set when gate/metering.ts has promised in the journal that the call will be charged. */
    chargePromise?: number;
    /** The connection was closed before the response began. */
    hasHungUp?: boolean;
    /** Set when gate/metering.ts has recorded the request. */
    isRecorded?: boolean;
    errorCode?: ErrorCode;
  }
}

/** Declares the members up front, so that every request object has the same hidden class. */
export function decorateRequests(app: App): void {
  app.decorateRequest('usageUnits', 1);
  app.decorateRequest('admission', undefined);
  app.decorateRequest('chargePromise', undefined);
  app.decorateRequest('hasHungUp', false);
  app.decorateRequest('isRecorded', false);
  app.decorateRequest('errorCode', undefined);
  app.decorateRequest('earlier', undefined);
  app.decorateRequest('claimId', undefined);
  app.decorateRequest('claim', undefined);
  app.decorateRequest('endTurn', undefined);
}
