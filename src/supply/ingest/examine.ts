// Examines a load's rows and changes, and stops it on a severe finding; a newly drafted recipe is examined without a
// database.
import { compareFigures } from '../examination/before.ts';
import { wordsOf, type Found } from '../examination/check.ts';
import { Examiner } from '../examination/examiner.ts';
import { FIELDS } from '../examination/figures.ts';
import { acceptFindings, isStop, LoadStopped, type Finding } from '../examination/finding.ts';
import { present } from '../examination/present.ts';
import type { FieldSummary } from '../examination/sample.ts';
import type { AddressFacts, Subject } from '../examination/subject.ts';
import type { LoadContext } from './load-context.ts';
import { ColumnIndex, shapeCheckerOf } from './map/columns.ts';
import { compileMap } from './map/map.ts';
import { stagedColumns } from './map/targets.ts';
import { openTable } from './read/table.ts';
import { countsOf, type LoadReport } from './report.ts';
import type { Dataset, Source, Target } from './source.ts';
import * as sql from './write/examine-sql.ts';

/** Column names may differ by file, so the recipe's names are used. */
function subjectOf(source: Source, dataset: Dataset, addresses?: AddressFacts): Subject {
  const keys = [dataset.key, ...dataset.records.map(({ key }) => key)].filter((key) => key !== undefined);
  const hasFips = keys.some(({ fips }) => typeof fips !== 'number');
  return {
    state: source.market?.state,
    // A recipe that reads the county from the row assigns rows itself.
    counties: hasFips || dataset.where ? [] : source.counties,
    fields: dataset.records.flatMap(({ into, each, fields }) =>
      each ? [] : Object.entries(fields).map(([name, { columns, kind }]) => ({ target: into, name, columns, kind })),
    ),
    personal: new Set((dataset.personal ?? []).map((name) => name.toLowerCase())),
    isHeaderStated: dataset.format.header !== undefined,
    publishedOn: dataset.publishedOn,
    addresses,
  };
}

/** Undefined for records made in memory and for nationwide layers, which have no place of their own. */
export function openExaminer(source: Source, dataset: Dataset, addresses?: AddressFacts): Examiner | undefined {
  if (!source.market || dataset.made) return undefined;
  return new Examiner(subjectOf(source, dataset, addresses), (target) => stagedColumns(dataset, target as Target));
}

export function openFileOf(examiner: Examiner | undefined, dataset: Dataset, header: string[]): void {
  const columns = new ColumnIndex(header, dataset);
  examiner?.openFile(header, (name) => columns.find(name));
}

export const bringsHomes = ({ records }: Dataset) =>
  records.some(({ into, creates }) => into === 'properties' && creates !== false);

/** A full roll, as opposed to a list of events. */
const isRoll = ({ records }: Dataset) =>
  records.some(({ into, creates, fields }) => into === 'properties' && creates !== false && !fields.known_on);

type RowCounts = Pick<LoadReport, 'rowsRead' | 'rowsUnused' | 'quarantinedByReason' | 'cutOff'>;

/** `not_a_date (SALE_DATE)` is an invalid date in that column. */
const inWords = (reason: string) =>
  reason.replace(/^\w+/, (code) => code.replaceAll('_', ' ')).replace(/ \((.*)\)$/, ' in $1');

/** Row losses: quarantined, unused, or truncated. */
export function findRowLosses(dataset: Dataset, counts: RowCounts): Finding[] {
  const { rowsRead, rowsUnused, quarantinedByReason, cutOff } = counts;
  return [
    ...Object.entries(quarantinedByReason).flatMap(([about, count]) =>
      present(wordsOf('refused'), { about, title: `rows are set aside: ${inWords(about)}`, count, total: rowsRead }),
    ),
    ...(bringsHomes(dataset) ? present(wordsOf('unused'), { count: rowsUnused, total: rowsRead }) : []),
    ...present(wordsOf('cut-off'), { count: cutOff.length, total: Math.max(1, cutOff.length), examples: cutOff }),
  ];
}

/** Examines a dataset without loading it. `path` is its only file. */
export async function examineFile(
  source: Source,
  dataset: Dataset,
  path: string,
  addresses?: AddressFacts,
): Promise<Finding[]> {
  const examiner = openExaminer(source, dataset, addresses);
  if (!examiner) return [];
  const { header, rows } = await openTable(path, { ...dataset.format, ...dataset.files[0].format });
  openFileOf(examiner, dataset, header);
  const context = { source, dataset, stamper: undefined };
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

/** Returns the figures that the next load is compared with. */
export function examineRows(load: LoadContext): Record<string, FieldSummary> | undefined {
  const { examiner, dataset, report, before } = load;
  if (!examiner) {
    keep(load, findLosses(load));
    return undefined;
  }
  const { findings, figures } = examiner.finish();
  const compared = before?.figures ? compareFigures(figures, before.figures) : [];
  report.findings = [];
  keep(load, [...findings, ...findRowLosses(dataset, report), ...expected(load, compared), ...findLosses(load)]);
  return figures;
}

/** Shares that a file may lose at once: beyond this it was probably truncated. */
const MAX_LOST_SHARE = 0.2;
const MAX_VANISHED_SHARE = 0.1;
const ALWAYS = { warn: 0, stop: 0, least: 1 };

/** Finds record types with fewer records. Complete lists of parcels have their own check by parcel. */
function findLosses({ dataset, report, isReplay, lastStaged }: LoadContext): Finding[] {
  if (isReplay) return [];
  const maxShare = dataset.checks?.maxLostShare ?? MAX_LOST_SHARE;
  return dataset.records.flatMap(({ into, complete }) => {
    const [before, now] = [lastStaged[into] ?? 0, countsOf(report, into).staged];
    if ((into === 'properties' && complete) || before < FEW || before - now <= before * maxShare) return [];
    const examples = [`${before.toLocaleString('en')} before, ${now.toLocaleString('en')} now`];
    return present(wordsOf('fewer'), { about: into, count: before - now, total: before, examples, limits: ALWAYS });
  });
}

/** Counts the missing parcels of a complete list. None may be retired because of a truncated file. */
export async function examineVanished(load: LoadContext): Promise<number> {
  const { known, vanished } = await sql.countVanished(load);
  const maxShare = load.dataset.checks?.maxVanishedShare ?? MAX_VANISHED_SHARE;
  if (vanished > known * maxShare && !load.isRekeyed)
    keep(load, present(wordsOf('vanished'), { count: vanished, total: known, limits: ALWAYS }));
  return vanished;
}

/** After a recipe change the data is expected to differ, so such findings are reported but do not block. */
const expected = ({ isRecipeChanged }: LoadContext, found: Finding[]): Finding[] =>
  isRecipeChanged ? found.map((finding) => ({ ...finding, severity: 'warn' as const })) : found;

/** A loss is accepted for one load: the next file is compared with that one. */
const isLoss = ({ id }: Finding) => id === 'vanished' || id.startsWith('fewer:');

/** Sample size for the address lookup check. */
const MOST_ASKED = 300;
const ANSWERS = { none: 'not-found-again', another: 'found-as-another', shared: 'shared-address' };

/** Within the load's transaction: checks that its homes are found by address, with the production lookup code. */
export async function examineAddresses(load: LoadContext): Promise<void> {
  const { addresses } = load.options;
  if (!load.examiner || !addresses || !load.targets.includes('properties')) return;
  const answers = await addresses.findAgain(load.client, await sql.listStagedAddresses(load, MOST_ASKED));
  const findings = Object.entries(ANSWERS).flatMap(([outcome, id]) => {
    const told = answers.filter((answer) => answer.outcome === outcome);
    const examples = told.slice(0, 3).map(({ text, reason }) => `${text}: ${reason}`);
    const words = wordsOf(id);
    return present(words, { count: told.length, total: answers.length, examples, limits: words });
  });
  keep(load, findings);
}

/** Adds findings to the load's, and stops it if one is blocking. */
function keep(load: LoadContext, found: Finding[]): void {
  if (found.length === 0) return;
  const { report, options, at, dataset, before } = load;
  const acceptance = options.accept && { ...options.accept, at };
  const earlier = (before?.findings ?? []).filter((finding) => !isLoss(finding));
  report.findings = [...(report.findings ?? []), ...acceptFindings(found, acceptance, earlier)];
  if (!options.isTrial && report.findings.some(isStop)) throw new LoadStopped(dataset.id, report.findings);
}

const FEW = 50;
/** Within the load's transaction: its changes to existing homes and sales. */
export async function examineChanges(load: LoadContext): Promise<void> {
  if (!load.examiner || load.isFirst || load.isReplay) return;
  const found: Finding[] = [];
  const add = (id: string, item: Found) => found.push(...present(wordsOf(id), item));
  const homes = load.report.targets.properties;
  if (homes) {
    const [inserted, known] = [homes.inserted, homes.updated + homes.unchanged];
    if ((load.lastStaged.properties ?? 0) >= FEW && !load.isRekeyed)
      add('strangers', {
        count: inserted,
        total: inserted + known,
        limits: { warn: isRoll(load.dataset) ? 0.1 : 0.5, stop: 0.8 },
      });
    for (const changed of await sql.countChanged(load)) {
      const total = Math.max(known, changed.homes);
      // Owners count as changed when their mailing address is respelled, so this does not block.
      const isOwner = changed.field === 'owner';
      if (isOwner && (load.lastStaged.owners ?? 0) < FEW) continue;
      const warn = FIELDS.get(`properties.${changed.field}`)?.changes ?? 0.3;
      add('changed', {
        about: changed.field,
        count: changed.homes,
        total,
        limits: { warn, stop: isOwner ? undefined : 0.6 },
      });
    }
  }
  if (load.targets.includes('assessments')) {
    const { updated, unchanged } = load.report.targets.assessments!;
    const { same, other } = await sql.countRevalued(load);
    const total = updated + other + unchanged + same;
    add('revalued-in-part', { count: Math.min(updated + other, unchanged + same), total });
  }
  if (load.targets.includes('transactions')) {
    const { moved, traded, sales } = await sql.countMovedSales(load);
    add('repriced', { count: load.report.salesCorrected, total: sales, limits: { warn: 0.05, stop: 0.3 } });
    add('sales-traded', { count: traded, total: sales, limits: { warn: 0.005 } });
    add('sales-moved', { count: moved, total: sales, limits: { warn: 0.005, stop: 0.05 } });
  }
  keep(load, expected(load, found));
}
