// Reads from a request its property, its filter, and the view its caller is allowed.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { text } from '../../base/lib/schema.ts';
import { checkLists, readFilter, type Filter, type FilterInput } from './filter.ts';
import { OWNER_FACTS } from './tenure-filters.ts';
import { getProperty, type View } from './properties.ts';
import { type PropertyRow } from './sql.ts';

export const PropertyParams = Type.Object({
  id: text(120, { minLength: 1, description: '`prop_…`, or `fips:apn`, for example `99001:12-3456`.' }),
});

/** What a route of one record can answer besides it. */
export const RECORD_ERRORS = ['property_not_found', 'property_superseded', 'address_ambiguous'] as const;
export const MOVED = {
  301: Type.Unsafe<undefined>({ type: 'null', description: 'Merged into another property; see the Location header.' }),
};

export function viewOf(request: FastifyRequest): View {
  const { key } = request.caller;
  return { mode: key.mode, mayReadOwners: key.scopes.includes('owners:read') };
}

/** The filter of a request; who owns a home, and whether they live there, is for callers who may read owners. */
export function filterOf({ key }: Pick<Caller, 'key'>, input: FilterInput): Filter {
  checkLists(input);
  const filter = readFilter(input);
  const behindScope = ['owner_type', 'owner_occupied', ...OWNER_FACTS] as const;
  const name = behindScope.find((each) => input[each] !== undefined);
  if (name !== undefined && !key.scopes.includes('owners:read')) {
    fail('insufficient_scope', `\`${name}\` requires the scope \`owners:read\`.`, { required_scope: 'owners:read' });
  }
  return filter;
}

/** The row for `:id`. A merged property redirects to its successor and returns undefined: nothing is left to answer. */
export async function propertyOfRequest(
  deps: Deps,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<PropertyRow | undefined> {
  const { row, movedTo } = await getProperty(deps, request.caller.key.mode, request.params.id);
  if (movedTo === undefined) return row;
  void reply.redirect(
    request.url.replace(encodeURIComponent(request.params.id), movedTo).replace(request.params.id, movedTo),
    301,
  );
  return undefined;
}
