// Publishes the sandbox as real places do: sources with datasets, in an edition at the end of May and one a month later.
// Its records are made rather than read from files; everything else about them is as in a recipe.
import type { Dataset, MadeRecord, RecordMap, Source, Target } from '../src/supply/ingest/source.ts';
import { COUNTIES, MARKET, STATE, WENDEMERE } from '../src/supply/sandbox/geography.ts';
import { readSources } from '../sources/sources.ts';
import { TODAY } from './dates.ts';
import { indexOf, loansOf } from './benchmarks.ts';
import { hazardsOf } from './hazards.ts';
import { baseMapOf, censusOf, floodMapOf, zonesOf } from './maps.ts';
import { leasesOf, smallAreaRentsOf, tractRentsOf } from './rents.ts';
import { DAYS, recordsOf, replattedIn, surveyed, type Edition } from './records.ts';
import { parcelFields } from './roll.ts';
import { noteOf } from './version.ts';
import { generateWorld, type World } from './world.ts';

export type SandboxEdition = {
  /** The day it is published and loaded. */
  day: string;
  /** In the order to load them. */
  sources: Source[];
};

export function publishSandbox(properties: number, onHome?: (done: number) => void): SandboxEdition[] {
  const world = generateWorld(properties, onHome);
  const note = noteOf(properties);
  return [
    {
      day: DAYS.may,
      sources: [
        island([...maps(world, note), floodMap(world, 'may', note), replats(world, 'may', note)]),
        ...COUNTIES.map(({ fips }) => county(world, fips, 'may', note)),
        island([survey(world, note)]),
      ],
    },
    {
      day: DAYS.june,
      sources: [
        island([floodMap(world, 'june', note), replats(world, 'june', note)]),
        ...COUNTIES.map(({ fips }) => county(world, fips, 'june', note)),
      ],
    },
  ];
}

const market: Source['market'] = {
  id: MARKET,
  name: 'Sandbox Isle',
  state: STATE,
  description: 'Two invented counties on an invented island: every home, owner, sale and map line is synthetic.',
  isForTestKeys: true,
  frozenOn: TODAY,
};
const counties = COUNTIES.map((each) => ({ ...each, state: STATE }));

/** Layers by recipe that the island has values of its own for, and the recipes they are in. */
const INVENTED = new Set(['hazards', 'lending', 'small_area_rents', 'tract_rents']);
const INVENTED_AS = ['us/nri', 'us/rents', 'us/lending'];

const island = (datasets: Dataset[]): Source => ({
  id: MARKET,
  market,
  counties,
  parcels: { fixedWidth: true },
  layers: readSources(INVENTED_AS).flatMap(({ layers = [] }) => layers.filter(({ name }) => INVENTED.has(name))),
  datasets,
});

type Draft = Pick<Dataset, 'id' | 'name' | 'cadence' | 'layers' | 'note' | 'publishedOn'> & {
  records: RecordMap[];
  authority?: number;
  make: () => Iterable<MadeRecord>;
};

const dataset = ({ make, ...draft }: Draft): Dataset => ({
  ...draft,
  publisher: 'Platbook sandbox',
  landingPage: '',
  licence: 'CC0-1.0',
  attribution: `${draft.name}, invented by Platbook, CC0`,
  format: { type: 'json' },
  files: [],
  made: make,
  // June's edition has only what is new.
  checks: { maxLostShare: 1, maxVanishedShare: 1 },
});

const into = (target: Target, more: Partial<RecordMap> = {}): RecordMap => ({ into: target, fields: {}, ...more });

/** What a record map can have, where its records are made. */
const having = (names: string[]): RecordMap['fields'] =>
  Object.fromEntries(names.map((name) => [name, { kind: 'made', columns: [], read: () => null }]));

function maps(world: World, note: string): Dataset[] {
  const publishedOn = DAYS.may;
  return [
    dataset({
      id: 'sandbox/census',
      name: 'Sandbox community survey',
      cadence: 'yearly',
      note,
      publishedOn,
      records: [into('areas'), into('census_tracts')],
      layers: [{ layer: 'census', from: '2020-01-01', to: '2024-12-31' }],
      make: () => censusOf(world),
    }),
    dataset({
      id: 'sandbox/zones',
      name: 'Sandbox opportunity zones',
      cadence: 'once',
      note,
      publishedOn,
      records: [into('opportunity_zones')],
      layers: [{ layer: 'opportunity_zone', from: '2018-06-14', to: '2028-12-31' }],
      make: () => zonesOf(world),
    }),
    dataset({
      id: 'sandbox/hazards',
      name: 'Sandbox risk index',
      cadence: 'yearly',
      note,
      publishedOn,
      records: [into('layer_values', { layer: 'hazards' })],
      layers: [{ layer: 'hazards' }],
      make: () => hazardsOf(world),
    }),
    dataset({
      id: 'sandbox/lending',
      name: 'Sandbox loan register',
      cadence: 'yearly',
      note,
      publishedOn,
      records: [into('layer_values', { layer: 'lending' })],
      layers: [{ layer: 'lending' }],
      make: () => loansOf(world),
    }),
    dataset({
      id: 'sandbox/price-index',
      name: 'Sandbox house price index',
      cadence: 'yearly',
      note,
      publishedOn,
      records: [into('price_indexes')],
      layers: [],
      make: () => indexOf(world),
    }),
    dataset({
      id: 'sandbox/map',
      name: 'Sandbox base map',
      cadence: 'yearly',
      note,
      publishedOn,
      records: [into('areas'), into('map_lines')],
      layers: [],
      make: () => baseMapOf(world),
    }),
  ];
}

const floodMap = ({ floodZones }: World, edition: Edition, note: string): Dataset =>
  dataset({
    id: 'sandbox/flood',
    name: 'Sandbox flood hazard layer',
    cadence: 'monthly',
    note,
    publishedOn: DAYS[edition],
    records: [into('areas', { complete: true })],
    layers: [{ layer: 'flood', from: '2021-09-24' }],
    make: () => floodMapOf(floodZones[edition]),
  });

/** It measured the buildings, so it is believed rather than the roll. */
const survey = ({ estates }: World, note: string): Dataset =>
  dataset({
    id: 'sandbox/survey',
    name: 'Sandbox building survey',
    cadence: 'yearly',
    note,
    publishedOn: DAYS.may,
    authority: 2,
    records: [into('properties', { creates: false, fields: having(['sqft', 'year_built', 'bedrooms', 'lot_sqft']) })],
    layers: [],
    make: () => surveyed(estates),
  });

/** Parcels that were split or merged. */
const replats = ({ estates }: World, edition: Edition, note: string): Dataset =>
  dataset({
    id: 'sandbox/replats',
    name: 'Sandbox splits and mergers of parcels',
    cadence: 'monthly',
    note,
    publishedOn: DAYS[edition],
    records: [into('properties', { complete: true, fields: onRoll(estates) })],
    layers: [],
    make: () => replattedIn(estates, edition),
  });

const onRoll = (estates: World['estates']) => having(Object.keys(parcelFields(estates[0], 0, 'june')));

function rents(world: World, note: string): Dataset[] {
  const shared = { note, publishedOn: DAYS.may };
  return [
    dataset({
      ...shared,
      id: `sandbox-${WENDEMERE}/small-area-rents`,
      name: 'Sandbox fair market rents',
      cadence: 'yearly',
      records: [into('layer_values', { layer: 'small_area_rents' })],
      layers: [{ layer: 'small_area_rents' }],
      make: () => smallAreaRentsOf(world),
    }),
    dataset({
      ...shared,
      id: `sandbox-${WENDEMERE}/tract-rents`,
      name: 'Sandbox median rents',
      cadence: 'yearly',
      records: [into('layer_values', { layer: 'tract_rents' })],
      layers: [{ layer: 'tract_rents' }],
      make: () => tractRentsOf(world),
    }),
    dataset({
      ...shared,
      id: `sandbox-${WENDEMERE}/leases`,
      name: 'Sandbox rent roll',
      cadence: 'monthly',
      records: [into('rents')],
      layers: [],
      make: () => leasesOf(world),
    }),
  ];
}

/** Only one county publishes code violations; the other is "not covered". */
function county(world: World, fips: number, edition: Edition, note: string): Source {
  const { estates } = world;
  const { name } = counties.find((each) => each.fips === fips)!;
  const hasViolations = fips === WENDEMERE;
  return {
    ...island([
      dataset({
        id: `sandbox-${fips}/records`,
        name: `${name} records`,
        cadence: 'monthly',
        note,
        publishedOn: DAYS[edition],
        records: [
          into('properties', { fields: onRoll(estates) }),
          into('transactions', { fields: having(['arms_length']) }),
          ...(['parcel_shapes', 'assessments', 'owners', 'taxes', 'tax_liens', 'permits'] as const).map((target) =>
            into(target),
          ),
          ...(hasViolations ? [into('code_violations')] : []),
        ],
        layers: [
          { layer: 'properties', to: TODAY },
          { layer: 'owners', to: TODAY },
          { layer: 'assessments', from: '2017-01-01', to: TODAY },
          { layer: 'taxes', from: '2020-01-01', to: '2025-12-31' },
          { layer: 'transactions', from: '2011-07-01', to: TODAY },
          { layer: 'mortgages', from: '2011-07-01', to: TODAY },
          { layer: 'tax_liens', from: '2021-01-01', to: TODAY },
          { layer: 'permits', from: '2012-01-01', to: TODAY },
          ...(hasViolations ? [{ layer: 'code_violations', from: '2016-01-01', to: TODAY }] : []),
        ],
        make: () => recordsOf(estates, fips, edition),
      }),
      ...(hasViolations && edition === 'may' ? rents(world, note) : []),
    ]),
    id: `sandbox-${fips}`,
    counties: counties.filter((each) => each.fips === fips),
  };
}
