import { type Pages } from './pages.ts';
import type { CallOptions } from './transport.ts';
import type { Operations } from './types.ts';
/** Includes only the parts an operation has. A query without required parameters is optional. */
export type RequestOf<Name extends keyof Operations> = {
    [Part in 'path' | 'body' as undefined extends Operations[Name][Part] ? never : Part]: Operations[Name][Part];
} & (Operations[Name]['query'] extends undefined ? {} : {} extends Operations[Name]['query'] ? {
    query?: Operations[Name]['query'];
} : {
    query: Operations[Name]['query'];
});
/** Makes the request argument optional for operations that require no input. */
type Rest<Name extends keyof Operations> = {} extends RequestOf<Name> ? [request?: RequestOf<Name>, options?: CallOptions] : [request: RequestOf<Name>, options?: CallOptions];
export type Call = <Name extends keyof Operations>(operation: Name, ...rest: Rest<Name>) => Promise<Operations[Name]['response']>;
/** Untyped variant, for code that handles any operation. */
export type AnyCall = (operation: keyof Operations, request?: object, options?: CallOptions) => Promise<unknown>;
type ItemOf<Name extends keyof Operations> = Operations[Name]['response'] extends {
    data: (infer Item)[];
} ? Item : never;
export type CallPages = <Name extends keyof Operations>(operation: Name, request: RequestOf<Name>, options?: CallOptions) => Pages<ItemOf<Name>>;
/** Puts the cursor in the body if the request has one, and in the query otherwise. */
export declare function createPages(call: AnyCall): CallPages;
export {};
