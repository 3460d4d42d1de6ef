// Search results in other formats: GeoJSON for maps, NDJSON for pipes, CSV for spreadsheets.
import type { Property } from './schema.ts';

export const FORMATS = ['json', 'geojson', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

export function toGeoJson(properties: Property[], nextCursor: string | null): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: properties.map((property) => ({
      type: 'Feature',
      id: property.id,
      ...shapeAndRest(property),
    })),
    next_cursor: nextCursor,
  });
}

/** With `include=geometry` a feature is drawn as its outline, elsewhere and without one as its point. */
function shapeAndRest({ geometry, ...properties }: Property) {
  const { latitude, longitude } = properties;
  const point =
    latitude == null || longitude == null ? null : { type: 'Point' as const, coordinates: [longitude, latitude] };
  return { geometry: geometry ?? point, properties };
}

export function toNdjson(properties: Property[]): string {
  return properties.map((property) => `${JSON.stringify(property)}\n`).join('');
}

/** Nested members become `parcel.lot_sqft`; lists stay JSON in their cell. */
export function toCsv(properties: Property[]): string {
  const flat = properties.map((property) => flatten(property));
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const lines = [columns.join(','), ...flat.map((row) => columns.map((column) => csvCell(row[column])).join(','))];
  return `${lines.join('\r\n')}\r\n`;
}

function flatten(value: object, prefix = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, member]) =>
      member !== null && typeof member === 'object' && !Array.isArray(member)
        ? flatten(member, `${prefix}${name}.`)
        : { [`${prefix}${name}`]: member },
    ),
  ) as Record<string, unknown>;
}

/** A leading apostrophe turns a cell that a spreadsheet would run as a formula into text. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const raw = typeof value === 'string' ? value : JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
