// Says that values rest on old sales, before the value itself.
import { month } from '../format.ts';
import type { OldSales } from '../old-sales.ts';
import { Notice } from '../ui/parts.tsx';

export function OldSalesNote({ old }: { old: OldSales | undefined }) {
  if (!old) return null;
  return (
    <Notice tone="warn" title={`Sales known through ${month(old.through)}`}>
      Values in {old.name} are carried forward from then, with wider intervals.
    </Notice>
  );
}
