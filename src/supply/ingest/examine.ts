// Examines what a recipe makes of its files: while they are loaded, or with no database at all for a recipe just begun.
import { present } from '../examination/present.ts';
import { Examiner } from '../examination/examiner.ts';
import type { Finding } from '../examination/finding.ts';
import type { Subject } from '../examination/subject.ts';
import type { CheckText } from '../examination/check.ts';
import { ColumnIndex } from './map/columns.ts';
import type { ReadAddress } from './map/find.ts';
import { compileMap } from './map/map.ts';
import { shapeCheckerOf } from './map/shape.ts';
import { stagedColumns } from './map/targets.ts';
import { openTable } from './read/table.ts';
import type { LoadReport } from './report.ts';
import type { Dataset, Field, PropertyKey, Source, Target } from './source.ts';

const columnsOf = (field: Field | undefined): string[] => field?.columns ?? [];

/** In each file a column may have another name, so columns are named as in the recipe. */
function subjectOf(source: Source, dataset: Dataset, readAddress?: ReadAddress): Subject {
  const keys = [dataset.key, ...dataset.records.map(({ key }) => key)].filter((key) => key !== undefined);
  const of = (pick: (key: PropertyKey) => Field | undefined) => [
    ...new Set(keys.flatMap((key) => columnsOf(pick(key)))),
  ];
  const hasFips = keys.some(({ fips }) => typeof fips !== 'number');
  return {
    state: source.market?.state,
    // A recipe that reads the county from the row says itself which rows belong where.
    counties: hasFips || dataset.where ? [] : source.counties,
    fields: dataset.records.flatMap(({ into, each, fields }) =>
      each ? [] : Object.entries(fields).map(([name, { columns, kind }]) => ({ target: into, name, columns, kind })),
    ),
    parcelColumns: of(({ apn }) => apn),
    unitColumns: of(({ unit }) => unit),
    personal: new Set((dataset.personal ?? []).map((name) => name.toLowerCase())),
    isHeaderStated: dataset.format.header !== undefined,
    publishedOn: dataset.publishedOn,
    readAddress,
  };
}

/** Undefined for records that are made in memory and for nationwide layers, which are about no place of their own. */
export function openExaminer(source: Source, dataset: Dataset, readAddress?: ReadAddress): Examiner | undefined {
  if (!source.market || dataset.made) return undefined;
  return new Examiner(subjectOf(source, dataset, readAddress), (target) => stagedColumns(dataset, target as Target));
}

export function openFileOf(examiner: Examiner | undefined, dataset: Dataset, header: string[]): void {
  const columns = new ColumnIndex(header, dataset);
  examiner?.openFile(header, (name) => columns.find(name));
}

const REFUSED: CheckText = {
  id: 'refused',
  asks: 'Can every row be read?',
  title: 'rows are set aside: {about}',
  cause: 'cells that are not what the recipe says they are',
  mend: 'platbook quarantine lists the lines; mend the recipe and platbook quarantine replay',
};

const UNUSED: CheckText = {
  id: 'unused',
  asks: 'Is every row used?',
  title: 'rows give no record at all',
  cause: 'only_if leaves them out of every record',
  mend: 'only: { … }, if these rows are not meant to be loaded',
};

const CUT_OFF: CheckText = {
  id: 'cut-off',
  asks: 'Is the file whole?',
  title: 'the last row of the file ends too early',
  cause: 'the file was cut off on its way',
  mend: 'fetch the file again',
};

export const bringsHomes = ({ records }: Dataset) =>
  records.some(({ into, creates }) => into === 'properties' && creates !== false);

type RowCounts = Pick<LoadReport, 'rowsRead' | 'rowsUnused' | 'quarantinedByReason' | 'cutOff'>;

/** What became of the rows: set aside, unused, or cut off. */
export function findRowLosses(dataset: Dataset, counts: RowCounts): Finding[] {
  const { rowsRead, rowsUnused, quarantinedByReason, cutOff } = counts;
  return [
    ...Object.entries(quarantinedByReason).flatMap(([about, count]) =>
      present(REFUSED, { about, count, total: rowsRead, limits: { warn: 0.0002 } }),
    ),
    ...(bringsHomes(dataset) ? present(UNUSED, { count: rowsUnused, total: rowsRead, limits: { warn: 0.3 } }) : []),
    ...present(CUT_OFF, {
      count: cutOff.length,
      total: Math.max(1, cutOff.length),
      examples: cutOff,
      limits: { warn: 0 },
    }),
  ];
}

/** Examines a dataset without loading it. `path` is where its one file lies. */
export async function examineFile(
  source: Source,
  dataset: Dataset,
  path: string,
  readAddress?: ReadAddress,
): Promise<Finding[]> {
  const examiner = openExaminer(source, dataset, readAddress);
  if (!examiner) return [];
  const { header, rows } = await openTable(path, { ...dataset.format, ...dataset.files[0].format });
  openFileOf(examiner, dataset, header);
  const context = { source, dataset, stamper: undefined, lookup: undefined };
  const map = compileMap(header, { ...context, file: path, publishedOn: dataset.publishedOn, fileRank: 1 });
  const checkShape = shapeCheckerOf(header);
  const counts: RowCounts = { rowsRead: 0, rowsUnused: 0, quarantinedByReason: {}, cutOff: [] };
  for await (const batch of rows) {
    for (const row of batch) {
      counts.rowsRead++;
      const problem = checkShape(row);
      const { records, problems } = problem ? { records: [], problems: [{ reason: problem }] } : map(row);
      for (const { reason } of problems)
        counts.quarantinedByReason[reason] = (counts.quarantinedByReason[reason] ?? 0) + 1;
      if (records.length === 0 && problems.length === 0) counts.rowsUnused++;
      examiner.see({ line: row.line, cells: row.cells, records });
    }
  }
  return [...examiner.finish().findings, ...findRowLosses(dataset, counts)];
}
