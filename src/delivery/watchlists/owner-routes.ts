// HTTP route for one owner: properties, joint value, and related owners.
import Type from 'typebox';
import { recordAct, actorOf } from '../../customers/accounts/accounts.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { decimal, list, named, nullable, oneOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import { readOwnerGroup } from '../../records/owners/group.ts';
import { isOrganization } from '../../records/title/names.ts';
import { analyzeHoldings } from './portfolio.ts';
import { Portfolio } from './portfolio-schema.ts';
import { callsFor } from './watchlists.ts';

const whole = (options: object = {}) => wholeNumber({ minimum: 0, ...options });
const { total, exposure } = Portfolio.properties;
const Holdings = { property_count: whole(), valued_count: whole(), total, exposure };

const RelatedOwner = named('RelatedOwner', {
  owner_id: text(40),
  name: text(300),
  kind: oneOf(['person', 'organization']),
  property_count: whole(),
  tie: named('OwnerTie', {
    reason: oneOf(['mailing_address']),
    shared_by: whole({ description: 'Owners whose mail goes to that address.' }),
    strength: decimal({ minimum: 0, maximum: 1, description: 'One divided by how many others share the address.' }),
  }),
});

const Owner = named('OwnerPortfolio', {
  object: oneOf(['owner']),
  id: text(40),
  name: text(300),
  kind: oneOf(['person', 'organization']),
  property_ids: list(text(40)),
  ...Holdings,
  group: nullable(
    Type.Object(
      {
        ...Holdings,
        owners: list(RelatedOwner),
        property_ids: list(text(40), { description: 'Of the owner and of all related ones.' }),
        is_complete: Type.Boolean({ description: 'false: there are more than the first 200 owners or 5,000 parcels.' }),
      },
      {
        title: 'OwnerGroup',
        description:
          'Owners whose mail goes to the same address, and on from them. A sign of one interest, not a proof of it. ' +
          'null: nobody else is tied to this owner.',
      },
    ),
  ),
});

export function ownerPortfolioRoutes(app: App, deps: Deps): void {
  app.get(
    '/owners/:id',
    operationsOf('owners')('get_owner', 'Get an owner’s properties, their joint value, and related owners', {
      scope: 'owners:read',
      meter: 'standard',
      units: 0,
      liveData: true,
      params: Type.Object({ id: text(40, { examples: ['own_r5pv0000000000000000'] }) }),
      querystring: strict({}),
      response: { 200: Owner },
    }),
    async (request) => {
      const { account, key } = request.caller;
      const { id } = request.params;
      const found = /^own_[0-9a-z]{20}$/.test(id) ? await readOwnerGroup(deps, key.mode, id) : undefined;
      if (!found) return fail('resource_not_found', `No owner has the id ${id}.`);
      const [own, ...others] = found.members;
      const all = found.members.flatMap(({ parcels }) => parcels);
      await request.holdUnits(callsFor(all.length));
      const asker = { account: account.id, mode: key.mode };
      const group = others.length > 0 ? await analyzeHoldings(deps, asker, all) : undefined;
      const answer = {
        object: 'owner' as const,
        id,
        name: own.name,
        kind: kindOf(own.name),
        property_ids: own.parcels.map((parcel) => parcel.id),
        ...(await analyzeHoldings(deps, asker, own.parcels)),
        group: group
          ? {
              ...group,
              owners: others.map(({ ownerId, name, parcels, tie }) => ({
                owner_id: ownerId,
                name,
                kind: kindOf(name),
                property_count: parcels.length,
                tie: {
                  reason: 'mailing_address' as const,
                  shared_by: tie?.sharedBy ?? 0,
                  strength: Math.round(1000 / Math.max(1, (tie?.sharedBy ?? 2) - 1)) / 1000,
                },
              })),
              property_ids: all.map((parcel) => parcel.id),
              is_complete: found.isComplete,
            }
          : null,
      };
      const [by, read] = [actorOf(request.caller, request.ip), { id, account_id: account.id }];
      const details = { mode: key.mode, related: others.length };
      await inTransaction(deps.control, (client) => recordAct(deps, client, by, 'owner.read', read, details));
      return answer;
    },
  );
}

const kindOf = (name: string) => (isOrganization(name) ? ('organization' as const) : ('person' as const));
