// Who publishes the sandbox: its sources, when each was loaded, and which layer it covers where.
import { TODAY } from '../dates.ts';
import { COUNTIES, QUILLMOOR } from '../geography.ts';
import { COVERS_FROM } from './layers.ts';

export type SourceId =
  `sandbox_${'assessor' | 'treasurer' | 'recorder' | 'survey' | 'flood' | 'permits' | 'code' | 'census' | 'zones'}`;
type Source = { id: SourceId; name: string; cadence: string };

export const SOURCES: readonly Source[] = [
  { id: 'sandbox_assessor', name: 'Sandbox assessment roll', cadence: 'weekly' },
  { id: 'sandbox_treasurer', name: 'Sandbox tax bills and liens', cadence: 'weekly' },
  { id: 'sandbox_recorder', name: 'Sandbox recorded documents', cadence: 'weekly' },
  { id: 'sandbox_survey', name: 'Sandbox building survey', cadence: 'yearly' },
  { id: 'sandbox_flood', name: 'Sandbox flood hazard layer', cadence: 'weekly' },
  { id: 'sandbox_permits', name: 'Sandbox building permits', cadence: 'weekly' },
  { id: 'sandbox_code', name: 'Sandbox code enforcement', cadence: 'weekly' },
  { id: 'sandbox_census', name: 'Sandbox community survey', cadence: 'yearly' },
  { id: 'sandbox_zones', name: 'Sandbox opportunity zones', cadence: 'once' },
];

/** The first load brought everything known that day; the weekly ones brought June. */
export const FIRST_LOAD = '2026-05-31';
export const LOAD_DAYS = [FIRST_LOAD, '2026-06-08', '2026-06-15', '2026-06-22', TODAY];

export function loadDayOf(knownOn: string): string {
  return LOAD_DAYS.find((day) => knownOn <= day) ?? TODAY;
}

/** The id of the load that brought a source's rows for a day. */
export type FindLoad = (source: SourceId, loadDay: string) => number;

export const loadedAt = (day: string): string => `${day}T05:00:00Z`;

type Coverage = {
  fips: number;
  layer: string;
  sourceId: SourceId;
  coversFrom: string | null;
  coversTo: string | null;
};

/** Only one county publishes code violations; the other is "not covered". */
export const COVERAGE: readonly Coverage[] = COUNTIES.flatMap(({ fips }) => {
  const rows: [layer: string, source: SourceId, from: string | null, to: string | null][] = [
    ['properties', 'sandbox_assessor', null, TODAY],
    ['owners', 'sandbox_recorder', null, TODAY],
    ['assessments', 'sandbox_assessor', '2017-01-01', TODAY],
    ['taxes', 'sandbox_treasurer', '2020-01-01', '2025-12-31'],
    ['transactions', 'sandbox_recorder', '2011-07-01', TODAY],
    ['mortgages', 'sandbox_recorder', '2011-07-01', TODAY],
    ['flood', 'sandbox_flood', '2021-09-24', null],
    ['tax_liens', 'sandbox_treasurer', COVERS_FROM.tax_liens, TODAY],
    ['permits', 'sandbox_permits', COVERS_FROM.permits, TODAY],
    ['code_violations', 'sandbox_code', COVERS_FROM.code_violations, TODAY],
    ['census', 'sandbox_census', '2020-01-01', '2024-12-31'],
    ['opportunity_zone', 'sandbox_zones', '2018-06-14', '2028-12-31'],
  ];
  return rows
    .filter(([layer]) => layer !== 'code_violations' || fips !== QUILLMOOR)
    .map(([layer, sourceId, coversFrom, coversTo]) => ({ fips, layer, sourceId, coversFrom, coversTo }));
});
