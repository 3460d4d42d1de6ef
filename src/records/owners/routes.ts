// HTTP route for finding parties. The name is sent in the body, so no URL log contains it.
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { actorOf } from '../../customers/accounts/accounts.ts';
import { listPropertyRows } from '../properties/properties.ts';
import { presentAddress } from '../properties/record.ts';
import { filterOf } from '../properties/request.ts';
import { listOwners } from '../properties/sql.ts';
import { readPartyName } from './party-name.ts';
import { OwnerSearch, PartyList, type Party } from './schema.ts';
import { searchParties, type FoundParty } from './search.ts';
import { ROLES } from './sql.ts';

export function ownerRoutes(app: App, deps: Deps): void {
  app.post(
    '/owners/search',
    operationsOf('owners', { scope: 'owners:read', meter: 'standard' })(
      'search_owners',
      'Find owners and parties to deeds by name or mailing address',
      {
        body: OwnerSearch,
        response: { 200: PartyList },
      },
    ),
    async (request) => {
      const { name, mailing_address: mailingAddress, role = [...ROLES], limit = 20, ...places } = request.body;
      if (name === undefined && mailingAddress === undefined)
        fail('invalid_request', 'Send `name`, `mailing_address` or both.', {
          errors: [{ pointer: '/name', code: 'required', detail: 'or mailing_address is required' }],
        });
      const { account, key } = request.caller;
      const filter = filterOf(request.caller, places);
      const found = await searchParties(deps, key.mode, { name, mailingAddress, roles: role, filter, limit });
      const asked = [name && readPartyName(name).words.toSorted().join(' '), mailingAddress?.toUpperCase()].join('|');
      await inTransaction(deps.control, (client) =>
        recordAudit(client, {
          accountId: account.id,
          actor: actorOf(request.caller, request.ip).id,
          ip: request.ip,
          action: 'owners.searched',
          details: {
            by: [...(name === undefined ? [] : ['name']), ...(mailingAddress === undefined ? [] : ['mailing_address'])],
            fingerprint: deps.secrets.sign('audit', asked).toString('hex').slice(0, 16),
            found: found.parties.length,
            mode: key.mode,
          },
          at: deps.clock(),
        }),
      );
      const data = await presentParties(deps, found.parties);
      return { object: 'list' as const, data, is_complete: found.isComplete };
    },
  );
}

async function presentParties(deps: Pick<Deps, 'data'>, found: FoundParty[]): Promise<Party[]> {
  const ids = [...new Set(found.map(({ party }) => party.property_id))];
  const properties = await listPropertyRows(deps, ids);
  const rows = new Map(properties.map((row) => [row.id, row]));
  const owners = Map.groupBy(await listOwners(deps.data, properties), ({ property_id }) => property_id);
  return found.map(({ party, fit, score }) => {
    const row = rows.get(party.property_id);
    return {
      object: 'party',
      role: party.role,
      name: party.name,
      owner_id: party.owner_id,
      property_id: party.property_id,
      property_address: row ? presentAddress(row).formatted : null,
      fips: formatFips(party.fips),
      mailing_address: party.role === 'owner' ? (owners.get(party.property_id)?.[0].mailing_address ?? null) : null,
      dated_on: party.dated_on,
      transaction_id: party.transaction_id,
      fit,
      score,
    };
  });
}
