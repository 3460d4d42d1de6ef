// HTTP route for places by name.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { pageOf, strict, text } from '../../base/lib/schema.ts';
import { findPlaces } from './places.ts';
import { PlacePage } from './schema.ts';

const MOST = 20;

export function placeRoutes(app: App, deps: Deps): void {
  app.get(
    '/places',
    operationsOf('markets')('find_places', 'Find a place by the name people give it', {
      scope: 'properties:read',
      meter: 'none',
      liveData: true,
      budget: 'freeReads',
      errors: ['resource_not_found'],
      querystring: strict({
        q: text(200, {
          minLength: 1,
          description: '`Port Ellowby, ZZ`, `00103`, `Wendemere County`.',
          examples: ['Port Ellowby, ZZ'],
        }),
      }),
      response: { 200: PlacePage },
    }),
    async ({ query, caller }) => {
      const places = await findPlaces(deps, caller.key.mode, query.q.trim());
      return pageOf(places.slice(0, MOST), MOST, null);
    },
  );
}
