// The tables a load writes to: their staged columns, their keys, and the event each change makes.
import { EVENT_LAYERS, POLYGON_LAYERS, TRACT_LAYERS, type EventLayerName } from '../../layers/layers.ts';
import type { Dataset, Target } from '../source.ts';

/** Columns as a statement lists them. */
const listed = (columns: string): string[] => columns.split(/,\s+/);

/** The fields that a source can state about a property; each carries its own provenance. */
export const PROPERTY_FIELDS =
  listed(`apn, address_line1, address_unit, city, zip, zip4, latitude, longitude, geo_precision, property_type, sqft,
  bedrooms, bathrooms, lot_sqft, zoning, land_use_code, land_use, legal_description, subdivision, neighborhood,
  block_group, year_built, effective_year_built, stories, units, rooms, baths_full, baths_half, garage_spaces, pool,
  heating, cooling, exterior, foundation, condition, quality, style, footprint_sqft, extras`);

/** Stamped from the map: the tract, and the columns of the layers that are stamped. */
export const MAP_FIELDS = [
  'census_tract',
  'census_tract_vintage',
  'census_tract_2010',
  ...POLYGON_LAYERS.flatMap(({ columns }) => Object.keys(columns)),
  ...TRACT_LAYERS.map(({ tracts }) => tracts.column),
];
/** Everything that follows from a property's location. */
export const STAMP_FIELDS = ['cell_fine', 'cell_coarse', ...MAP_FIELDS];

/** Columns of a sale's `attributes`: what the row says about the home itself. */
export const SALE_ATTRIBUTES =
  listed(`property_type, sqft, bedrooms, bathrooms, baths_full, baths_half, lot_sqft, year_built, effective_year_built,
  stories, units, rooms, garage_spaces, condition, quality, style, exterior, zip, city, neighborhood, subdivision,
  latitude, longitude, extras`);

export interface TargetSpec {
  /** Columns after those that every staged row has. */
  columns: string[];
  /** The key, in addition to fips (and property_id for rows that belong to properties). */
  key: string[];
  ofProperty: boolean;
  /** Prefix of ids derived from the map's `id`. */
  idPrefix?: string;
  /** Columns that exist only in the stage. */
  stageOnly?: string[];
  /** Event kind, as SQL over the staged row `s` and, for updates, the old row `t`; null makes no event. */
  insertEvent?: string;
  updateEvent?: string;
  /** The part of the property that the event names. */
  eventField?: string;
  /** The date from which a fact counts as known, if the source does not say. */
  knownFrom?: string;
}

/** Dated records of layers: the members of an item are the columns of its table. */
const LAYER_TARGETS = Object.fromEntries(
  EVENT_LAYERS.map(
    ({ name, events: { item, idPrefix, knownFrom, insertEvent, updateEvent } }): [string, TargetSpec] => [
      name,
      {
        columns: ['id', ...Object.keys(item.properties), 'known_on'],
        key: ['id'],
        ofProperty: true,
        idPrefix,
        knownFrom,
        insertEvent,
        updateEvent,
        eventField: name,
      },
    ],
  ),
) as Record<EventLayerName, TargetSpec>;

const sale = `case when s.type = 'deed' and s.price > 0 then 'property.sale_recorded' else 'property.updated' end`;

export const TARGETS: Record<Exclude<Target, 'properties' | 'owners'>, TargetSpec> = {
  assessments: {
    columns: listed('year, land, improvements, total, market_total, known_on'),
    key: ['year'],
    ofProperty: true,
    insertEvent: `'property.assessment_updated'`,
    updateEvent: `'property.assessment_updated'`,
    eventField: 'assessments',
  },
  taxes: {
    columns: listed('year, amount_cents, exemptions, status, known_on'),
    key: ['year'],
    ofProperty: true,
    insertEvent: `'property.updated'`,
    updateEvent: `'property.updated'`,
    eventField: 'taxes',
  },
  transactions: {
    columns:
      listed(`id, market, type, document_type, document_number, book, page, recording_date, sale_date, date_precision, price,
      arms_length, arms_length_reason, buyers, sellers, lender, loan_amount, refers_to, joined_by, attributes, known_on,
      bulk_key`),
    key: ['id'],
    ofProperty: true,
    idPrefix: 'txn',
    stageOnly: ['bulk_key'],
    insertEvent: sale,
    updateEvent: sale,
    eventField: 'transactions',
  },
  ...LAYER_TARGETS,
  property_keys: {
    columns: listed('kind, key, number_from, number_to'),
    key: ['kind', 'key', 'number_from', 'number_to'],
    ofProperty: true,
  },
  parcel_shapes: {
    columns: listed('shape, cell, min_longitude, min_latitude, max_longitude, max_latitude, area_sqft, known_on'),
    key: [],
    ofProperty: true,
  },
  areas: {
    columns: listed(
      `kind, id, vintage, name, min_longitude, min_latitude, max_longitude, max_latitude, attributes, rings`,
    ),
    key: ['kind', 'id', 'vintage'],
    ofProperty: false,
  },
  map_lines: {
    columns: listed('kind, id, name, importance, cell, min_longitude, min_latitude, max_longitude, max_latitude, path'),
    key: ['kind', 'id'],
    ofProperty: false,
  },
  census_tracts: {
    columns:
      listed(`geoid, vintage, population, median_household_income, per_capita_income, median_home_value, owner_occupied_rate,
      vacancy_rate, poverty_rate, unemployment_rate, housing_units, internet_rate, white_share, black_share,
      asian_share, hispanic_share, minority_rank`),
    key: ['geoid', 'vintage'],
    ofProperty: false,
  },
  opportunity_zones: {
    columns: listed('tract_geoid, tract_vintage, tract_type, designated_on'),
    key: ['tract_geoid'],
    ofProperty: false,
  },
  opportunity_zones_2027: {
    columns: listed('tract_geoid, is_rural'),
    key: ['tract_geoid'],
    ofProperty: false,
  },
  price_indexes: {
    columns: listed('place_code, year, quarter, place_name, index_value, standard_error'),
    key: ['place_code', 'year', 'quarter'],
    ofProperty: false,
  },
  rents: {
    columns: listed('leased_on, unit, rent, bedrooms, sqft, known_on'),
    key: ['leased_on', 'unit'],
    ofProperty: true,
    knownFrom: 'leased_on',
  },
  mortgage_rates: { columns: listed('month, percent'), key: ['month'], ofProperty: false },
  layer_values: {
    columns: listed('layer, kind, key, latitude, longitude, vals'),
    key: ['layer', 'kind', 'key'],
    ofProperty: false,
  },
  layer_stamps: { columns: listed('layer, vals'), key: ['layer'], ofProperty: true },
};

export const OWNER_COLUMNS = ['known_on', 'names', 'type', 'owner_occupied', 'mailing_address', 'owned_since'];

const CLAIM_COLUMNS = [
  'known_on',
  'row_hash',
  'apn_normalized',
  'unit_key',
  'source_key',
  'creates',
  ...PROPERTY_FIELDS,
  ...STAMP_FIELDS,
];

/** Every staged row begins with these. */
export const STAGE_COLUMNS = ['fips', 'property_id', 'join_kind', 'join_key', 'join_number', 'rank', 'file', 'line'];

export function columnsOf(target: Target): string[] {
  if (target === 'properties') return CLAIM_COLUMNS;
  return target === 'owners' ? OWNER_COLUMNS : TARGETS[target].columns;
}

/** Set on every property, whatever its map contains. */
const ALWAYS_STAGED = new Set<string>(['apn', 'latitude', 'longitude', 'geo_precision', 'neighborhood', 'extras']);
const STATED = new Set<string>(PROPERTY_FIELDS);

/** Whether rows identify their property by a key other than its parcel number. */
export const isJoined = (dataset: Pick<Dataset, 'records' | 'key'>, target: Target): boolean =>
  dataset.records.some(({ into, key }) => into === target && (key ?? dataset.key)?.by !== undefined);

/** The stage columns that a dataset's maps can fill: a property has seventy, and few sources fill more than twenty. */
export function stagedColumns(dataset: Pick<Dataset, 'records' | 'key'>, target: Target): string[] {
  const leading = isJoined(dataset, target) ? STAGE_COLUMNS : STAGE_COLUMNS.filter((name) => !name.startsWith('join_'));
  const columns = columnsOf(target);
  if (target !== 'properties') return [...leading, ...columns];
  const maps = dataset.records.filter(({ into }) => into === target);
  const isStaged = (name: string) =>
    !STATED.has(name) || ALWAYS_STAGED.has(name) || maps.some(({ fields }) => name in fields);
  return [...leading, ...columns.filter(isStaged)];
}
