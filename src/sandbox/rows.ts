// The market as rows of the data plane: one table after the other, in the order of COPY, each streamed from memory.
import type { CopyValue } from '../db/copy.ts';
import { normalizeApn } from '../lib/ids.ts';
import { PROPERTY_TYPES } from './districts.ts';
import { COUNTIES, MARKET, STATE } from './geography.ts';
import { CONDITIONS, QUALITIES } from './homes.ts';
import { SUPPRESSED_OWNER_OF, type Estate, type Market } from './market.ts';
import { COVERAGE, FIRST_LOAD, loadDayOf, loadedAt, type SourceId } from './sources.ts';

/** The number of the load that brought a source's rows of a day. */
export type FindLoad = (source: SourceId, loadDay: string) => number;
export type TableRows = { table: string; columns: string[]; rows: Iterable<CopyValue[]> };

export function tableRows(market: Market, findLoad: FindLoad): TableRows[] {
  const { estates } = market;
  const each = (table: string, columns: string, rowsOf: (estate: Estate) => Iterable<CopyValue[]>): TableRows => ({
    table,
    columns: columns.trim().split(/[,\s]+/),
    rows: flatten(estates, rowsOf),
  });
  const origin = originBy(findLoad);
  return [
    {
      table: 'properties',
      columns: Object.keys(propertyRow(estates[0], 0, findLoad)),
      rows: mapped(estates, (estate, index) => Object.values(propertyRow(estate, index, findLoad))),
    },
    each(
      'owners',
      'fips property_id known_on names type owner_occupied mailing_address owned_since ended_on source_id load_id loaded_at',
      ({ home, life }) =>
        [...new Map(life.owners.map((owner) => [owner.knownOn, owner])).values()].map((owner) => [
          home.fips,
          home.id,
          owner.knownOn,
          owner.names,
          owner.type,
          owner.isOccupant,
          owner.mailingAddress,
          owner.since,
          owner.endedOn,
          ...origin('sandbox_recorder', owner.knownOn),
        ]),
    ),
    each(
      'assessments',
      'fips property_id year land improvements total market_total known_on source_id load_id loaded_at',
      ({ home, assessments }) =>
        assessments.map((one) => [
          home.fips,
          home.id,
          one.year,
          one.land,
          one.improvements,
          one.total,
          one.marketTotal,
          one.knownOn,
          ...origin('sandbox_assessor', one.knownOn),
        ]),
    ),
    each(
      'taxes',
      'fips property_id year amount_cents exemptions status known_on source_id load_id loaded_at',
      ({ home, taxes }) =>
        taxes.map((tax) => [
          home.fips,
          home.id,
          tax.year,
          tax.amountCents,
          tax.exemptions,
          tax.status,
          tax.knownOn,
          ...origin('sandbox_treasurer', tax.knownOn),
        ]),
    ),
    each(
      'transactions',
      `fips property_id id market type document_type document_number book page recording_date sale_date date_precision price arms_length
      arms_length_reason buyers sellers lender loan_amount attributes known_on source_id load_id loaded_at`,
      ({ home, life }) =>
        life.transactions.map((one) => [
          home.fips,
          home.id,
          one.id,
          MARKET,
          one.type,
          one.documentType,
          one.documentNumber,
          one.book,
          one.page,
          one.recordedOn,
          one.soldOn,
          one.datePrecision,
          one.priceUsd,
          one.armsLength,
          one.armsLengthReason,
          one.buyers,
          one.sellers,
          one.lender,
          one.loanUsd,
          one.attributes,
          one.recordedOn,
          ...origin('sandbox_recorder', one.recordedOn),
        ]),
    ),
    each(
      'flood_stamps',
      'fips property_id zone zone_subtype sfha base_flood_elevation_ft firm_panel effective_date zones source_id load_id loaded_at',
      ({ home, layers: { flood } }) => [
        [
          home.fips,
          home.id,
          flood.zone,
          flood.subtype,
          flood.sfha,
          flood.bfeFt,
          flood.panel,
          flood.effectiveOn,
          flood.zones,
          ...origin('sandbox_flood', FIRST_LOAD),
        ],
      ],
    ),
    each(
      'tax_liens',
      'fips property_id id type amount tax_year filing_date status release_date document_number known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        layers.liens.map((lien) => [
          home.fips,
          home.id,
          lien.id,
          lien.type,
          lien.amountUsd,
          lien.taxYear,
          lien.filedOn,
          lien.status,
          lien.releasedOn,
          lien.documentNumber,
          lien.filedOn,
          ...origin('sandbox_treasurer', lien.releasedOn ?? lien.filedOn),
        ]),
    ),
    each(
      'permits',
      'fips property_id id number type description status issue_date final_date job_value known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        layers.permits.map((permit) => [
          home.fips,
          home.id,
          permit.id,
          permit.number,
          permit.type,
          permit.description,
          permit.status,
          permit.issuedOn,
          permit.finalOn,
          permit.jobValueUsd,
          permit.issuedOn,
          ...origin('sandbox_permits', permit.finalOn ?? permit.issuedOn),
        ]),
    ),
    each(
      'code_violations',
      'fips property_id id case_number code_section description status opened_date closed_date known_on source_id load_id loaded_at',
      ({ home, layers }) =>
        (layers.violations ?? []).map((one) => [
          home.fips,
          home.id,
          one.id,
          one.caseNumber,
          one.section,
          one.description,
          one.status,
          one.openedOn,
          one.closedOn,
          one.openedOn,
          ...origin('sandbox_code', one.closedOn ?? one.openedOn),
        ]),
    ),
    ...placeRows(market, findLoad),
    changeRows(estates, findLoad),
    ...catalogRows(market),
  ];
}

type Origin = [source: string, loadId: number, loadedAt: string];

/** Source, load and moment of loading: the last three columns of every fact. */
function originBy(findLoad: FindLoad): (source: SourceId, knownOn: string) => Origin {
  const first = new Map<SourceId, Origin>();
  return (source, knownOn) => {
    if (knownOn > FIRST_LOAD) return [source, findLoad(source, loadDayOf(knownOn)), loadedAt(loadDayOf(knownOn))];
    let found = first.get(source);
    if (!found) first.set(source, (found = [source, findLoad(source, FIRST_LOAD), loadedAt(FIRST_LOAD)]));
    return found;
  };
}

function placeRows({ areas, tracts, zones, lineage }: Market, findLoad: FindLoad): TableRows[] {
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
      rows: areas.map(({ fips, kind, id, vintage, name, box, attributes, rings }) => [
        fips,
        kind,
        id,
        vintage,
        name,
        box.minLongitude,
        box.minLatitude,
        box.maxLongitude,
        box.maxLatitude,
        attributes,
        rings,
        ...first(areaSource[kind]).slice(0, 2),
      ]),
    },
    {
      table: 'census_tracts',
      columns:
        `fips geoid vintage population median_household_income per_capita_income median_home_value owner_occupied_rate vacancy_rate poverty_rate unemployment_rate housing_units
        internet_rate source_id load_id loaded_at`.split(/\s+/),
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

function catalogRows({ estates, tracts, zones }: Market): TableRows[] {
  const active = estates.filter(({ isRetired }) => !isRetired);
  const counts = COUNTIES.flatMap(({ fips }) =>
    PROPERTY_TYPES.map((type): CopyValue[] => [
      fips,
      MARKET,
      type,
      active.filter(({ home }) => home.fips === fips && home.type === type).length,
    ]),
  );
  const sizes: Record<string, (fips: number) => number> = {
    properties: (fips) => sum(active, fips, () => 1),
    owners: (fips) => sum(estates, fips, ({ life }) => life.owners.length),
    assessments: (fips) => sum(estates, fips, ({ assessments }) => assessments.length),
    taxes: (fips) => sum(estates, fips, ({ taxes }) => taxes.length),
    transactions: (fips) => sum(estates, fips, ({ life }) => life.transactions.length),
    flood: (fips) => sum(estates, fips, () => 1),
    tax_liens: (fips) => sum(estates, fips, ({ layers }) => layers.liens.length),
    permits: (fips) => sum(estates, fips, ({ layers }) => layers.permits.length),
    code_violations: (fips) => sum(estates, fips, ({ layers }) => layers.violations?.length ?? 0),
    census: (fips) => tracts.filter((tract) => tract.fips === fips).length,
    opportunity_zone: (fips) => zones.filter((zone) => zone.fips === fips).length,
  };
  const lastLoad = loadDayOf('9999-12-31');
  return [
    { table: 'property_counts', columns: ['fips', 'market', 'property_type', 'property_count'], rows: counts },
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

/** Loads write a hundred properties a second: moments differ, and the order is that of the market. */
function changedAt(loadDay: string, index: number): string {
  return new Date(Date.parse(loadedAt(loadDay)) + index * 10).toISOString();
}

function propertyRow(estate: Estate, index: number, findLoad: FindLoad): Record<string, CopyValue> {
  const { home, life, layers } = estate;
  const { district } = home;
  const lastSale = life.transactions
    .filter(({ armsLength }) => armsLength)
    .reduce<Estate['life']['transactions'][0] | undefined>(
      (latest, one) => (latest && latest.soldOn! >= one.soldOn! ? latest : one),
      undefined,
    );
  const owner = life.owners.at(-1)!;
  const assessment = estate.assessments.at(-1);
  const lastChange = estate.changes.at(-1)!;
  const isBuilt = home.yearBuilt !== null || home.sqft !== null;
  return {
    fips: home.fips,
    id: home.id,
    market: MARKET,
    state: STATE,
    status: estate.isRetired ? 'retired' : 'active',
    apn: home.apn,
    apn_normalized: normalizeApn(home.apn),
    unit_key: home.unitKey,
    address_line1: home.line1,
    address_unit: home.unit,
    city: district.city,
    zip: district.zip,
    zip4: home.zip4,
    latitude: home.latitude,
    longitude: home.longitude,
    geo_precision: 'parcel',
    cell_fine: home.cellFine,
    cell_coarse: home.cellCoarse,
    property_type: home.type,
    sqft: home.sqft,
    bedrooms: home.bedrooms,
    bathrooms: home.bathsFull === null ? null : home.bathsFull + home.bathsHalf! / 2,
    lot_sqft: home.lotSqft,
    zoning: district.zoning,
    land_use_code: LAND_USE[home.type][0],
    land_use: LAND_USE[home.type][1],
    legal_description:
      home.subdivision &&
      `${home.subdivision.toUpperCase()} LOT ${(index % 40) + 1} BLK ${(Math.floor(index / 40) % 30) + 1}`,
    subdivision: home.subdivision,
    neighborhood: district.name,
    census_tract: estate.tract2020,
    census_tract_vintage: estate.tract2020 && 2020,
    census_tract_2010: estate.tract2010,
    block_group: estate.blockGroup,
    year_built: home.yearBuilt,
    effective_year_built: home.effectiveYearBuilt,
    stories: home.stories,
    units: home.units,
    rooms: home.rooms,
    baths_full: home.bathsFull,
    baths_half: home.bathsHalf,
    garage_spaces: home.garageSpaces,
    pool: home.pool,
    heating: home.heating,
    cooling: home.cooling,
    exterior: home.exterior,
    foundation: home.foundation,
    condition: home.condition === null ? null : CONDITIONS[home.condition],
    quality: home.quality === null ? null : QUALITIES[home.quality],
    style: home.style,
    extras: isBuilt
      ? {
          waterfront: home.waterfront ? 1 : 0,
          view: home.view,
          fireplaces: home.fireplaces,
          basement_sqft: home.basementSqft,
          ...(home.type === 'condo' && { floor: home.floor }),
        }
      : { waterfront: home.waterfront ? 1 : 0 },
    owner_type: owner.type,
    owner_occupied: owner.isOccupant,
    assessed_value: assessment?.total,
    assessed_year: assessment?.year,
    last_sale_date: lastSale?.soldOn,
    last_sale_price: lastSale?.priceUsd,
    last_sale_id: lastSale?.id,
    flood_zone: layers.flood.zone,
    flood_sfha: layers.flood.sfha,
    opportunity_zone: estate.isOpportunityZone,
    open_tax_liens: layers.liens.filter(({ status }) => status === 'open').length,
    open_violations: layers.violations ? layers.violations.filter(({ status }) => status === 'open').length : null,
    permit_count: layers.permits.length,
    last_permit_date: layers.permits.at(-1)?.issuedOn,
    provenance: estate.provenance,
    load_id: findLoad(lastChange.source, lastChange.loadDay),
    created_at: changedAt(estate.changes[0].loadDay, index),
    updated_at: changedAt(lastChange.loadDay, index),
  };
}

const LAND_USE: Record<(typeof PROPERTY_TYPES)[number], [code: string, name: string]> = {
  single_family: ['100', 'Single-family dwelling'],
  condo: ['120', 'Condominium unit'],
  townhouse: ['110', 'Attached dwelling'],
  multi_family: ['200', 'Two to four dwellings'],
  apartment: ['210', 'Apartments, five or more'],
  manufactured: ['130', 'Manufactured home'],
  land: ['900', 'Vacant land'],
  commercial: ['400', 'Commercial building'],
  other: ['700', 'Institutional'],
};

function sum(estates: readonly Estate[], fips: number, sizeOf: (estate: Estate) => number): number {
  return estates.reduce((total, estate) => total + (estate.home.fips === fips ? sizeOf(estate) : 0), 0);
}

function* mapped<Item>(
  items: readonly Item[],
  rowOf: (item: Item, index: number) => CopyValue[],
): Iterable<CopyValue[]> {
  for (const [index, item] of items.entries()) yield rowOf(item, index);
}

function* flatten(
  estates: readonly Estate[],
  rowsOf: (estate: Estate) => Iterable<CopyValue[]>,
): Iterable<CopyValue[]> {
  for (const estate of estates) yield* rowsOf(estate);
}
