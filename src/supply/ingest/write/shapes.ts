// Applies parcel shapes: parts listed in several rows become one shape, and the weightier source's shape is shown.
import { decodeShape } from '../../../base/lib/shapes.ts';
import type { LoadContext } from '../load-context.ts';
import { describeShape } from '../map/parcel-shape.ts';
import * as sql from './shapes-sql.ts';

/** Runs before duplicates are removed, which would keep only the last part. */
export async function joinParts({ client }: LoadContext): Promise<void> {
  const parts = Map.groupBy(await sql.listStagedParts(client), (part) => `${part.fips} ${part.property_id}`);
  for (const group of parts.values()) {
    const distinct = [...new Map(group.map(({ shape }) => [shape.toString('hex'), shape])).values()];
    if (distinct.length === 1) continue;
    await sql.updateStagedShape(
      client,
      group[group.length - 1],
      describeShape(distinct.flatMap(decodeShape), undefined),
    );
  }
}

export async function applyShapes(load: LoadContext): Promise<{ inserted: number; updated: number }> {
  const { client, counties, dataset } = load;
  const own = dataset.authority ?? 1;
  const others = (await sql.listShapeSources(client, counties)).filter((id) => id !== dataset.id);
  const authorityOf = (id: string): number => load.options.authorityOf(id);
  return sql.applyShapes(load, {
    weaker: others.filter((id) => authorityOf(id) < own),
    equals: others.filter((id) => authorityOf(id) === own),
  });
}
