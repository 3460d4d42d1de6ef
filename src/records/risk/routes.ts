// HTTP routes for the risk report and the list of layers.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { pageOf, strict, several } from '../../base/lib/schema.ts';
import { readWords } from '../properties/parameters.ts';
import { answerAbout, MOVED, PropertyParams, RECORD_ERRORS } from '../properties/request.ts';
import { LAYER_NAMES } from '../../supply/layers/layers.ts';
import { describeLayers, LayerPage } from './layers.ts';
import { layerNamesOf } from './risk.ts';
import { RiskReport, type RiskReportReader } from './schema.ts';

export function riskRoutes(app: App, deps: Deps, readReports: RiskReportReader): void {
  app.get(
    '/properties/:id/risk',
    operationsOf('risk')('get_risk', 'Get the risk and enrichment layers of a property', {
      scope: 'risk:read',
      meter: 'standard',
      etag: true,
      openToGuests: true,
      errors: RECORD_ERRORS,
      params: PropertyParams,
      querystring: strict({
        layers: several('Layers to return, as `GET /layers` lists them. Default: all.', {
          words: LAYER_NAMES,
          examples: ['flood,census'],
        }),
      }),
      response: { 200: RiskReport, ...MOVED },
    }),
    async (request, reply) => {
      const { layers } = request.query;
      const names =
        layers === undefined ? undefined : readWords('layers', layers, layerNamesOf(await deps.catalog.read()));
      return answerAbout(deps, request, reply, async (row) => (await readReports([row], names))[0]);
    },
  );
}

/** For anyone, without a key. */
export function layerRoutes(app: App, deps: Deps): void {
  app.get(
    '/layers',
    operationsOf('risk')('list_layers', 'List the layers of this server, with their fields', {
      querystring: strict({}),
      response: { 200: LayerPage },
    }),
    async () => pageOf(describeLayers((await deps.catalog.read()).layers), 500, null),
  );
}
