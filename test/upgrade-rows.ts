// One row of each kind that an upgrade must preserve. A released version gets only the columns that it has.
import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { Plane, Queryable } from '../src/base/db/postgres.ts';
import { propertyId, randomId } from '../src/base/lib/ids.ts';

type Row = Record<string, unknown>;
export interface Fixture {
  plane: Plane;
  table: string;
  row: Row;
}

const AT = '2026-11-01T12:00:00.000Z';
const FIPS = 99_001;
const MARKET = 'upgradeville';
export const PROPERTY = propertyId(FIPS, '1-2-3');
export const IDS = {
  account: 'acct_upgrade0000000000000',
  key: 'key_upgrade00000000000000',
  batch: randomId('batch'),
  webhook: randomId('we'),
  watchlist: randomId('wl'),
  invoice: randomId('inv'),
  receipt: randomId('val'),
};
const RECEIPT = {
  request: { property: { id: PROPERTY } },
  inputs: { comparables: [] },
  result: { estimated_value: 123_456 },
};
const SCOPES = `properties:read transactions:read avm:read usage:read batch:read webhooks:read changes:read keys:read
  account:read billing:read watchlists:read`.split(/\s+/);
const bytes = (text: string) => createHash('sha256').update(text).digest();

/** In foreign-key order. */
export function fixturesOf(keyDigest: Buffer, webhookSecrets: Buffer): Fixture[] {
  const account_id = IDS.account;
  const own = { account_id, mode: 'test' };
  const control = (table: string, row: Row): Fixture => ({ plane: 'control', table, row });
  const data = (table: string, row: Row): Fixture => ({ plane: 'data', table, row });
  return [
    control('accounts', { id: account_id, name: 'Upgrade', plan: 'enterprise', status: 'active', created_at: AT }),
    control('api_keys', {
      id: IDS.key,
      ...own,
      digest: keyDigest,
      prefix: 'sk_test_pb_abcd',
      last_four: 'wxyz',
      name: 'Upgrade',
      scopes: SCOPES,
      created_at: AT,
      first_id: IDS.key,
    }),
    control('valuations', {
      id: IDS.receipt,
      ...own,
      property_id: PROPERTY,
      market: MARKET,
      model_version: 'upgrade-1',
      model_hash: 'abc',
      as_of: '2026-11-01',
      created_at: AT,
      document: zstdCompressSync(JSON.stringify(RECEIPT)),
    }),
    control('usage_counters', { account_id, meter: 'standard', period_start: AT, used: 41, reserved: 0 }),
    control('audit_log', {
      account_id,
      sequence: 1,
      at: AT,
      actor: 'operator',
      action: 'account.created',
      details: '{}',
      hash: bytes('entry'),
    }),
    control('invoices', {
      id: IDS.invoice,
      account_id,
      number: 'PB-0001-0001',
      kind: 'start',
      status: 'paid',
      period_start: AT,
      period_end: '2026-12-01T12:00:00.000Z',
      issued_at: AT,
      due_at: AT,
      lines: '[]',
      subtotal_cents: 5_000,
      credit_cents: 0,
      total_cents: 5_000,
      paid_at: AT,
    }),
    control('batches', {
      id: IDS.batch,
      ...own,
      key_id: IDS.key,
      type: 'enrich',
      include: [],
      state: 'completed',
      total: 1,
      succeeded: 1,
      created_at: AT,
      finished_at: AT,
    }),
    control('webhook_endpoints', {
      id: IDS.webhook,
      ...own,
      url: 'https://upgrade.example/hook',
      events: ['*'],
      secrets: webhookSecrets,
      created_at: AT,
      updated_at: AT,
    }),
    control('watchlists', {
      id: IDS.watchlist,
      ...own,
      name: 'Upgrade',
      events: ['*'],
      valuation_change_percent: 5,
      created_at: AT,
      updated_at: AT,
      refreshed_at: AT,
    }),
    control('watchlist_members', { watchlist_id: IDS.watchlist, property_id: PROPERTY, added_at: AT }),
    data('markets', { id: MARKET, name: 'Upgradeville', state: 'ZZ', sandbox: true }),
    data('counties', { fips: FIPS, name: 'Upgrade County', state: 'ZZ' }),
    data('property_counts', { fips: FIPS, market: MARKET, property_type: 'single_family', property_count: 1 }),
    data('field_counts', { fips: FIPS, market: MARKET, property_count: 1, fields: {} }),
    data('properties', {
      fips: FIPS,
      id: PROPERTY,
      market: MARKET,
      state: 'ZZ',
      apn: '1-2-3',
      apn_normalized: '123',
      property_type: 'single_family',
      address_line1: '1 Main St',
      sqft: 1_500,
      load_id: 1,
      created_at: AT,
      updated_at: AT,
    }),
    data('transactions', {
      fips: FIPS,
      property_id: PROPERTY,
      id: 'txn_1',
      market: MARKET,
      type: 'deed',
      sale_date: '2020-05-01',
      price: 250_000,
      known_on: '2020-05-02',
      source_id: 'upgrade',
      load_id: 1,
      loaded_at: AT,
    }),
    data('changes', {
      fips: FIPS,
      seq: 1,
      property_id: PROPERTY,
      market: MARKET,
      kind: 'property.updated',
      op: 'update',
      changed_fields: ['sqft'],
      before: '{"sqft": 1400}',
      after: '{"sqft": 1500}',
      occurred_at: AT,
    }),
  ];
}

export async function insertFixture(db: Queryable, { plane, table, row }: Fixture): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2',
    [plane, table],
  );
  const names = Object.keys(row).filter((name) => rows.some((column) => column.name === name));
  const places = names.map((_name, index) => `$${index + 1}`);
  await db.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    names.map((name) => row[name]),
  );
}
