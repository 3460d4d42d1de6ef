// Examines a load before it is applied, by its rows, and after, by what it changed; a severe finding ends it.
import { compareFigures } from '../../examination/before.ts';
import type { CheckText, Found } from '../../examination/check.ts';
import { acceptFindings, isStop, LoadStopped, type Finding } from '../../examination/finding.ts';
import { present } from '../../examination/present.ts';
import type { FieldSummary } from '../../examination/sample.ts';
import { findRowLosses } from '../examine.ts';
import type { LoadContext } from '../load-context.ts';
import * as sql from './examine-sql.ts';

/** Returns the figures that the next load is compared with. */
export function examineRows(load: LoadContext): Record<string, FieldSummary> | undefined {
  if (!load.examiner) return undefined;
  const { findings, figures } = load.examiner.finish();
  const before = load.before?.figures ? compareFigures(figures, load.before.figures) : [];
  keep(load, [...findings, ...findRowLosses(load.dataset, load.report), ...expected(load, before)]);
  return figures;
}

/** After a change of the recipe the data is meant to differ, which is worth telling but no reason to stop. */
const expected = ({ isRecipeChanged }: LoadContext, found: Finding[]): Finding[] =>
  isRecipeChanged ? found.map((finding) => ({ ...finding, severity: 'warn' as const })) : found;

/** Adds findings to those of the load, and ends it if one of them stops it. */
function keep(load: LoadContext, found: Finding[]): void {
  const { report, options, at, dataset, before } = load;
  const acceptance = options.accept && { ...options.accept, at };
  report.findings = [...(report.findings ?? []), ...acceptFindings(found, acceptance, before?.findings ?? [])];
  if (!options.isTrial && report.findings.some(isStop)) throw new LoadStopped(dataset.id, report.findings);
}

const CHANGED: CheckText = {
  id: 'changed',
  asks: 'Do most homes say what they said before?',
  title: '{about}: homes say something else than before',
  cause: 'columns were exchanged, a unit changed, or rows were sorted apart',
  mend: 'compare ten homes with the publisher’s website, then the recipe’s line for {about}',
};

const STRANGERS: CheckText = {
  id: 'strangers',
  asks: 'Are most homes of the file known?',
  title: 'homes of the file were not in the load before',
  cause: 'a file of another place, or parcel numbers written in another way',
  mend: 'key: { parcel: … } as the numbers were written before',
};

const SALES_MOVED: CheckText = {
  id: 'sales-moved',
  asks: 'Do sales keep their dates?',
  title: 'sales have the same home and price as one already loaded, and a date up to 40 days away',
  cause: 'another date column, or a time zone that moved days; each sale would count twice',
  mend: 'sale_date: { date: <the column used before> }',
};

const REPRICED: CheckText = {
  id: 'repriced',
  asks: 'Do sales keep their prices?',
  title: 'sales have another price than before on the same day',
  cause: 'another price column, or a changed unit',
  mend: 'price: { dollars: <the column used before> }',
};

const FEW = 50;

/** In the transaction of the load: what it did to homes and sales that were there. */
export async function examineChanges(load: LoadContext): Promise<void> {
  if (!load.examiner || load.isFirst || load.isReplay) return;
  const found: Finding[] = [];
  const add = (check: CheckText, item: Found) => found.push(...present(check, item));
  const homes = load.report.targets.properties;
  if (homes) {
    const [inserted, known] = [homes.inserted, homes.updated + homes.unchanged];
    if ((load.lastStaged.properties ?? 0) >= FEW && !load.isRekeyed)
      add(STRANGERS, { count: inserted, total: inserted + known, limits: { warn: 0.5, stop: 0.8 } });
    for (const changed of await sql.countChanged(load)) {
      const total = Math.max(known, changed.homes);
      add(CHANGED, { about: changed.field, count: changed.homes, total, limits: { warn: 0.3, stop: 0.6 } });
    }
  }
  if (load.targets.includes('transactions')) {
    const { moved, sales } = await sql.countMovedSales(load);
    add(REPRICED, { count: load.report.salesCorrected, total: sales, limits: { warn: 0.05, stop: 0.3 } });
    add(SALES_MOVED, { count: moved, total: sales, limits: { warn: 0.005, stop: 0.05 } });
  }
  keep(load, expected(load, found));
}
