// Notifies every process that the loaded data has changed, once the transaction has committed.
import type { Queryable } from './postgres.ts';

export const CATALOG_CHANNEL = 'platbook_catalog';

export async function announceCatalog(db: Queryable): Promise<void> {
  await db.query(`select pg_notify('${CATALOG_CHANNEL}', '')`);
}
