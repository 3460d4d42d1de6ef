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

/** The errors of a route that returns one record. */
export const RECORD_ERRORS = ['property_not_found', 'property_superseded', 'address_ambiguous'] as const;
export const MOVED = {
  301: Type.Unsafe<undefined>({ type: 'null', description: 'Merged into another property; see the Location header.' }),
};

export function viewOf(request: FastifyRequest): View {
  const { key } = request.caller;
  return { mode: key.mode, mayReadOwners: key.scopes.includes('owners:read') };
}

/** The filter of a request; owner filters, including occupancy, require the scope to read owners. */
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

/** Answers about the row for `:id`. A merged property redirects to its successor. */
export async function answerAbout<Answer>(
  deps: Deps,
  { url, caller, params: { id } }: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  answer: (row: PropertyRow) => Promise<Answer>,
): Promise<Answer | void> {
  const { row, movedTo } = await getProperty(deps, caller.key.mode, id);
  if (movedTo === undefined) return answer(row);
  return reply.redirect(url.replace(encodeURIComponent(id), movedTo).replace(id, movedTo), 301);
}
