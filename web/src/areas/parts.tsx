// The parts of a market side by side: a map colored by a figure, and the ranking behind it.
import { lazy, Suspense } from 'react';
import { queryOf } from '../api.ts';
import { saveCsv } from '../charts/save.ts';
import { plural, whole } from '../format.ts';
import { Link } from '../router.tsx';
import type { Ranking } from '../types.ts';
import { Button, Card, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';
import {
  ALL_FIGURES,
  FIGURES,
  isSalesFigure,
  isSegment,
  PART_KINDS,
  STOCK_FIGURES,
  writeState,
  type AreaKey,
  type AreaState,
  type FigureName,
  type Kind,
} from './state.ts';
import { areaText, figureText, kindText, shortText } from './words.ts';

const AreaMap = lazy(() => import('../map/area-map.tsx').then((module) => ({ default: module.AreaMap })));

const SHOWN = 12;

export function Parts({
  state,
  market,
  chosen,
  box,
  onChange,
  onOpen,
}: {
  state: AreaState;
  market: { id: string; name: string };
  chosen: AreaKey;
  box: number[] | undefined;
  onChange: (changes: Partial<AreaState>) => void;
  onOpen: (area: AreaKey) => void;
}) {
  const { figure, parts } = state;
  const isSales = isSalesFigure(figure);
  const { data, problem, isLoading, reload } = useApi<Ranking>(
    `analytics/rankings${queryOf({
      kind: parts,
      figure,
      market: market.id,
      limit: 500,
      ...(isSales && {
        interval: state.interval === 'quarter' ? 'quarter' : 'year',
        property_type: isSegment(state.homes) ? 'residential' : state.homes,
      }),
    })}`,
  );
  const place = data?.data.findIndex(({ area }) => area.kind === chosen.kind && area.id === chosen.id.toUpperCase());
  const rows = (data?.data ?? []).slice(0, SHOWN);
  if (data && place !== undefined && place >= SHOWN) rows.push(data.data[place]);
  const save = () =>
    saveCsv(
      ['rank', 'kind', 'area', 'name', figure, 'n', 'period', 'latitude', 'longitude'],
      (data?.data ?? []).map(({ rank, area, value, n }) => [
        rank,
        area.kind,
        area.id,
        area.name,
        value,
        n,
        data!.period,
        area.center?.latitude ?? null,
        area.center?.longitude ?? null,
      ]),
      `${figure}-by-${parts}-${market.id}.csv`,
    );
  return (
    <Card
      title={`${kindText(parts, 2).replace(/^./, (letter) => letter.toUpperCase())} of ${market.name}`}
      lead={`${ALL_FIGURES[figure].label}${data?.period ? `, ${data.period}` : isSales ? '' : ', as things stand'}. ${ALL_FIGURES[figure].help}`}
      actions={
        <Button small look="quiet" icon="export" onClick={save} disabled={!data || data.data.length === 0}>
          CSV
        </Button>
      }
    >
      <div className="row area-controls">
        <select
          aria-label="Areas to show"
          value={parts}
          onChange={(event) => onChange({ parts: event.target.value as Kind })}
        >
          {PART_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kindText(kind, 2).replace(/^./, (letter) => letter.toUpperCase())}
            </option>
          ))}
        </select>
        <select
          aria-label="Figure on the map"
          value={figure}
          onChange={(event) => onChange({ figure: event.target.value as FigureName })}
        >
          <optgroup label="Sales">
            {Object.entries(FIGURES).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </optgroup>
          <optgroup label="Homes as they stand">
            {Object.entries(STOCK_FIGURES).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </optgroup>
        </select>
      </div>
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && isLoading && <Skeleton lines={6} />}
      {data && data.data.length === 0 && (
        <p className="fine">
          {data.withheld_total > 0
            ? `All ${plural(data.withheld_total, 'area')} are withheld: none has enough records for this figure.`
            : `No ${kindText(parts, 2)} are on record here. Choose other areas above.`}
        </p>
      )}
      {data && data.data.length > 0 && (
        <div className="area-parts">
          <Suspense fallback={<div className="area-map" />}>
            <AreaMap
              label={`Map of ${ALL_FIGURES[figure].label.toLowerCase()} by ${kindText(parts)}`}
              kind={parts}
              areas={data.data}
              withheld={data.withheld}
              chosen={chosen.kind === parts ? chosen.id.toUpperCase() : undefined}
              box={chosen.kind === parts ? box : undefined}
              format={(value) => shortText(figure, value)}
              nameOf={(area) => areaText({ kind: parts, id: area.id }, area.name)}
              onPick={(id) => onOpen({ kind: parts, id })}
            />
          </Suspense>
          <div className="area-ranking">
            <Table
              caption={`${kindText(parts, 2)} by ${ALL_FIGURES[figure].label.toLowerCase()}`}
              rows={rows}
              keyOf={({ area }) => area.id}
              columns={[
                { head: '#', align: 'right', cell: ({ rank }) => rank },
                {
                  head: kindText(parts),
                  cell: ({ area }) => (
                    <Link
                      href={writeState({ ...state, areas: [{ kind: parts, id: area.id }] })}
                      aria-current={area.id === chosen.id.toUpperCase() ? 'true' : undefined}
                    >
                      {areaText({ kind: parts, id: area.id }, area.name)}
                    </Link>
                  ),
                },
                {
                  head: ALL_FIGURES[figure].label,
                  align: 'right',
                  cell: ({ value }) => <strong>{figureText(figure, value)}</strong>,
                },
                { head: 'n', align: 'right', cell: ({ n }) => whole(n) },
              ]}
            />
            <p className="fine">
              {`${whole(Math.min(SHOWN, data.total))} of ${plural(data.total, 'area')}; the download has ${data.total > 500 ? 'the first 500' : 'all'}.`}
              {data.withheld_total > 0 &&
                ` ${plural(data.withheld_total, 'area')} withheld for too few records${
                  data.withheld.length > 0
                    ? `, such as ${data.withheld
                        .slice(0, 3)
                        .map(({ area, n }) => `${areaText({ kind: parts, id: area.id }, area.name)} (n = ${n})`)
                        .join(', ')}`
                    : ''
                }.`}
            </p>
          </div>
        </div>
      )}
    </Card>
  );
}
