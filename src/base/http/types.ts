// The Fastify instance as the rooms see it, and the route configuration besides its shapes. What the gate adds to a
// route and a request (scope, meter, caller) is declared in gate/caller.ts.
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifySchema,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';

/** Gives handlers the types of their shapes. */
interface TypesOfShapes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypesOfShapes
>;

const SHAPES = new Set(['description', 'params', 'querystring', 'headers', 'body', 'response']);

/** Builds the options of documented routes: each gets the tag and configuration given here, plus its own configuration
    and shapes in one object. A list with a cursor also documents the cursor errors. */
export const operationsOf =
  (tag: string, shared: FastifyContextConfig = {}) =>
  <const Options extends FastifyContextConfig & FastifySchema>(
    operationId: string,
    summary: string,
    options: Options,
  ) => {
    const pick = (isShape: boolean) =>
      Object.fromEntries(Object.entries(options).filter(([name]) => SHAPES.has(name) === isShape));
    const { properties = {} } = (options.querystring ?? {}) as { properties?: object };
    const cursorErrors: ErrorCode[] = 'cursor' in properties ? ['invalid_cursor', 'cursor_mismatch'] : [];
    const config: FastifyContextConfig = { ...shared, ...pick(false) };
    return {
      config: { ...config, errors: [...new Set([...(config.errors ?? []), ...cursorErrors])] },
      schema: { operationId, summary, tags: [tag], ...pick(true) } as unknown as Options,
    };
  };

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
    /** One resource that rarely changes: sent with an ETag, or as 304 if the caller already has it. */
    etag?: boolean;
    /** Read from the replica, if there is one; the response reports its lag. */
    mayLag?: boolean;
  }
}
