// Search results in other formats: GeoJSON for maps, NDJSON for pipes, CSV for spreadsheets.
import type { Point } from '../../base/lib/geo.ts';
import { INCLUDES, Property, PropertyFields, type Include } from './schema.ts';

export const FORMATS = ['json', 'geojson', 'ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** `spots` are the properties' locations, in the same order: a feature has its geometry even if `fields` omits it. */
export const toGeoJson = (
  properties: Property[],
  spots: { [Name in keyof Point]: number | null }[],
  nextCursor: string | null,
): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: properties.map(({ geometry, ...rest }, i) => ({
      type: 'Feature',
      id: rest.id,
      geometry: geometry ?? pointOf(spots[i]),
      properties: rest,
    })),
    next_cursor: nextCursor,
  });

/** With `include=geometry` a feature is drawn as its outline, elsewhere and without one as its point. */
export const pointOf = ({ latitude, longitude }: { latitude: number | null; longitude: number | null }) =>
  latitude === null || longitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] };

export const toNdjson = (properties: Property[]): string =>
  properties.map((property) => `${JSON.stringify(property)}\n`).join('');

interface Selection {
  fields: readonly string[] | undefined;
  includes: readonly Include[];
}

/** Nested members become `parcel.lot_sqft`; lists stay JSON in their cell. The columns come from the record's schema,
    not the rows, so pages are consistent and an empty page has its header row. */
export function toCsv(properties: Property[], selection: Selection): string {
  const known = listMembers(properties, selection).flatMap((name) => columnsOf(name, Property.properties[name]));
  const isKnown = (column: string) => known.some((each) => each === column || each.startsWith(`${column}.`));
  const flat = properties.map((property) => flatten(property));
  const others = flat.flatMap((row) => Object.keys(row).filter((column) => !isKnown(column)));
  return linesOf([...known, ...new Set(others)], flat);
}

/** The rows of a list by the columns of their shape. */
export const csvOf = (rows: readonly object[], shape: { properties: Record<string, object> }): string =>
  linesOf(
    Object.entries(shape.properties).flatMap(([name, of]) => columnsOf(name, of)),
    rows.map((row) => flatten(row)),
  );

function linesOf(columns: string[], rows: Record<string, unknown>[]): string {
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => csvCell(row[column])).join(','))];
  return `${lines.join('\r\n')}\r\n`;
}

const ONLY_WHEN_ASKED: readonly string[] = [...INCLUDES, 'distance_miles'];

function listMembers([first]: Property[], { fields, includes }: Selection): (keyof Property)[] {
  const wanted: readonly string[] = ['object', 'id', ...(fields ?? []), ...includes];
  return PropertyFields.filter((name) => {
    if (first) return name in first;
    return wanted.includes(name) || (!fields && !ONLY_WHEN_ASKED.includes(name));
  });
}

/** Columns by a member's shape; a member of unknown shape has the columns found in its rows. */
function columnsOf(name: string, shape: object): string[] {
  const { properties, type } = shape as { properties?: Record<string, object>; type?: unknown };
  if (properties) return Object.entries(properties).flatMap(([part, of]) => columnsOf(`${name}.${part}`, of));
  return type === undefined || type === 'object' ? [] : [name];
}

const flatten = (value: object, prefix = ''): Record<string, unknown> =>
  Object.assign(
    {},
    ...Object.entries(value).map(([name, member]) =>
      member !== null && typeof member === 'object' && !Array.isArray(member)
        ? flatten(member, `${prefix}${name}.`)
        : { [`${prefix}${name}`]: member },
    ),
  ) as Record<string, unknown>;

/** A leading apostrophe turns a cell that a spreadsheet would run as a formula into text. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const raw = typeof value === 'string' ? value : JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
