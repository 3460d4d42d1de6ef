// Says how old the newest known sales are, before a value or a price.
import { month } from '../format.ts';
import type { OldSales } from '../old-sales.ts';
import { Notice } from '../ui/parts.tsx';

export function OldSalesNote({ old, hasValues }: { old: OldSales | undefined; hasValues: boolean }) {
  if (!old) return null;
  return (
    <Notice tone="warn" title={`Sales known through ${month(old.through)}`}>
      {hasValues
        ? `Values in ${old.name} are carried forward from then, with wider intervals.`
        : `No later sale in ${old.name} is on record.`}
    </Notice>
  );
}
