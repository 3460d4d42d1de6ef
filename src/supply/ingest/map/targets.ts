// The tables a load writes to: their staged columns, their keys, and the event each change makes.
import { mapValues } from '../../../base/lib/pick.ts';
import { EVENT_LAYERS, POLYGON_LAYERS, TRACT_LAYERS, type EventLayerName } from '../../layers/layers.ts';
import type { Dataset, Target } from '../source.ts';
import targets from './targets.json' with { type: 'json' };

/** Columns as a statement lists them. */
const listed = (columns: string): string[] => columns.split(/,\s+/);

/** The fields that a source can state about a property; each carries its own provenance. */
export const PROPERTY_FIELDS = listed(targets.property_fields);

/** Stamped from the map: the tract, and the columns of the layers that are stamped. */
export const MAP_FIELDS = [
  'census_tract',
  'census_tract_vintage',
  'census_tract_2010',
  ...POLYGON_LAYERS.flatMap(({ columns }) => Object.keys(columns)),
  ...TRACT_LAYERS.map(({ tracts }) => tracts.column),
];
/** All columns derived from a property's location. */
export const STAMP_FIELDS = ['cell_fine', 'cell_coarse', ...MAP_FIELDS];

/** Columns of a sale's `attributes`: the row's facts about the home. */
export const SALE_ATTRIBUTES = listed(targets.sale_attributes);

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

const written = (specs: Record<string, Omit<TargetSpec, 'columns'> & { columns: string }>) =>
  mapValues(specs, (spec): TargetSpec => ({ ...spec, columns: listed(spec.columns) }));

export const TARGETS = {
  ...written(targets.facts),
  ...LAYER_TARGETS,
  ...written(targets.others),
} as Record<Exclude<Target, 'properties' | 'owners'>, TargetSpec>;

export const OWNER_COLUMNS = ['known_on', 'names', 'type', 'owner_occupied', 'mailing_address', 'owned_since'];

const CLAIM_COLUMNS = [
  ...listed('known_on, row_hash, apn_normalized, unit_key, source_key, creates'),
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

/** The stage columns that a dataset's maps can fill: a property has seventy, but few sources fill more than twenty. */
export function stagedColumns(dataset: Pick<Dataset, 'records' | 'key'>, target: Target): string[] {
  const leading = isJoined(dataset, target) ? STAGE_COLUMNS : STAGE_COLUMNS.filter((name) => !name.startsWith('join_'));
  const columns = columnsOf(target);
  if (target !== 'properties') return [...leading, ...columns];
  const maps = dataset.records.filter(({ into }) => into === target);
  const isStaged = (name: string) =>
    !STATED.has(name) || ALWAYS_STAGED.has(name) || maps.some(({ fields }) => name in fields);
  return [...leading, ...columns.filter(isStaged)];
}
