// A usage meter against its allowance, with the projection for the period.
import { whole } from '../../format.ts';

export function Meter({
  name,
  used,
  included,
  projected,
  note,
}: {
  name: string;
  used: number;
  included: number | null;
  projected?: number;
  note?: string;
}) {
  const share = included === null || included === 0 ? 0 : used / included;
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : '';
  return (
    <div className="meter">
      <div className="row spread">
        <strong>{name}</strong>
        <span className="num">
          {whole(used)} <span className="fine">{included === null ? 'no monthly limit' : `of ${whole(included)}`}</span>
        </span>
      </div>
      <div
        className="meter-track"
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={included ?? Math.max(1, used)}
        aria-valuenow={Math.min(used, included ?? used)}
      >
        {projected !== undefined && included !== null && (
          <div className="meter-ghost" style={{ width: `${Math.min(100, (projected / included) * 100)}%` }} />
        )}
        <div className={`meter-fill ${tone}`} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
      {note && <p className="fine">{note}</p>}
    </div>
  );
}
