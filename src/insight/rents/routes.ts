// HTTP routes of rent estimates.
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { LOCATE_ERRORS } from '../../records/address/schema.ts';
import { estimateRent } from './rents.ts';
import { readRentQuery, RentEstimate, RentQuery, RentRequest } from './schema.ts';

const operation = operationsOf('rents', {
  scope: 'properties:read',
  meter: 'standard',
  errors: LOCATE_ERRORS,
});

export function rentRoutes(app: App, deps: Deps): void {
  async function answer(request: FastifyRequest, wanted: RentRequest) {
    const estimate = await estimateRent(deps, request.caller.key.mode, wanted);
    if (estimate.rent === null) request.usageUnits = 0;
    return estimate;
  }

  app.get(
    '/rents/estimate',
    operation('estimate_rent_by_query', 'Estimate the rent of a home by query', {
      openToGuests: true,
      querystring: RentQuery,
      response: { 200: RentEstimate },
    }),
    (request) => answer(request, readRentQuery(request.query)),
  );

  app.post(
    '/rents/estimate',
    operation('estimate_rent', 'Estimate the rent of a home', { body: RentRequest, response: { 200: RentEstimate } }),
    (request) => answer(request, request.body),
  );
}
