// Evidence of quality below the accuracy of a market: the standing sample, composition of tracts, and the document to file.
import { useState } from 'react';
import { send } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { Ratios } from '../charts/ratios.tsx';
import { saveFile } from '../save-file.ts';
import { day, money, percent, whole, words } from '../format.ts';
import type { Quality } from '../types.ts';
import { Button, Card, ProblemNotice, Stat } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useAct, useApi } from '../use-api.ts';

type Figure = Quality['nondiscrimination']['figures'][number];

export function QualitySections({ market }: { market: string }) {
  const { credential } = useCaller();
  const isGuest = credential === undefined || credential.kind === 'guest';
  const { data } = useApi<Quality>(isGuest ? null : `avm/quality?market=${encodeURIComponent(market)}`);
  const act = useAct(async () => {
    const response = await send(credential, `avm/quality?market=${encodeURIComponent(market)}&format=pdf`);
    saveFile(await response.blob(), `quality-${market}.pdf`);
  });
  if (!data) return null;
  const { random_sample: sample, receipts, data_integrity: integrity, conflicts } = data;
  const all = sample.groups.find(({ kind }) => kind === 'all');
  return (
    <>
      <Card
        title="Evidence of quality"
        lead={`For the five standards of the rule on automated valuation models (${data.rule.citation}). Measured ${day(data.measured_at)}.`}
        actions={
          <Button small isRunning={act.isRunning} onClick={() => void act.run()}>
            Download PDF
          </Button>
        }
      >
        <ProblemNotice problem={act.problem} />
        <dl className="stats">
          <Stat
            label="Standing random sample"
            value={whole(sample.homes)}
            note={`homes; ${whole(sample.sales)} sold since ${day(sample.first_sampled_on)}`}
          />
          {all && !all.withheld && (
            <Stat
              label="Error of values stored before the sale"
              value={percent(all.median_error_rate)}
              note={`${percent(all.interval_coverage)} of prices inside the 80% interval`}
            />
          )}
          <Stat
            label="Sealed samples"
            value={whole(integrity.sample_seals)}
            note={integrity.seals_intact ? 'All intact' : 'NOT INTACT'}
          />
          <Stat
            label="Your receipts anchored"
            value={whole(receipts.anchored)}
            note={`Audit log: ${words(receipts.audit_log)}`}
          />
          <Stat
            label="Models published"
            value={whole(conflicts.models_published)}
            note={`${conflicts.models_refused} refused, ${conflicts.models_forced} against their test`}
          />
        </dl>
      </Card>
      <Composition figures={data.nondiscrimination.figures} limits={data.nondiscrimination.limits} />
    </>
  );
}

const TITLES: Record<Figure['figure'], string> = {
  income: 'Income',
  white_share: 'White',
  black_share: 'Black',
  asian_share: 'Asian',
  hispanic_share: 'Hispanic',
  minority_rank: 'Minority rank',
};

function Composition({ figures, limits }: { figures: Figure[]; limits: string[] }) {
  const measured = figures.filter(({ status }) => status === 'measured');
  const [chosen, setChosen] = useState<string>();
  const figure = measured.find((each) => each.figure === chosen) ?? measured[0];
  if (!figure) return null;
  return (
    <Card
      title="Composition of census tracts"
      lead="Whether values hit prices alike wherever a home stands: thirds of the tested sales by a figure of their tract, with 95% bands. The model reads none of these figures."
      actions={
        <label className="row">
          <span className="label">By</span>
          <select value={figure.figure} onChange={(event) => setChosen(event.target.value)}>
            {measured.map((each) => (
              <option key={each.figure} value={each.figure}>
                {TITLES[each.figure]}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <p className="fine">{figure.name}</p>
      <Ratios
        label={`Median ratio of value to price by ${figure.name}`}
        height={220}
        points={figure.groups.map(({ from, to, median_ratio: { value, low, high } }) => ({
          label: `${shown(figure, from)}–${shown(figure, to)}`,
          ratio: value,
          low,
          high,
        }))}
      />
      <Table
        caption="Tests"
        rows={figure.tests}
        keyOf={({ outcome }) => outcome}
        columns={[
          { head: `Change per ${figure.unit}`, cell: (test) => <strong>{words(test.outcome)}</strong> },
          { head: 'Slope', align: 'right', cell: (test) => test.slope.toFixed(4) },
          { head: '95% band', align: 'right', cell: (test) => `${test.low.toFixed(4)} to ${test.high.toFixed(4)}` },
          { head: 'p', align: 'right', cell: (test) => test.p_value.toFixed(3) },
          { head: 'Adjusted p', align: 'right', cell: (test) => test.adjusted_p_value.toFixed(3) },
        ]}
      />
      <details>
        <summary>What the data cannot say</summary>
        <ul className="fine">
          {limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

const shown = ({ figure }: Figure, value: number): string => (figure === 'income' ? money(value) : percent(value));
