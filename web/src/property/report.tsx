// The head of the printed report: what, when, and the receipt number that the value can be replayed from.
import { day } from '../format.ts';
import type { Property, Valuation } from '../types.ts';
import { Mark } from '../ui/icons.tsx';

export function ReportHead({ property, valuation }: { property: Property; valuation: Valuation | undefined }) {
  return (
    <div className="report-head print-only">
      <div className="row">
        <Mark size={22} />
        <strong>Platbook property report</strong>
      </div>
      <p>
        {property.address?.formatted ?? property.id}
        <br />
        {valuation ? (
          <>
            Receipt {valuation.id} · valued as of {day(valuation.as_of)} · model {valuation.model_version}
          </>
        ) : (
          <>Record {property.id}</>
        )}
      </p>
      <p className="fine">
        An automated estimate from public records, not an appraisal. The receipt holds inputs, comparables and model,
        and gives the same numbers again.
      </p>
    </div>
  );
}
