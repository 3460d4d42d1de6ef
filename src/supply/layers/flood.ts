// FEMA's flood zones, stamped from the polygons of the National Flood Hazard Layer.
import Type from 'typebox';
import { asDay, DASH } from '../../base/lib/figures.ts';
import { decimal, list, named, nullable, text } from '../../base/lib/schema.ts';
import { day, defineLayer, flag, words, type Area, type Body } from './layer.ts';
import { readDetails } from './readers.ts';

const FloodZone = named('FloodZone', { zone: text(20), zone_subtype: words(), sfha: Type.Boolean() });

const members = {
  zone: words(20),
  zone_subtype: words(),
  sfha: flag({ description: 'Special flood hazard area.' }),
  base_flood_elevation_ft: nullable(decimal()),
  firm_panel: words(40),
  effective_date: day(),
  zones: list(FloodZone),
};
type Flood = Body<typeof members>;
const MEMBERS = Object.keys(members) as (keyof Flood)[];

const subtypeOf = ({ attributes }: Pick<Area, 'attributes'>) => (attributes.subtype as string | null) ?? null;

/** Special flood hazard areas first, and floodways before the rest. */
const severityOf = (area: Area) =>
  (area.attributes.sfha === true ? 2 : 0) + (/FLOODWAY/i.test(subtypeOf(area) ?? '') ? 1 : 0);

const presentZone = (area: Area): Flood['zones'][number] => ({
  zone: String(area.attributes.zone),
  zone_subtype: subtypeOf(area),
  sfha: area.attributes.sfha === true,
});

/** The National Flood Hazard Layer writes −9999 for "no elevation". */
function elevationOf({ attributes }: Area): number | null {
  const elevation = Number(attributes.base_flood_elevation_ft ?? -9999);
  return elevation <= -9999 ? null : elevation;
}

// The sandbox's polygons carry the publisher's own field names; loaded ones those of the recipe.
const isHazard = (attributes: Area['attributes']) => attributes.sfha === true;

export const flood = defineLayer({
  name: 'flood',
  title: 'Flood',
  plural: 'Flood zones',
  component: 'FloodLayer',
  description: 'FEMA flood hazard at the property’s point.',
  members,
  read: readDetails<Flood, typeof members>(
    { table: 'flood_stamps', columns: MEMBERS },
    { sfha: false },
    ({ zones, ...stamp }) => ({
      ...stamp,
      zones: zones.map(({ zone, zone_subtype, sfha }) => ({ zone, zone_subtype, sfha })),
    }),
  ),
  columns: { flood_zone: words(20), flood_sfha: flag() },
  filters: { flood_sfha: { column: 'flood_sfha', test: 'is', description: 'Inside a special flood hazard area.' } },
  exports: {
    flood_zone: 'zone',
    flood_zone_subtype: 'zone_subtype',
    flood_sfha: 'sfha',
    base_flood_elevation_ft: 'base_flood_elevation_ft',
    firm_panel: 'firm_panel',
  },
  batchColumns: ['flood_zone', 'flood_sfha'],
  pointAttributes: { flood_sfha: { column: 'flood_sfha', as: 'flag' } },
  exposure: { column: 'flood_sfha' },
  polygons: {
    compare: (a, b) => {
      const [left, right] = [presentZone(a).zone, presentZone(b).zone];
      return severityOf(b) - severityOf(a) || (left < right ? -1 : left > right ? 1 : 0);
    },
    columns: (areas) => ({
      flood_zone: areas[0] ? presentZone(areas[0]).zone : null,
      flood_sfha: areas.some(({ attributes }) => attributes.sfha === true),
    }),
    details: {
      table: 'flood_stamps',
      columns: MEMBERS,
      row: (areas) => {
        const [worst] = areas;
        const { firm_panel = null, effective_date = null } = worst.attributes;
        const zones = areas.map(presentZone);
        return [...Object.values(zones[0]), elevationOf(worst), firm_panel, effective_date, zones];
      },
    },
    event: 'property.flood_zone_changed',
    map: {
      // A county has thousands of zones; zoomed out further they would be unreadable.
      fromZoom: 10,
      attributes: ({ name, attributes }) => ({
        zone: String(attributes.zone ?? name ?? ''),
        sfha: isHazard(attributes),
        minimal: String(attributes.subtype ?? '').includes('MINIMAL'),
      }),
      isHazard,
    },
  },
  staleAfterDays: 400,
  describe: ({ zone, zone_subtype, sfha, firm_panel, effective_date }) =>
    zone
      ? `Zone ${zone}${zone_subtype ? ` (${zone_subtype.toLowerCase()})` : ''}, ${sfha ? 'in' : 'outside'} the special flood hazard area. Panel ${firm_panel ?? DASH}, effective ${asDay(effective_date)}.`
      : 'In no mapped flood zone.',
  rules: {
    flood_zone_in: {
      limit: { kind: 'words', words: /^[A-Z0-9][A-Z0-9 ./()-]{0,19}$/i },
      sentence: 'the home lies in flood zone {}',
      ifUnknown: 'The flood zone is not known.',
      test: (limit, { zone: worst, zones }) => {
        const all = [...new Set([...(worst ? [worst] : []), ...zones.map(({ zone }) => zone)])];
        const wanted = (limit as string[]).map((zone) => zone.toUpperCase());
        return {
          applies: all.some((zone) => wanted.includes(zone.toUpperCase())),
          figure: all,
          shown: all.length === 0 ? 'In no mapped flood zone.' : `In flood zone ${all.join(', ')}.`,
        };
      },
    },
    flood_hazard_area: {
      limit: { kind: 'none' },
      sentence: 'the home lies in a special flood hazard area',
      ifUnknown: 'The flood zone is not known.',
      test: (_limit, { zone, sfha }) => ({
        applies: sfha === true,
        figure: zone,
        shown: `${sfha ? 'In' : 'Outside'} the special flood hazard area${zone ? ` (zone ${zone})` : ''}.`,
      }),
    },
  },
});
