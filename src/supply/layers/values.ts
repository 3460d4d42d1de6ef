// Reads the values of homes in loaded layers: one statement for all area layers, one for all stamps.
import type { Queryable } from '../../base/db/postgres.ts';
import { isMet, type LayerCondition } from './condition.ts';
import { AREA_COLUMNS, isAreaJoin, type AreaJoin, type LayerDefinition, type LayerVals } from './definition.ts';
import { listAreaValues, listStamps, type AreaKey } from './sql.ts';
import type { LayerHome } from './layer.ts';

/** The columns of a property that its values are found by. */
export type ValuedHome = Omit<LayerHome, 'census_tract_vintage'> & { zip: string | null };

/** ZIP codes span counties and are stored under none. */
const countyOfKey = (kind: AreaJoin, fips: number): number => (kind === 'zip' ? 0 : fips);

export function areaKeyOf(join: AreaJoin, home: ValuedHome): string | null {
  const value = home[AREA_COLUMNS[join]];
  return typeof value === 'number' ? String(value).padStart(5, '0') : value;
}

/** The distinct areas of a page of homes. */
const keysOf = (join: AreaJoin, homes: readonly ValuedHome[]): Pick<AreaKey, 'fips' | 'key'>[] => [
  ...new Map(
    homes.flatMap((home) => {
      const key = areaKeyOf(join, home);
      return key === null ? [] : [[key, { fips: countyOfKey(join, home.fips), key }] as const];
    }),
  ).values(),
];

type Definitions = readonly Pick<LayerDefinition, 'name' | 'join'>[];
type FindVals = (home: ValuedHome, layer: string) => LayerVals | undefined;

export async function readLayerValues(
  db: Queryable,
  definitions: Definitions,
  homes: readonly ValuedHome[],
): Promise<FindVals> {
  const joins = new Map(definitions.map(({ name, join }) => [name, join]));
  const areasOf = new Map([...new Set(joins.values())].filter(isAreaJoin).map((join) => [join, keysOf(join, homes)]));
  const wanted = definitions.flatMap(({ name: layer, join }): AreaKey[] =>
    isAreaJoin(join) ? (areasOf.get(join) ?? []).map((area) => ({ ...area, layer, kind: join })) : [],
  );
  const stamped = definitions.filter(({ join }) => !isAreaJoin(join)).map(({ name }) => name);
  const [areas, stamps] = await Promise.all([
    wanted.length > 0 ? listAreaValues(db, wanted) : [],
    stamped.length > 0 && homes.length > 0 ? listStamps(db, homes, stamped) : [],
  ]);
  const found = new Map(definitions.map(({ name }) => [name, new Map<string, LayerVals>()]));
  for (const { layer, key, vals } of areas) found.get(layer)?.set(key, vals);
  for (const { layer, ids, vals } of stamps) for (const id of ids.split(' ')) found.get(layer)?.set(id, vals);
  return (home, layer) => {
    const join = joins.get(layer);
    if (join === undefined) return undefined;
    const key = isAreaJoin(join) ? areaKeyOf(join, home) : home.id;
    return key === null ? undefined : found.get(layer)?.get(key);
  };
}

/** The homes that meet every condition; none if a layer is not loaded. */
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
