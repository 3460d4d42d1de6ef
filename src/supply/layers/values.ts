// Reads the values that homes have in layers by recipe: one statement for all layers of areas, one for all stamps.
import type { Queryable } from '../../base/db/postgres.ts';
import { isMet, type LayerCondition } from './condition.ts';
import { AREA_COLUMNS, isAreaJoin, type AreaJoin, type LayerDefinition, type LayerVals } from './definition.ts';
import { listAreaValues, listStamps, type AreaKey } from './sql.ts';

/** The columns of a property that its values are found by. */
export interface ValuedHome {
  fips: number;
  id: string;
  zip: string | null;
  census_tract: string | null;
  census_tract_2010: string | null;
  block_group: string | null;
}

/** ZIP codes reach over counties and are filed under none. */
export const countyOfKey = (kind: AreaJoin, fips: number): number => (kind === 'zip' ? 0 : fips);

export function areaKeyOf(join: AreaJoin, home: ValuedHome): string | null {
  const value = home[AREA_COLUMNS[join]];
  return typeof value === 'number' ? String(value).padStart(5, '0') : value;
}

type Definitions = readonly Pick<LayerDefinition, 'name' | 'join'>[];
type FindVals = (home: ValuedHome, layer: string) => LayerVals | undefined;

export async function readLayerValues(
  db: Queryable,
  definitions: Definitions,
  homes: readonly ValuedHome[],
): Promise<FindVals> {
  const joins = new Map(definitions.map(({ name, join }) => [name, join]));
  const wanted = new Map<string, AreaKey>();
  for (const { name: layer, join } of definitions) {
    if (!isAreaJoin(join)) continue;
    for (const home of homes) {
      const key = areaKeyOf(join, home);
      if (key !== null) wanted.set(`${layer} ${key}`, { fips: countyOfKey(join, home.fips), layer, kind: join, key });
    }
  }
  const stamped = definitions.filter(({ join }) => !isAreaJoin(join)).map(({ name }) => name);
  const [areas, stamps] = await Promise.all([
    wanted.size > 0 ? listAreaValues(db, [...wanted.values()]) : [],
    stamped.length > 0 && homes.length > 0 ? listStamps(db, homes, stamped) : [],
  ]);
  const found = new Map([
    ...areas.map(({ layer, key, vals }) => [`${layer} ${key}`, vals] as const),
    ...stamps.map(({ layer, property_id, vals }) => [`${layer} ${property_id}`, vals] as const),
  ]);
  return (home, layer) => {
    const join = joins.get(layer);
    if (join === undefined) return undefined;
    return found.get(`${layer} ${isAreaJoin(join) ? areaKeyOf(join, home) : home.id}`);
  };
}

/** The homes that meet every condition; none does where a layer is not loaded. */
export async function keepMeeting<Home extends ValuedHome>(
  db: Queryable,
  definitions: Definitions,
  conditions: readonly LayerCondition[],
  homes: Home[],
): Promise<Home[]> {
  if (conditions.length === 0 || homes.length === 0) return homes;
  const asked = definitions.filter(({ name }) => conditions.some(({ layer }) => layer === name));
  const valsOf = await readLayerValues(db, asked, homes);
  return homes.filter((home) =>
    conditions.every((condition) => isMet(condition, valsOf(home, condition.layer)?.[condition.field])),
  );
}
