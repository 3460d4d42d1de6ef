// The rules of an account: what refers a lender's file to a person, or declines it.
import { useEffect, useState } from 'react';
import type { RuleName } from '../../../../src/delivery/reports/conditions.ts';
import type { Rule } from '../../../../src/delivery/reports/schema.ts';
import { useCall } from '../../caller.tsx';
import { Button, Card, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { LAYER_RULE_LABELS, type RuleUnit } from '../../layers.ts';
import { useAct, useApi } from '../../use-api.ts';

/** What each rule says, and how its limit is entered. */
const CONDITIONS: Record<RuleName, [label: string, unit: RuleUnit, example: string]> = {
  confidence_below: ['Confidence is below', 'level', 'medium'],
  fsd_above: ['Forecast standard deviation is above', 'percent', '20'],
  interval_wider_than: ['Interval is wider than', 'percent', '40'],
  ltv_above: ['Loan to value is above', 'percent', '80'],
  ltv_at_low_above: ['Loan to the low end is above', 'percent', '90'],
  cltv_above: ['Combined loan to value is above', 'percent', '90'],
  cltv_at_low_above: ['Combined loan to the low end is above', 'percent', '95'],
  dscr_below: ['Rent over payment with costs (DSCR) is below', 'percent', '120'],
  payoff_not_covered: ['Payoff of the mortgages on record is not covered', 'none', ''],
  price_outside_interval: ['Price is outside of the interval', 'none', ''],
  gross_adjustment_above: ['Average gross adjustment is above', 'percent', '25'],
  largest_gross_adjustment_above: ['Largest gross adjustment is above', 'percent', '25'],
  net_adjustment_above: ['Average net adjustment is beyond ±', 'percent', '15'],
  comparables_fewer_than: ['Fewer comparables than', 'number', '3'],
  comparables_widened: ['Rules for comparables were widened', 'none', ''],
  value_older_than_days: ['Value is older than, in days', 'number', '90'],
  sales_older_than_days: ['Latest sales are older than, in days', 'number', '180'],
  prices_fell_more_than: ['Local prices fell in a year by more than', 'percent', '5'],
  ...LAYER_RULE_LABELS,
  layer_matches: ['A loaded layer meets', 'words', 'hazards.risk_score:60..'],
  open_mortgages_above: ['Open mortgages are more than', 'number', '1'],
  open_tax_liens_above: ['Open tax liens are more than', 'number', '0'],
  open_liens_above: ['Other open liens are more than', 'number', '0'],
  open_permits_above: ['Open permits are more than', 'number', '0'],
  open_violations_above: ['Open violations are more than', 'number', '0'],
  title_flags: ['Title is flagged with (empty: anything)', 'words', 'missing_link'],
  property_type_in: ['Property type is one of', 'words', 'manufactured'],
  data_missing: ['Not known is one of', 'words', 'title, flood'],
};

/** A rule as it is typed. */
interface Draft {
  when: RuleName;
  limit: string;
  outcome: Rule['outcome'];
  note: string;
}

function draftOf({ when, limit, outcome, note = '' }: Rule): Draft {
  const isShare = CONDITIONS[when][1] === 'percent' && typeof limit === 'number';
  const text = isShare ? Number((limit * 100).toFixed(4)) : [limit ?? ''].flat().join(', ');
  return { when, limit: String(text), outcome, note };
}

function ruleOf({ when, limit, outcome, note }: Draft): Rule {
  const unit = CONDITIONS[when][1];
  const words = limit.split(',').flatMap((word) => word.trim() || []);
  const typed =
    unit === 'none' || limit.trim() === ''
      ? undefined
      : unit === 'level'
        ? limit
        : unit === 'words'
          ? words
          : unit === 'percent'
            ? Number((Number(limit) / 100).toFixed(6))
            : Number(limit);
  return { when, ...(typed !== undefined && { limit: typed }), outcome, ...(note.trim() && { note: note.trim() }) };
}

const FIRST: Draft = { when: 'ltv_above', limit: '80', outcome: 'refer', note: '' };

export function RulesCard() {
  const call = useCall();
  const say = useToast();
  const kept = useApi<{ rules: Rule[]; standard: Rule[] }>('reports/rules');
  const [drafts, setDrafts] = useState<Draft[]>();
  useEffect(() => setDrafts(kept.data?.rules.map(draftOf)), [kept.data]);
  const save = useAct(async (rules: Rule[]) => {
    await call('reports/rules', { method: 'PUT', body: { rules } });
    kept.reload();
    say('Rules saved.');
  });
  const change = (at: number, changes: Partial<Draft>) =>
    setDrafts(drafts?.map((draft, i) => (i === at ? { ...draft, ...changes } : draft)));
  return (
    <Card
      title="Rules"
      lead="A file that a rule applies to is referred or declined; a figure that is not known is referred."
      actions={
        drafts && (
          <>
            <Button icon="plus" onClick={() => setDrafts([...drafts, FIRST])}>
              Add rule
            </Button>
            {drafts.length === 0 && (
              <Button onClick={() => setDrafts(kept.data?.standard.map(draftOf))}>Use the standard set</Button>
            )}
            <Button look="primary" isRunning={save.isRunning} onClick={() => void save.run(drafts.map(ruleOf))}>
              Save rules
            </Button>
          </>
        )
      }
    >
      <ProblemNotice problem={kept.problem ?? save.problem} onRetry={kept.reload} />
      {!drafts && kept.isLoading && <Skeleton />}
      {drafts?.length === 0 && <p className="fine">No rules yet: files are made without an outcome.</p>}
      {drafts?.map((draft, at) => (
        <RuleRow
          key={at}
          draft={draft}
          number={at + 1}
          onChange={(changes) => change(at, changes)}
          onRemove={() => setDrafts(drafts.filter((_, i) => i !== at))}
        />
      ))}
    </Card>
  );
}

function RuleRow({
  draft,
  number,
  onChange,
  onRemove,
}: {
  draft: Draft;
  number: number;
  onChange: (changes: Partial<Draft>) => void;
  onRemove: () => void;
}) {
  const [, unit, example] = CONDITIONS[draft.when];
  return (
    <div className="rule-row">
      <select
        aria-label={`Rule ${number}`}
        value={draft.when}
        onChange={({ target }) => {
          const when = target.value as RuleName;
          onChange({ when, limit: CONDITIONS[when][2] });
        }}
      >
        {Object.entries(CONDITIONS).map(([name, [label]]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {unit === 'level' ? (
        <select
          aria-label={`Limit of rule ${number}`}
          value={draft.limit}
          onChange={({ target }) => onChange({ limit: target.value })}
        >
          <option value="medium">medium</option>
          <option value="high">high</option>
        </select>
      ) : unit === 'none' ? (
        <span />
      ) : (
        <span className="rule-limit">
          <input
            type="text"
            aria-label={`Limit of rule ${number}${unit === 'percent' ? ', in percent' : ''}`}
            value={draft.limit}
            placeholder={example}
            inputMode={unit === 'words' ? 'text' : 'decimal'}
            onChange={({ target }) => onChange({ limit: target.value })}
          />
          {unit === 'percent' && '%'}
        </span>
      )}
      <select
        aria-label={`Outcome of rule ${number}`}
        value={draft.outcome}
        onChange={({ target }) => onChange({ outcome: target.value as Rule['outcome'] })}
      >
        <option value="refer">Refer</option>
        <option value="decline">Decline</option>
      </select>
      <input
        type="text"
        aria-label={`Note of rule ${number}`}
        value={draft.note}
        maxLength={200}
        placeholder="Note, such as your policy’s number"
        onChange={({ target }) => onChange({ note: target.value })}
      />
      <Button small look="quiet" icon="close" onClick={onRemove} aria-label={`Remove rule ${number}`} />
    </div>
  );
}
