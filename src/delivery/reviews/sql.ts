// Queries of appraisal reviews.
import { insertRow } from '../../base/db/rows.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { Owner } from '../../customers/accounts/own-sql.ts';

export interface ReviewRow extends Owner {
  id: string;
  property_id: string;
  reference: string | null;
  /** The stored review: compressed JSON. */
  document: Buffer;
  created_at: Date;
}

/** False if a review with this id was stored before. */
export const insertReview = (db: Queryable, row: ReviewRow): Promise<boolean> =>
  insertRow(db, 'reviews', row, 'on conflict (id) do nothing');
