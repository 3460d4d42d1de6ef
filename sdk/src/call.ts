// Any operation, typed by its id: what it takes and what it gives follow from the OpenAPI document.
import { pagesOf, type Page, type Pages } from './pages.ts';
import type { CallOptions } from './transport.ts';
import type { Operations } from './types.ts';

/** Only the parts that an operation has; a query without required members may be left out. */
export type RequestOf<Name extends keyof Operations> = {
  [Part in 'path' | 'body' as undefined extends Operations[Name][Part] ? never : Part]: Operations[Name][Part];
} & (Operations[Name]['query'] extends undefined
  ? {}
  : {} extends Operations[Name]['query']
    ? { query?: Operations[Name]['query'] }
    : { query: Operations[Name]['query'] });

/** What needs nothing can be called with nothing. */
type Rest<Name extends keyof Operations> =
  {} extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions];

export type Call = <Name extends keyof Operations>(
  operation: Name,
  ...rest: Rest<Name>
) => Promise<Operations[Name]['response']>;

/** The same without types, for code that handles any operation. */
export type AnyCall = (operation: keyof Operations, request?: object, options?: CallOptions) => Promise<unknown>;

type ItemOf<Name extends keyof Operations> = Operations[Name]['response'] extends { data: (infer Item)[] }
  ? Item
  : never;

export type CallPages = <Name extends keyof Operations>(
  operation: Name,
  request: RequestOf<Name>,
  options?: CallOptions,
) => Pages<ItemOf<Name>>;

/** The cursor goes where the rest of the request is: into the body if there is one, else into the query. */
export function createPages(call: AnyCall): CallPages {
  return (operation, request, options) =>
    pagesOf(async (cursor) => {
      const { body, query } = request as { body?: object; query?: object };
      const position = cursor === undefined ? {} : { cursor };
      const next = body
        ? { ...request, body: { ...body, ...position } }
        : { ...request, query: { ...query, ...position } };
      return (await call(operation, next, options)) as Page<ItemOf<typeof operation>>;
    });
}
