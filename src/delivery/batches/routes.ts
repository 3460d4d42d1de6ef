// HTTP routes for batches.
import { ownerOf } from '../../customers/accounts/own-sql.ts';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { actorOf } from '../../customers/accounts/accounts.ts';
import type { Scope } from '../../customers/accounts/scopes.ts';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { decodeCursor, encodeCursor } from '../../base/lib/cursors.ts';
import { byCreation, presentPage, readPage, readSpan, spanPaging } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import {
  cursorParameter,
  DELETED,
  IdParams,
  limitParameter,
  oneOf,
  pageOf,
  strict,
  text,
} from '../../base/lib/schema.ts';
import { cancelBatch, deleteBatch, getBatch, isFinished, submitBatch, waitForBatch } from './batches.ts';
import { PROVIDER_IDS } from './providers.ts';
import { listResults, presentBatch, streamResults } from './results.ts';
import * as shape from './schema.ts';
import { listBatches, type BatchRow } from './sql.ts';
import { termsOf } from '../../customers/accounts/plans.ts';

const operation = operationsOf('batches');
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const INLINE_RESULTS = 100;

const wait = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait for the batch to finish.' }),
);
const SubmitQuery = strict({
  wait,
  include: Type.Optional(
    text(100, {
      description: `For NDJSON and CSV bodies: any of ${shape.PARTS.join(', ')}.`,
      examples: ['property,risk'],
    }),
  ),
});
const ResultsQuery = strict({
  format: Type.Optional(oneOf(['json', 'ndjson', 'csv'], { default: 'json' })),
  names: Type.Optional(
    oneOf(PROVIDER_IDS, {
      description: 'With `format=csv`: name the columns as this provider does, where it has them.',
    }),
  ),
  limit: limitParameter(100),
  cursor: cursorParameter,
  after_index: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Resume an interrupted NDJSON or CSV stream after this index.',
    }),
  ),
});

const SCOPE_OF_PART: Record<shape.Part, Scope> = {
  property: 'properties:read',
  risk: 'risk:read',
  valuation: 'avm:read',
};

export function batchRoutes(parent: App, deps: Deps): void {
  // A separate scope: only these routes accept NDJSON and CSV bodies, and JSON of any size goes to a thread unparsed.
  void parent.register(async (scope) => {
    const app = scope as App;
    app.removeContentTypeParser('application/json');
    for (const type of ['application/json', ...shape.NDJSON_TYPES, ...shape.SHEET_TYPES])
      app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    submitRoute(app, deps);
    readRoutes(app, deps);
    changeRoutes(app, deps);
  });
}

function submitRoute(app: App, deps: Deps): void {
  app.post(
    '/batches',
    {
      bodyLimit: MAX_BODY_BYTES,
      // A body is checked where it is read.
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : app.validatorCompiler!(part)),
      ...operation('create_batch', 'Create a batch', {
        scope: 'batch:write',
        meter: 'none',
        countsHourly: true,
        errors: ['batch_too_large', 'quota_exhausted', 'trial_expired', 'spend_cap_reached', 'insufficient_scope'],
        querystring: SubmitQuery,
        body: {
          content: { 'application/json': { schema: shape.NewBatch }, ...shape.NDJSON_BODY, ...shape.SHEET_BODY },
        },
        response: { 200: shape.BatchWithResults, 202: shape.BatchWithResults },
      }),
    },
    async (request, reply) => {
      const { key } = request.caller;
      const submission = await readBody(deps, request);
      for (const part of submission.include) {
        const required = SCOPE_OF_PART[part];
        if (!key.scopes.includes(required))
          fail('insufficient_scope', `include=${part} needs the scope \`${required}\`.`, { required_scope: required });
      }
      const batch = await submitBatch(deps, request.caller, { ...submission, claimId: request.claimId });
      const latest = await waitForBatch(deps, batch, request.query.wait ?? 0);
      return reply
        .code(isFinished(latest.state) ? 200 : 202)
        .header('location', `/api/v1/batches/${batch.id}`)
        .send(await withResults(deps, latest, request.query.wait));
    },
  );
}

function readRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('batches', { scope: 'batch:read', meter: 'none' });

  app.get(
    '/batches',
    reads('list_batches', 'List batches, newest first', {
      querystring: strict({ status: Type.Optional(oneOf(shape.BATCH_STATES)), ...spanPaging }),
      response: { 200: shape.BatchPage },
    }),
    async (request) => {
      const owner = ownerOf(request.caller);
      const { status: state } = request.query;
      const span = readSpan(request.query);
      const list = (before: [string, string] | undefined, limit: number) =>
        listBatches(deps.control, owner, state, { span, before, limit });
      const name = ['batches', owner.account_id, owner.mode, state ?? null, span];
      const page = await readPage(deps.secrets, name, request.query, list, byCreation);
      return presentPage(page, (batch) => presentBatch(batch, deps.clock()));
    },
  );

  app.get(
    '/batches/:id',
    reads('get_batch', 'Get a batch’s state, counts and progress', {
      params: IdParams,
      querystring: strict({ wait }),
      response: { 200: shape.BatchWithResults },
    }),
    async (request) => {
      const batch = await waitForBatch(deps, await batchOf(deps, request), request.query.wait ?? 0);
      return withResults(deps, batch, request.query.wait);
    },
  );

  app.get(
    '/batches/:id/results',
    reads('list_batch_results', 'List batch results in input order', {
      params: IdParams,
      querystring: ResultsQuery,
      response: {
        200: {
          description: 'The results.',
          content: {
            'application/json': { schema: shape.BatchResultPage },
            'application/x-ndjson': { schema: Type.String({ maxLength: 500_000_000 }) },
            'text/csv': { schema: Type.String({ maxLength: 500_000_000 }) },
          },
        },
      },
    }),
    async (request, reply) => {
      const batch = await batchOf(deps, request);
      if (batch.results_deleted_at)
        fail('resource_not_found', 'The results of this batch have been deleted. Results are kept for 7 days.');
      const { format = 'json', names, cursor, limit = 100, after_index: afterIndex = -1 } = request.query;
      if (names !== undefined && format !== 'csv') fail('invalid_request', '`names` goes with `format=csv` only.');
      const identity = ['batch_results', batch.id];
      const after = cursor === undefined ? afterIndex : Number(decodeCursor(deps.secrets, identity, cursor)[0]);
      if (format !== 'json') {
        void reply.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8');
        return reply.send(Readable.from(streamResults(deps, batch, after, { format, names })) as unknown as string);
      }
      const results = await listResults(deps, batch.id, after, limit);
      const last = results.at(-1)?.index ?? after;
      const isOver = isFinished(batch.state) && last + 1 >= batch.total;
      return pageOf(results, limit, isOver ? null : encodeCursor(deps.secrets, identity, [last]));
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const writes = operationsOf('batches', { scope: 'batch:write', meter: 'none', errors: ['invalid_state'] });

  app.post(
    '/batches/:id/cancel',
    writes('cancel_batch', 'Cancel a batch', { params: IdParams, response: { 200: shape.Batch } }),
    async (request) => {
      const by = actorOf(request.caller, request.ip);
      return presentBatch(await cancelBatch(deps, await batchOf(deps, request), by), deps.clock());
    },
  );

  app.delete(
    '/batches/:id',
    writes('delete_batch', 'Delete a finished batch and its results', { params: IdParams, response: DELETED }),
    async (request, reply) => {
      await deleteBatch(deps, await batchOf(deps, request), actorOf(request.caller, request.ip));
      return reply.code(204).send();
    },
  );
}

const batchOf = (deps: Deps, request: FastifyRequest<{ Params: { id: string } }>) =>
  getBatch(deps, ownerOf(request.caller), request.params.id);

async function withResults(deps: Deps, batch: BatchRow, waited: number | undefined) {
  const presented = presentBatch(batch, deps.clock());
  if (!waited || !isFinished(batch.state) || batch.total > INLINE_RESULTS || batch.results_deleted_at) return presented;
  return { ...presented, results: await listResults(deps, batch.id, -1, INLINE_RESULTS) };
}

async function readBody(deps: Deps, request: FastifyRequest) {
  const { include } = request.query as Static<typeof SubmitQuery>;
  const { account } = request.caller;
  if (!Buffer.isBuffer(request.body))
    return fail('invalid_request', 'A batch needs a body: JSON, NDJSON, CSV or XLSX, with its content type.');
  const type = request.headers['content-type']?.split(';')[0].trim().toLowerCase() ?? '';
  const place = { file: new URL('./submission.ts', import.meta.url), name: 'readSubmission', account: account.id };
  const sent = { type, include, limit: termsOf(account).batchAddresses };
  return deps.threads.run<typeof import('./submission.ts').readSubmission>(place, request.body, sent);
}
