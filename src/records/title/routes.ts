// HTTP route for the title report.
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { answerAbout, MOVED, PropertyParams, RECORD_ERRORS, viewOf } from '../properties/request.ts';
import type { RiskReportReader } from '../risk/schema.ts';
import { TitleReport } from './schema.ts';
import { readTitle } from './title.ts';
import { strict } from '../../base/lib/schema.ts';

export function titleRoutes(app: App, deps: Deps, readRisk: RiskReportReader): void {
  app.get(
    '/properties/:id/title',
    operationsOf('properties')('get_title', 'Get the chain of title, mortgages, liens and what is open', {
      scope: 'transactions:read',
      meter: 'standard',
      etag: true,
      openToGuests: true,
      errors: RECORD_ERRORS,
      params: PropertyParams,
      querystring: strict({}),
      response: {
        200: TitleReport,
        ...MOVED,
      },
    }),
    (request, reply) =>
      answerAbout(deps, request, reply, (row) => readTitle(deps, row, { view: viewOf(request), readRisk })),
  );
}
