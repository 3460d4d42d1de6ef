// The Fastify instance as the rooms see it, and what a route says about itself beside its shapes. What the gate adds to a
// route and a request (scope, meter, caller) is declared in gate/caller.ts.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Options of a route that is left out of the OpenAPI document. */
export const hidden = <const Inputs extends object, Answer extends TSchema>(inputs: Inputs, answer: Answer) => ({
  config: { isHidden: true },
  schema: { ...inputs, response: { '2xx': answer } },
});

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors this route can return beyond those that any keyed route can. */
    errors?: readonly ErrorCode[];
    /** Left out of the OpenAPI document. */
    isHidden?: boolean;
    /** One resource that rarely changes: sent with an ETag, and answered with 304 when the caller already has it. */
    etag?: boolean;
    /** Read from the replica, where there is one: the answer tells how far it was behind. */
    mayLag?: boolean;
  }
}
