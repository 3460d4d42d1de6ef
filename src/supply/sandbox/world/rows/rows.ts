// The invented world as rows of the data plane: one table after another in COPY order, each streamed from memory.
import type { CopyValue } from '../../../../base/db/copy.ts';
import { boxOfPolygon, NO_COUNTY, type Box } from '../../../../base/lib/geo.ts';
import { areaSqftOf, encodeShape, shapeCellOf } from '../../../../base/lib/shapes.ts';
import { outlineOfLot } from '../land/plots.ts';
import { PROPERTY_TYPES } from '../land/district.ts';
import { COUNTIES, MARKET } from '../../geography.ts';
import type { Estate } from '../estate.ts';
import { SUPPRESSED_OWNER_OF, type World } from '../world.ts';
import { changedAt, propertyRow } from './property-row.ts';
import { layerRows, originBy, recordRows, type Origin, type TableRows } from './record-rows.ts';
import { COVERAGE, FIRST_LOAD, loadDayOf, loadedAt, type FindLoad, type SourceId } from '../sources.ts';

export function tableRows(world: World, findLoad: FindLoad): TableRows[] {
  const { estates } = world;
  return [
    propertyRows(estates, findLoad),
    shapeRows(world, findLoad),
    ...recordRows(estates, findLoad),
    ...layerRows(estates, findLoad),
    ...placeRows(world, findLoad),
    changeRows(estates, findLoad),
    ...catalogRows(world),
  ];
}

function propertyRows(estates: readonly Estate[], findLoad: FindLoad): TableRows {
  return {
    table: 'properties',
    columns: Object.keys(propertyRow(estates[0], 0, findLoad)),
    rows: mapped(estates, (estate, index) => Object.values(propertyRow(estate, index, findLoad))),
  };
}

function shapeRows({ estates }: World, findLoad: FindLoad): TableRows {
  const origin = originBy(findLoad)('sandbox_assessor', FIRST_LOAD);
  return {
    table: 'parcel_shapes',
    columns:
      `fips property_id shape cell min_longitude min_latitude max_longitude max_latitude area_sqft known_on source_id load_id
      loaded_at`.split(/\s+/),
    rows: mapped(estates, ({ home }) => {
      const polygons = [[outlineOfLot(home)]];
      const box = boxOfPolygon(polygons);
      return [
        home.fips,
        home.id,
        `\\x${encodeShape(polygons).toString('hex')}`,
        shapeCellOf(box),
        box.minLongitude,
        box.minLatitude,
        box.maxLongitude,
        box.maxLatitude,
        Math.round(areaSqftOf(polygons)),
        FIRST_LOAD,
        ...origin,
      ];
    }),
  };
}

const edgesOf = (box: Box): number[] => [box.minLongitude, box.minLatitude, box.maxLongitude, box.maxLatitude];

function placeRows({ areas, zips, water, roads, tracts, zones, lineage }: World, findLoad: FindLoad): TableRows[] {
  const origin = originBy(findLoad);
  const first = (source: SourceId): Origin => origin(source, FIRST_LOAD);
  const areaSource = {
    flood: 'sandbox_flood',
    census_tract: 'sandbox_census',
    neighborhood: 'sandbox_assessor',
  } as const;
  return [
    {
      table: 'areas',
      columns:
        'fips kind id vintage name min_longitude min_latitude max_longitude max_latitude attributes rings source_id load_id'.split(
          ' ',
        ),
      rows: [
        ...areas.map(({ fips, kind, id, vintage, name, box, attributes, rings }) => [
          fips,
          kind,
          id,
          vintage,
          name,
          ...edgesOf(box),
          attributes,
          rings,
          ...first(areaSource[kind]).slice(0, 2),
        ]),
        ...zips.map(({ id, box, polygons }) => [
          NO_COUNTY,
          'zip',
          id,
          2026,
          null,
          ...edgesOf(box),
          {},
          polygons,
          ...first('sandbox_census').slice(0, 2),
        ]),
        ...water.map(({ fips, id, name, box, rings }) => [
          fips,
          'water',
          id,
          2026,
          name,
          ...edgesOf(box),
          {},
          rings,
          ...first('sandbox_assessor').slice(0, 2),
        ]),
      ],
    },
    {
      table: 'map_lines',
      columns:
        'fips kind id name importance cell min_longitude min_latitude max_longitude max_latitude path source_id load_id'.split(
          ' ',
        ),
      rows: roads.map(({ fips, kind, id, name, rank, box, path }) => [
        fips,
        kind,
        id,
        name,
        rank,
        shapeCellOf(box),
        ...edgesOf(box),
        path,
        ...first('sandbox_assessor').slice(0, 2),
      ]),
    },
    {
      table: 'census_tracts',
      columns:
        `fips geoid vintage population median_household_income per_capita_income median_home_value owner_occupied_rate vacancy_rate poverty_rate unemployment_rate housing_units
        internet_rate white_share black_share asian_share hispanic_share source_id load_id loaded_at`.split(/\s+/),
      rows: tracts.map((tract) => [
        tract.fips,
        tract.geoid,
        tract.vintage,
        tract.population,
        tract.medianHouseholdIncome,
        tract.perCapitaIncome,
        tract.medianHomeValue,
        tract.ownerOccupiedRate,
        tract.vacancyRate,
        tract.povertyRate,
        tract.unemploymentRate,
        tract.housingUnits,
        tract.internetRate,
        tract.composition?.white ?? null,
        tract.composition?.black ?? null,
        tract.composition?.asian ?? null,
        tract.composition?.hispanic ?? null,
        ...first('sandbox_census'),
      ]),
    },
    {
      table: 'opportunity_zones',
      columns: 'fips tract_geoid tract_vintage tract_type designated_on source_id load_id loaded_at'.split(' '),
      rows: zones.map((zone) => [
        zone.fips,
        zone.geoid,
        2010,
        zone.tractType,
        zone.designatedOn,
        ...first('sandbox_zones'),
      ]),
    },
    {
      table: 'lineage',
      columns: 'fips property_id successor_id kind happened_on load_id'.split(' '),
      rows: lineage.map((link) => [
        COUNTIES[0].fips,
        link.propertyId,
        link.successorId,
        link.kind,
        link.happenedOn,
        findLoad('sandbox_assessor', loadDayOf(link.happenedOn)),
      ]),
    },
  ];
}

function changeRows(estates: readonly Estate[], findLoad: FindLoad): TableRows {
  const all = estates.flatMap(({ home, changes }, index) =>
    changes.map((change) => ({ home, change, at: changedAt(change.loadDay, index) })),
  );
  all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return {
    table: 'changes',
    columns: 'fips property_id market kind op changed_fields before after load_id occurred_at'.split(' '),
    rows: mapped(all, ({ home, change, at }) => [
      home.fips,
      home.id,
      MARKET,
      change.kind,
      change.op,
      change.fields,
      change.before,
      change.after,
      findLoad(change.source, change.loadDay),
      at,
    ]),
  };
}

function extentOf(homes: Estate['home'][]): CopyValue[] {
  const ends = (values: number[]) =>
    values.length === 0
      ? [null, null]
      : [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const [south, north] = ends(homes.map(({ latitude }) => latitude));
  const [west, east] = ends(homes.map(({ longitude }) => longitude));
  return [south, west, north, east, [...new Set(homes.map(({ district }) => district.zip))]];
}

function catalogRows({ estates, tracts, zones }: World): TableRows[] {
  const active = estates.filter(({ isRetired }) => !isRetired);
  const counts = COUNTIES.flatMap(({ fips }) =>
    PROPERTY_TYPES.map((type): CopyValue[] => {
      const homes = active.filter(({ home }) => home.fips === fips && home.type === type).map(({ home }) => home);
      return [fips, MARKET, type, homes.length, ...extentOf(homes)];
    }),
  );
  const sizes: Record<string, (fips: number) => number> = {
    properties: (fips) => sum(active, fips, () => 1),
    owners: (fips) => sum(estates, fips, ({ life }) => life.owners.length),
    assessments: (fips) => sum(estates, fips, ({ assessments }) => assessments.length),
    taxes: (fips) => sum(estates, fips, ({ taxes }) => taxes.length),
    transactions: (fips) => sum(estates, fips, ({ life }) => life.transactions.length),
    mortgages: (fips) =>
      sum(estates, fips, ({ life }) => life.transactions.filter(({ type }) => type === 'mortgage').length),
    flood: (fips) => sum(estates, fips, () => 1),
    tax_liens: (fips) => sum(estates, fips, ({ layers }) => layers.liens.length),
    permits: (fips) => sum(estates, fips, ({ layers }) => layers.permits.length),
    code_violations: (fips) => sum(estates, fips, ({ layers }) => layers.violations?.length ?? 0),
    census: (fips) => tracts.filter((tract) => tract.fips === fips).length,
    opportunity_zone: (fips) => zones.filter((zone) => zone.fips === fips).length,
  };
  const lastLoad = loadDayOf('9999-12-31');
  return [
    {
      table: 'property_counts',
      columns:
        'fips market property_type property_count min_latitude min_longitude max_latitude max_longitude zips'.split(
          ' ',
        ),
      rows: counts,
    },
    {
      table: 'coverage',
      columns: 'fips market layer source_id covers_from covers_to published_on loaded_at record_count'.split(' '),
      rows: COVERAGE.map(({ fips, layer, sourceId, coversFrom, coversTo }) => [
        fips,
        MARKET,
        layer,
        sourceId,
        coversFrom,
        coversTo,
        lastLoad,
        loadedAt(lastLoad),
        sizes[layer](fips),
      ]),
    },
    {
      table: 'owner_suppressions',
      columns: ['fips', 'property_id', 'reason', 'suppressed_at'],
      rows: [[COUNTIES[0].fips, SUPPRESSED_OWNER_OF, 'request', '2026-06-01T00:00:00Z']],
    },
  ];
}

function sum(estates: readonly Estate[], fips: number, sizeOf: (estate: Estate) => number): number {
  return estates.reduce((total, estate) => total + (estate.home.fips === fips ? sizeOf(estate) : 0), 0);
}

function* mapped<Item>(
  items: readonly Item[],
  rowOf: (item: Item, index: number) => CopyValue[],
): Iterable<CopyValue[]> {
  for (const [index, item] of items.entries()) yield rowOf(item, index);
}
