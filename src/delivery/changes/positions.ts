// Positions that are kept between reads. Each names its epoch, so after a restore a reader either continues exactly or
// is rejected, and never skips changes.
import { readEpochs } from '../../base/db/epochs.ts';
import type { Pool } from '../../base/db/postgres.ts';
import * as sql from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

export interface Position extends sql.Place {
  /** The id of a row of `feed_epochs`. */
  epoch: string;
}

/** The present position: all changes before it are committed, and all later ones are still to be read. */
export async function readPresent(data: Pool): Promise<Position> {
  const epoch = lastOf(await readEpochs(data)).id;
  return { epoch, ...(await sql.readEnd(data)) };
}

type Found = { position: Position } | { lost: true; restart: Position };

/** Translates a position to the current epoch. It is lost if changes up to it may be missing from this database; a
    reader that tolerates duplicates continues from `restart`, before which nothing is missing. */
export async function findPosition(data: Pool, { epoch, xid, seq }: Position): Promise<Found> {
  const epochs = await readEpochs(data);
  const present = lastOf(epochs);
  const known = epochs.find(({ id }) => id === epoch);
  // An unknown epoch began after this backup was made.
  if (!known) return { lost: true, restart: { epoch: present.id, xid: present.beganAtXid, seq: 0 } };
  const surviving = known === present ? (await sql.readEnd(data)).xid : known.completeBelow;
  const isLost = BigInt(xid) > BigInt(surviving) || (xid === surviving && seq > 0);
  if (isLost) return { lost: true, restart: { epoch: present.id, xid: surviving, seq: 0 } };
  return { position: { epoch: present.id, xid, seq } };
}
