// Derives the facts of tenure and equity of every property of a market, after a load and after its values.
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { mailingKeyOf } from '../address/address.ts';
import { listCoverage, todayIn } from '../markets/catalog.ts';
import { listOwners, listTaxes, listTransactions } from '../properties/sql.ts';
import { namesParties } from '../title/sql.ts';
import { tenureOf } from './tenure.ts';
import * as sql from './tenure-sql.ts';

const PAGE = 2_000;

export async function deriveTenure(deps: Pick<Deps, 'data' | 'catalog' | 'clock'>, market: string): Promise<number> {
  const catalog = await deps.catalog.readCovered([{ market }]);
  const counties = [...new Set((catalog.countsByMarket.get(market) ?? []).map(({ fips }) => fips))];
  const asOf = todayIn(catalog, market, deps.clock);
  const { mortgageRates: loadedRates } = catalog;
  let count = 0;
  for (const fips of counties) {
    const place = { fips, market };
    const hasDeeds = listCoverage(catalog, place, ({ layer }) => layer === 'transactions').length > 0;
    const isDeedsCovered = hasDeeds && (await namesParties(deps.data, fips, market));
    const mortgageSources = listCoverage(catalog, place, ({ layer }) => layer === 'mortgages');
    for (let afterId = ''; ;) {
      const rows = await sql.listHeld(deps.data, fips, market, afterId, PAGE);
      if (rows.length > 0) {
        const derived = await derivePage(deps, fips, rows, { isDeedsCovered, mortgageSources, asOf, loadedRates });
        await inTransaction(deps.data, (client) => sql.updateTenure(client, { ...place, at: deps.clock() }, derived));
      }
      count += rows.length;
      if (rows.length < PAGE) break;
      afterId = rows[PAGE - 1].id;
    }
  }
  return count;
}

async function derivePage(
  { data }: Pick<Deps, 'data'>,
  fips: number,
  rows: sql.HeldRow[],
  place: Pick<Parameters<typeof tenureOf>[0], 'isDeedsCovered' | 'mortgageSources' | 'asOf' | 'loadedRates'>,
): Promise<sql.Derived[]> {
  const [owners, documents, taxes, liens] = await Promise.all([
    listOwners(data, rows),
    listTransactions(data, rows),
    listTaxes(data, rows),
    sql.listLienStatuses(
      data,
      fips,
      rows.map(({ id }) => id),
    ),
  ]);
  const by = <Row extends { property_id: string }>(list: Row[]) => Map.groupBy(list, (each) => each.property_id);
  const [ownersOf, documentsOf, taxesOf, liensOf] = [by(owners), by(documents), by(taxes), by(liens)];
  return rows.map((row) => {
    const owner = ownersOf.get(row.id)?.[0];
    const mailing = owner?.mailing_address;
    const home = mailingKeyOf(`${row.address_line1 ?? ''} ${row.address_unit ?? ''}, ${row.zip ?? ''}`);
    return {
      id: row.id,
      ...tenureOf({
        ...place,
        row,
        owner,
        documents: documentsOf.get(row.id) ?? [],
        taxStatus: taxesOf.get(row.id)?.[0].status ?? null,
        lienStatuses: (liensOf.get(row.id) ?? []).map(({ status }) => status),
        isMailedHome: mailing ? home !== undefined && mailingKeyOf(mailing) === home : undefined,
      }),
    };
  });
}
