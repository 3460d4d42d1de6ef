// Explains a value: from the comparables' indicated value to the estimate, and what raised or lowered it.
import { money, signedMoney, words } from '../format.ts';
import type { Valuation } from '../types.ts';
import { Card } from '../ui/parts.tsx';

export function Explanation({ explanation }: { explanation: NonNullable<Valuation['explanation']> }) {
  const { reconciliation } = explanation;
  // The first contribution is the market-wide base. As a bar, it would dwarf what is specific to this home.
  const [base, ...contributions] = explanation.contributions;
  const largest = Math.max(1, ...contributions.map(({ amount }) => Math.abs(amount)));
  return (
    <Card title="Why this value" lead={explanation.summary}>
      <dl className="stats reconciliation">
        {reconciliation.comparables_indicated_value !== null && (
          <Step name="Indicated by comparables" value={money(reconciliation.comparables_indicated_value)} />
        )}
        <Step name="Reconciliation" value={signedMoney(reconciliation.model_adjustment)} />
        <Step name="Estimated value" value={money(reconciliation.estimated_value)} />
      </dl>
      {contributions.length > 0 && (
        <ul className="contributions">
          <li className="sum">
            <span>{words(base.label)}</span>
            <span />
            <span className="num">{money(base.amount)}</span>
          </li>
          {contributions.map(({ label, amount }) => (
            <li key={label}>
              <span>{words(label)}</span>
              <span className="contribution-track" aria-hidden="true">
                <i
                  className={amount >= 0 ? 'plus' : 'minus'}
                  style={{
                    width: `${(Math.abs(amount) / largest) * 50}%`,
                    [amount >= 0 ? 'left' : 'right']: '50%',
                  }}
                />
              </span>
              <span className="num">{signedMoney(amount)}</span>
            </li>
          ))}
          <li className="sum">
            <span>Estimated value</span>
            <span />
            <span className="num">{money(reconciliation.estimated_value)}</span>
          </li>
        </ul>
      )}
    </Card>
  );
}

function Step({ name, value }: { name: string; value: string }) {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
