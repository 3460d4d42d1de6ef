// HTTP routes for onboarding counties. For signed-in operators only: everyone else gets the 404 of an unknown path.
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { MEANINGS } from '../../supply/ingest/scaffold.ts';
import { fail } from '../../base/lib/errors.ts';
import type { Job } from '../../base/jobs/sql.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { pageOf, presentRow } from '../../base/lib/schema.ts';
import { signedInOf } from '../../customers/people/requests.ts';
import type { SignedIn } from '../../customers/people/sessions.ts';
import { catalogRoutes } from './catalog-routes.ts';
import * as counties from './counties.ts';
import { folderOf } from './files.ts';
import { MAP_FILE } from './steps.ts';
import * as shape from './schema.ts';
import { listDrafts, type DraftRow } from './sql.ts';

/** Small enough that a slow connection sends a part within the request timeout. */
const PART_BYTES = 8 * 1024 * 1024;
const MOST_LISTED = 500;
const NOTHING = Type.Unsafe<undefined>({ type: 'null', description: 'Done.' });

export const countyRoutes = (app: App, deps: Deps): Promise<void> =>
  app.register(
    async (scope) => {
      const own = scope as App;
      own.addHook('onRequest', async (request) => refuseOthers(request));
      catalogRoutes(own, deps);
      readingRoutes(own, deps);
      changingRoutes(own, deps);
      fileRoute(own, deps);
    },
    { prefix: '/counties' },
  ) as unknown as Promise<void>;

/** The same answer as for a path that does not exist. */
function refuseOthers({ signedIn }: FastifyRequest): void {
  if (signedIn?.user.operator_since) return;
  fail('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.');
}

const config = { isHidden: true };

function readingRoutes(app: App, deps: Deps): void {
  app.get('/', hidden({}, shape.DraftPage), async () => {
    const drafts = await listDrafts(deps.control, MOST_LISTED);
    const ids = drafts.map(({ id }) => id);
    const steps = Map.groupBy(await counties.listLastSteps(deps.control, ids), ({ subject }) => subject);
    const data = drafts.map((draft) => summarize(draft, steps.get(draft.id) ?? []));
    return pageOf(data, MOST_LISTED, null);
  });

  app.get('/:id', hidden({ params: shape.DraftParams }, shape.Draft), async (request) =>
    present(deps, await counties.getDraft(deps, request.params.id)),
  );

  app.get('/:id/map.svg', { config, schema: { params: shape.DraftParams } }, async (request, reply) => {
    const { id } = await counties.getDraft(deps, request.params.id);
    const path = join(folderOf(deps, id), MAP_FILE);
    if (!existsSync(path)) fail('resource_not_found', 'There is no map before a preview has been made.');
    return reply
      .type('image/svg+xml')
      .header('content-security-policy', `default-src 'none'`)
      .header('cache-control', 'private, no-cache')
      .send(createReadStream(path));
  });
}

function changingRoutes(app: App, deps: Deps): void {
  const one = { params: shape.DraftParams };

  app.post('/', hidden({ body: shape.NewDraft }, shape.Draft), async (request, reply) => {
    const draft = await counties.createDraft(deps, signedInOf(request), request.body);
    return reply.code(201).send(await present(deps, draft));
  });

  app.post('/:id/columns', hidden({ ...one, body: shape.ReadingForm }, shape.StepShape), async (request, reply) => {
    const { signedIn, id } = asked(request);
    return reply.code(202).send(presentStep(await counties.changeReading(deps, signedIn, id, request.body)));
  });

  app.put('/:id/recipe', hidden({ ...one, body: shape.RecipeForm }, shape.Draft), async (request) => {
    const { signedIn, id } = asked(request);
    return present(deps, await counties.changeRecipe(deps, signedIn, id, request.body));
  });

  app.post('/:id/steps', hidden({ ...one, body: shape.StepForm }, shape.StepShape), async (request, reply) => {
    const { signedIn, id } = asked(request);
    return reply.code(202).send(presentStep(await counties.startStep(deps, signedIn, id, request.body)));
  });

  app.post('/:id/cancel', hidden({ ...one }, shape.Draft), async (request, reply) => {
    const { signedIn, id } = asked(request);
    await counties.cancelStep(deps, signedIn, id);
    return reply.code(202).send(await present(deps, await counties.getDraft(deps, id)));
  });

  app.delete('/:id', { config, schema: { ...one, response: { 204: NOTHING } } }, async (request, reply) => {
    const { signedIn, id } = asked(request);
    await counties.deleteDraft(deps, signedIn, id);
    return reply.code(204).send();
  });
}

function fileRoute(app: App, deps: Deps): void {
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: PART_BYTES },
    (_request, body, done) => done(null, body),
  );
  app.put(
    '/:id/file',
    {
      config,
      bodyLimit: PART_BYTES,
      schema: { params: shape.DraftParams, querystring: shape.PartQuery, response: { 200: shape.Draft } },
    },
    async (request) => {
      const { signedIn, id } = asked(request);
      if (!Buffer.isBuffer(request.body) || request.body.length === 0)
        fail('unsupported_media_type', 'Send the bytes of the file as application/octet-stream.');
      const part = { id, offset: request.query.offset, part: request.body };
      return present(deps, await counties.receivePart(deps, signedIn, part));
    },
  );
}

const asked = (request: FastifyRequest): { signedIn: SignedIn; id: string } => ({
  signedIn: signedInOf(request),
  id: (request.params as { id: string }).id,
});

function summarize(draft: DraftRow, steps: Job<counties.StepJobName>[]) {
  const { summary, place } = draft;
  return {
    object: 'county_draft' as const,
    ...presentRow(shape.DraftSummary, draft),
    place: { ...place, fips: formatFips(place.fips) },
    file: {
      name: draft.file_name,
      bytes: draft.file_bytes,
      received_bytes: draft.received_bytes,
      url: draft.url,
      type: summary?.type ?? null,
      rows: summary?.rows ?? null,
      has_more: summary?.has_more ?? false,
      shapes: summary?.shapes ?? 0,
    },
    steps: steps.map(presentStep),
  };
}

async function present(deps: Deps, draft: DraftRow) {
  return {
    ...presentRow(shape.Draft, draft),
    ...summarize(draft, await counties.listLastSteps(deps.control, [draft.id])),
    columns: draft.summary?.columns ?? [],
    meanings: MEANINGS,
    market: draft.recipe === null ? null : await counties.marketOf(deps, draft.recipe),
  };
}

const presentStep = (step: Job<counties.StepJobName>) => ({
  object: 'county_step' as const,
  ...presentRow(shape.StepShape, step),
  kind: counties.kindOf(step),
  is_canceling: step.is_cancel_requested && step.state === 'running',
  recipe_version: step.payload.recipe_version,
});
