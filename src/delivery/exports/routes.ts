// HTTP routes for exports, their runs, and the files of runs to a folder.
import { getOwn, ownerOf, readOwnPage } from '../../customers/accounts/own-sql.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { actorOf } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { sendFile } from '../../base/http/ranges.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { DELETED, IdParams, Paging, text } from '../../base/lib/schema.ts';
import { folderOf } from './destinations.ts';
import {
  changeExport,
  createExport,
  deleteExport,
  presentExport,
  presentRun,
  refuseWithoutDelivery,
  refuseNames,
  startRun,
} from './exports.ts';
import { Export, ExportPage, ExportPatch, ExportRun, ExportRunPage, ExportWithRun, NewExport } from './schema.ts';
import { type ExportDefinition, findRun, listRuns } from './sql.ts';

const RunParams = Type.Object({ id: text(40), run_id: text(40) });
const name = text(60, { pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$' });
const FileParams = Type.Object({ ...RunParams.properties, name });
const BYTES = { 'application/octet-stream': { schema: Type.String({ maxLength: 10_000_000_000 }) } };

const reads = operationsOf('exports', { scope: 'exports:read', meter: 'none' });
const writes = operationsOf('exports', { scope: 'exports:write', meter: 'none' });

export function exportRoutes(app: App, deps: Deps): void {
  definitionRoutes(app, deps);
  runRoutes(app, deps);
}

const exportOf = (deps: Deps, request: FastifyRequest<{ Params: { id: string } }>) =>
  getOwn<ExportDefinition>(deps.control, 'exports', ownerOf(request.caller), request.params.id);

/** The export, if the caller may currently see everything in its files, whoever created it. */
async function readableExportOf(deps: Deps, request: FastifyRequest<{ Params: { id: string } }>) {
  const item = await exportOf(deps, request);
  refuseNames(request.caller, item);
  return item;
}

function definitionRoutes(app: App, deps: Deps): void {
  app.get(
    '/exports',
    reads('list_exports', 'List exports', { querystring: Paging, response: { 200: ExportPage } }),
    async (request) => {
      const page = await readOwnPage<ExportDefinition>(deps, 'exports', ownerOf(request.caller), request.query);
      return presentPage(page, presentExport);
    },
  );

  app.post(
    '/exports',
    writes('create_export', 'Deliver a dataset as files, once or on a schedule', {
      errors: ['plan_feature_unavailable', 'geometry_invalid', 'geometry_too_large'],
      body: NewExport,
      response: { 202: ExportWithRun },
    }),
    async (request, reply) => {
      refuseWithoutDelivery(request.caller.account, request.caller.key.mode);
      const { destination } = request.body;
      if (destination.type === 's3' && destination.bucket === undefined)
        fail('invalid_request', '`destination` needs a `bucket`.');
      if (destination.type === 'folder' && Object.keys(destination).length > 1)
        fail('invalid_request', 'A destination of type `folder` has no other members.');
      const { item, run } = await createExport(deps, request.caller, request.body, actorOf(request.caller, request.ip));
      return created(reply, 'exports', { ...presentExport(item), run: presentRun(run) }, 202);
    },
  );

  app.get(
    '/exports/:id',
    reads('get_export', 'Get an export', { etag: true, params: IdParams, response: { 200: Export } }),
    async (request) => presentExport(await exportOf(deps, request)),
  );

  app.patch(
    '/exports/:id',
    writes('update_export', 'Update an export’s name or schedule, or pause or resume it', {
      params: IdParams,
      body: ExportPatch,
      response: { 200: Export },
    }),
    async (request) => {
      const by = actorOf(request.caller, request.ip);
      return presentExport(await changeExport(deps, await readableExportOf(deps, request), request.body, by));
    },
  );

  app.delete(
    '/exports/:id',
    writes('delete_export', 'Delete an export and the files kept of it; files in a bucket stay', {
      params: IdParams,
      response: DELETED,
    }),
    async (request, reply) => {
      await deleteExport(deps, await exportOf(deps, request), actorOf(request.caller, request.ip));
      return reply.code(204).send();
    },
  );
}

function runRoutes(app: App, deps: Deps): void {
  app.post(
    '/exports/:id/runs',
    writes('run_export', 'Run an export now', {
      errors: ['plan_feature_unavailable', 'invalid_state'],
      params: IdParams,
      response: { 202: ExportRun },
    }),
    async (request, reply) => {
      refuseWithoutDelivery(request.caller.account, request.caller.key.mode);
      const by = actorOf(request.caller, request.ip);
      const run = await startRun(deps, request.caller.account, await readableExportOf(deps, request), by);
      return reply.code(202).send(presentRun(run));
    },
  );

  app.get(
    '/exports/:id/runs',
    reads('list_export_runs', 'List an export’s runs, newest first', {
      params: IdParams,
      querystring: Paging,
      response: { 200: ExportRunPage },
    }),
    async (request) => {
      const item = await exportOf(deps, request);
      const list = (before: [string, string] | undefined, limit: number) =>
        listRuns(deps.control, item.id, before, limit);
      const page = await readPage(deps.secrets, ['export_runs', item.id], request.query, list, byCreation);
      return presentPage(page, presentRun);
    },
  );

  const runOf = async (request: FastifyRequest<{ Params: { id: string; run_id: string } }>) => {
    const item = await exportOf(deps, request);
    const { run_id: id } = request.params;
    return (await findRun(deps.control, item.id, id)) ?? fail('resource_not_found', `No run has the id ${id}.`);
  };

  app.get(
    '/exports/:id/runs/:run_id',
    reads('get_export_run', 'Get an export run', { params: RunParams, response: { 200: ExportRun } }),
    async (request) => presentRun(await runOf(request)),
  );

  app.get(
    '/exports/:id/runs/:run_id/files/:name',
    reads('get_export_file', 'Download a file of a run that went to a folder', {
      errors: ['range_not_satisfiable'],
      params: FileParams,
      response: {
        200: { description: 'The file.', content: BYTES },
        206: { description: 'The part of the file that `Range` asks for.', content: BYTES },
      },
    }),
    async (request, reply) => {
      await readableExportOf(deps, request);
      const run = await runOf(request);
      const { name } = request.params;
      if (run.expired_at !== null)
        fail('resource_not_found', 'The files of this run are no longer kept. Run the export again.');
      const key = run.manifest_key?.replace('_manifest.json', name);
      const path = key && join(folderOf(deps, run.account_id), key);
      const stats = path && statSync(path, { throwIfNoEntry: false });
      if (!path || !stats) fail('resource_not_found', `This run has no file named ${name}.`);
      reply.type('application/octet-stream').header('content-disposition', `attachment; filename="${name}"`);
      return sendFile(request, reply, path, stats) as never;
    },
  );
}
