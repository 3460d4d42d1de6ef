// The Fastify instance as our rooms see it, and what a route says about itself beside its shapes.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { AccountRow, KeyRow } from '../accounts/accounts.ts';
import type { Scope } from '../accounts/scopes.ts';
import type { ErrorCode } from '../lib/errors.ts';
import type { Admission } from '../usage/usage.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type Meter = 'standard' | 'avm' | 'none';

/** Who is calling: set by gate/auth.ts on every keyed route. */
export interface Caller {
  account: AccountRow;
  key: KeyRow;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a key needs. */
    scope?: Scope;
    meter?: Meter;
    /** On no meter itself, yet one call of the hourly limit: submitting a batch. */
    countsHourly?: boolean;
    /** Errors of this route beyond those that any keyed route can answer. */
    errors?: readonly ErrorCode[];
    /** Left out of the OpenAPI document. */
    isHidden?: boolean;
    /** One resource that rarely changes: answered with an ETag, and with 304 when the caller has it. */
    etag?: boolean;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Calls this request used, on its route's meter; counted only if the answer is a 2xx. */
    usageUnits: number;
    /** Set when gate/limits.ts let the call in. */
    admission?: Admission;
    /** Set when gate/metering.ts has written the request down. */
    isRecorded?: boolean;
    errorCode?: ErrorCode;
  }
}
