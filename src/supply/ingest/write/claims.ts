// Applies a source's claims about properties: new, merged, and no longer listed ones. A load that would merge two
// parcel numbers into one property stops and reports them.
import { beginRebuild, addPrimaryKey, tablesToRebuild, type RebuildableTable } from '../../../base/db/rebuild.ts';
import { CommandError } from '../../../base/lib/command-error.ts';
import { must } from '../../../base/lib/must.ts';
import * as sql from './claims-sql.ts';
import { examineVanished } from '../examine.ts';
import type { LoadContext } from '../load-context.ts';
import { mergeClaim, pick, type Provenance } from './merge.ts';
import { openStamper } from './restamp.ts';
import { MAP_FIELDS } from '../map/targets.ts';
import { cellOf, COARSE_DEGREES, FINE_DEGREES } from '../../../base/lib/geo.ts';

/** Tables that get a row for every new property, in the order of the writer of values: otherwise the two could deadlock. */
const REBUILDABLE: RebuildableTable[] = ['properties', 'property_claims', 'changes'];

interface ClaimCounts {
  inserted: number;
  updated: number;
  retired: number;
  superseded: number;
  /** The tables that were rebuilt next to the old ones and still have to replace them. */
  rebuilt: RebuildableTable[];
}

/** `staged` is the number of rows left in the stage. */
export async function applyClaims(load: LoadContext, staged: number, mayRetire: boolean): Promise<ClaimCounts> {
  const { client } = load;
  const counts: ClaimCounts = { inserted: 0, updated: 0, retired: 0, superseded: 0, rebuilt: [] };
  const vanished = mayRetire ? await examineVanished(load) : 0;
  if (load.isFirst) counts.rebuilt = await tablesToRebuild(client, REBUILDABLE, staged);
  await beginRebuild(client, counts.rebuilt);
  const isRebuilt = counts.rebuilt.includes('properties');
  if (load.market) counts.inserted = await sql.insertNewProperties(load, isRebuilt);
  if (isRebuilt) await addPrimaryKey(client, 'properties');
  // On a first load every row is new and there is nothing to compare.
  if (counts.inserted < staged) counts.updated = await mergeChanged(load);
  await sql.writeClaims(load);
  if (load.isRekeyed) counts.retired += await sql.retireRekeyed(load);
  if (vanished > 0) counts.retired += await sql.retireVanished(load);
  if (counts.retired > 0) counts.superseded = await sql.linkSuccessors(load);
  return counts;
}

async function mergeChanged(load: LoadContext): Promise<number> {
  const { client, dataset } = load;
  const stamper = await openStamper(client, load.counties);
  const fills = dataset.records.some(({ into, fills: only }) => into === 'properties' && only);
  let isStarted = false;
  for await (const batch of sql.readChangedClaims(load)) {
    const merged: Record<string, unknown>[] = [];
    for (const { property, claim, default_known_on } of batch) {
      const result = mergeClaim(
        { values: property, provenance: property.provenance as Provenance, defaultKnownOn: default_known_on },
        { source: dataset.id, authority: dataset.authority ?? 1, knownOn: claim.known_on as string, values: claim },
        load.options.authorityOf,
        fills,
      );
      const changed = result.changedFields;
      if (property.status === 'retired') changed.push('status');
      if (changed.length === 0 && !result.isProvenanceChanged) continue;
      const values = { ...result.values, status: 'active' };
      const { latitude, longitude } = values as { latitude?: number | null; longitude?: number | null };
      if ((changed.includes('latitude') || changed.includes('longitude')) && latitude && longitude) {
        const point = { latitude, longitude };
        Object.assign(values, pick(stamper?.(property.fips as number, point).columns ?? {}, MAP_FIELDS), {
          cell_fine: cellOf(point, FINE_DEGREES),
          cell_coarse: cellOf(point, COARSE_DEGREES),
        });
      }
      merged.push({
        ...values,
        fips: property.fips,
        property_id: property.id,
        provenance: result.provenance,
        changed_fields: changed,
        before: changed.length > 0 ? pick(property, changed) : null,
        after: changed.length > 0 ? pick(values, changed) : null,
      });
    }
    if (merged.length === 0) continue;
    // Most loads change nothing, and creating a colocated table takes time.
    if (!isStarted) await sql.createMerged(client);
    isStarted = true;
    await sql.copyMerged(client, merged);
  }
  return isStarted ? sql.applyMerged(load) : 0;
}

/** Runs before duplicates are removed, which would hide all but one of the merged rows. */
export async function refuseFolds(load: LoadContext): Promise<void> {
  const { client, dataset, market } = load;
  const fold = await sql.findFold(client);
  if (fold) {
    const places = fold.spellings.slice(0, 3).map((spelling, i) => `${spelling} (${fold.lines[i]})`);
    const more = fold.total > 1 ? ` The same happens to ${fold.total - 1} other properties.` : '';
    throw new CommandError(
      `${dataset.id}: the parcel numbers ${places.join(' and ')} would become one property.${more} ` +
        'Read the number so that it stays as distinct as the publisher writes it, ' +
        'or remove `fixed_width` if its parts vary in width.',
    );
  }
  const foreign = await sql.findForeignProperty(load);
  if (foreign) {
    throw new CommandError(
      `${dataset.id}: parcel ${foreign.apn} already belongs to the market ${foreign.market}, which is in the same county. ` +
        `If ${must(market, 'market').id} numbers its parcels on its own, give its recipe a \`parcels: { prefix: … }\`.`,
    );
  }
}
