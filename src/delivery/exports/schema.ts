// The shapes of exports and their runs.
import Type from 'typebox';
import { instant, named, namedStrict, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';
import { FilterBody } from '../../records/properties/filter.ts';
import { DATASETS } from './columns.ts';

const FILE_FORMATS = ['parquet', 'ndjson', 'csv'] as const;
const RUN_STATUSES = ['queued', 'running', 'delivered', 'failed'] as const;
const SCHEDULES = ['once', 'hourly', 'daily', 'weekly'] as const;

const { updated_since: _updated, ...filterMembers } = FilterBody;
const name = text(100, { minLength: 1 });

const Destination = named('ExportDestination', {
  type: oneOf(['folder', 's3'], {
    description: '`folder`: download the files through the API. `s3`: your own S3-compatible bucket.',
  }),
  bucket: Type.Optional(text(63, { minLength: 3, pattern: '^[a-z0-9][a-z0-9.-]+$' })),
  prefix: Type.Optional(text(500, { pattern: '^[^/\\\\][^\\\\]*$' })),
  region: Type.Optional(text(40, { pattern: '^[a-z0-9-]+$' })),
  endpoint: Type.Optional(text(500, { format: 'uri', description: 'S3 endpoint URL, for storage other than AWS.' })),
});
const NewDestination = namedStrict('NewExportDestination', {
  ...Destination.properties,
  access_key_id: Type.Optional(text(200, { description: 'Stored encrypted and never returned.' })),
  secret_access_key: Type.Optional(text(500)),
  session_token: Type.Optional(text(5_000)),
});

export const Export = named('Export', {
  object: oneOf(['export']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  name,
  dataset: oneOf(DATASETS),
  format: oneOf(FILE_FORMATS),
  kind: oneOf(['full', 'delta'], {
    description: '`delta`: a full first run, then only what changed since the previous run.',
  }),
  filter: nullable(Type.Record(Type.String({ maxLength: 60 }), Type.Unknown())),
  destination: Destination,
  schedule: oneOf(SCHEDULES),
  is_paused: Type.Boolean(),
  next_run_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
});
export const ExportPage = page('ExportPage', Export);

export const NewExport = namedStrict('NewExport', {
  name: Type.Optional(name),
  dataset: oneOf(DATASETS),
  format: Type.Optional(oneOf(FILE_FORMATS, { default: 'parquet' })),
  kind: Type.Optional(oneOf(['full', 'delta'], { default: 'full' })),
  filter: Type.Optional(
    Type.Object(filterMembers, {
      title: 'ExportFilter',
      additionalProperties: false,
      description: 'The same filters as a property search.',
    }),
  ),
  destination: NewDestination,
  schedule: Type.Optional(oneOf(SCHEDULES, { default: 'once' })),
});
export const ExportPatch = namedStrict('ExportPatch', {
  name: Type.Optional(name),
  schedule: Type.Optional(oneOf(SCHEDULES)),
  is_paused: Type.Optional(Type.Boolean()),
});

export const ExportRun = named('ExportRun', {
  object: oneOf(['export_run']),
  id: text(40),
  export_id: text(40),
  status: oneOf(RUN_STATUSES),
  kind: oneOf(['full', 'delta']),
  attempt_count: wholeNumber({ minimum: 0 }),
  row_count: wholeNumber({ minimum: 0 }),
  byte_count: wholeNumber({ minimum: 0 }),
  file_count: wholeNumber({ minimum: 0 }),
  manifest: nullable(text(500, { description: 'Key of the manifest, which is written last.' })),
  error: nullable(text(500)),
  created_at: instant(),
  started_at: nullable(instant()),
  finished_at: nullable(instant()),
});
export const ExportRunPage = page('ExportRunPage', ExportRun);
export const ExportWithRun = named('ExportWithRun', { ...Export.properties, run: ExportRun });
