// Header of the printed report: the property, the date, and the receipt that reproduces the value.
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
            Receipt {valuation.id} · Valued as of {day(valuation.as_of)} · Model {valuation.model_version}
          </>
        ) : (
          <>Record {property.id}</>
        )}
      </p>
      <p className="fine">
        This is an automated estimate from public records, not an appraisal. The receipt stores the inputs, comparables,
        and model, and reproduces the same numbers.
      </p>
    </div>
  );
}
