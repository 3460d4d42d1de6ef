// HTTP route for the risk report.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { strict, several } from '../../base/lib/schema.ts';
import { readWords } from '../properties/parameters.ts';
import { MOVED, propertyOfRequest, PropertyParams, RECORD_ERRORS } from '../properties/request.ts';
import { LAYER_NAMES } from '../../supply/layers/layers.ts';
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
      description:
        'Each layer says whether something was found, nothing was found, the place is not covered, or the layer is temporarily unavailable.',
      params: PropertyParams,
      querystring: strict({
        layers: several('Layers to return. Default: all.', { words: LAYER_NAMES, examples: ['flood,census'] }),
      }),
      response: {
        200: RiskReport,
        ...MOVED,
      },
    }),
    async (request, reply) => {
      const layers =
        request.query.layers === undefined ? LAYER_NAMES : readWords('layers', request.query.layers, LAYER_NAMES);
      const row = await propertyOfRequest(deps, request, reply);
      if (!row) return reply;
      const [report] = await readReports([row], layers);
      return report;
    },
  );
}
