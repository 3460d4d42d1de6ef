// HTTP routes for addresses: one property by any locator, and suggestions while typing.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { pageOf } from '../../base/lib/schema.ts';
import { readFields, readIncludes } from '../properties/parameters.ts';
import { presentProperties, type RiskReader } from '../properties/properties.ts';
import { viewOf } from '../properties/request.ts';
import { autocomplete } from './suggest.ts';
import { locate } from './locate.ts';
import { AutocompleteQuery, LOCATE_ERRORS, LookupQuery, PropertyLookup, SuggestionPage } from './schema.ts';

const operation = operationsOf('properties');

export function addressRoutes(app: App, deps: Deps, readRisk: RiskReader): void {
  app.get(
    '/properties/lookup',
    operation('lookup_property', 'Look up one property by address, id, parcel number or point', {
      scope: 'properties:read',
      meter: 'standard',
      openToGuests: true,
      errors: LOCATE_ERRORS,
      querystring: LookupQuery,
      response: { 200: PropertyLookup },
    }),
    async (request) => {
      const { include, fields, match, ...wanted } = request.query;
      const { row, resolution } = await locate(deps, request.caller.key.mode, wanted, { match });
      const shape = { includes: readIncludes(include), fields: readFields(fields), readRisk };
      const [property] = await presentProperties(deps, viewOf(request), [row], shape);
      return { ...property, resolution };
    },
  );

  app.get(
    '/properties/autocomplete',
    operation('autocomplete_address', 'Suggest addresses while typing', {
      scope: 'properties:read',
      meter: 'none',
      liveData: true,
      budget: 'freeReads',
      openToGuests: true,
      querystring: AutocompleteQuery,
      response: { 200: SuggestionPage },
    }),
    async (request) => {
      const limit = request.query.limit ?? 10;
      const suggestions = await autocomplete(deps, request.query.q, { mode: request.caller.key.mode, limit });
      return pageOf(suggestions, limit, null);
    },
  );
}
