// Rows as every version of the schema has held them. A version is given those of its tables, with the columns it has.
import { createHash } from 'node:crypto';
import type { Plane, Queryable } from '../src/base/db/postgres.ts';
import { propertyId, randomId } from '../src/base/lib/ids.ts';

export type Row = Record<string, unknown>;
export interface Fixture {
  plane: Plane;
  table: string;
  row: Row;
  /** What a migration is meant to make of it. */
  becomes?: Row;
  /** By design not kept. */
  isDropped?: boolean;
}

export const AT = '2026-11-01T12:00:00.000Z';
export const FIPS = 99_001;
export const PROPERTY = propertyId(FIPS, '1-2-3');
export const IDS = {
  account: 'acct_upgrade0000000000000',
  key: 'key_upgrade00000000000000',
  batch: randomId('batch'),
  webhook: randomId('we'),
  event: randomId('evt'),
  watchlist: randomId('wl'),
  export: randomId('exp'),
  invoice: randomId('inv'),
  receipt: randomId('val'),
  report: randomId('rep'),
  user: randomId('usr'),
  draft: randomId('cty'),
};
const MARKET = 'upgradeville';
const SCOPES = ['properties:read', 'transactions:read', 'avm:read', 'usage:read', 'batch:read', 'webhooks:read'];
const bytes = (text: string) => createHash('sha256').update(text).digest();
const receipt = {
  request: { property: { id: PROPERTY } },
  inputs: { comparables: [] },
  result: { estimated_value: 123_456 },
};

/** In the order in which references allow them. */
export function fixturesOf(keyDigest: Buffer, webhookSecrets: Buffer): Fixture[] {
  const account_id = IDS.account;
  const own = { account_id, mode: 'test' };
  const source = { source_id: 'upgrade', load_id: 1, loaded_at: AT };
  const of =
    (plane: Plane) =>
    (table: string, row: Row, more: Partial<Fixture> = {}) => ({ plane, table, row, ...more });
  const control = of('control');
  const data = of('data');
  return [
    control('accounts', { id: account_id, name: 'Upgrade', plan: 'enterprise', status: 'active', created_at: AT }),
    control(
      'api_keys',
      {
        id: IDS.key,
        account_id,
        mode: 'test',
        digest: keyDigest,
        prefix: 'sk_test_pb_abcd',
        last_four: 'wxyz',
        name: 'Upgrade',
        scopes: [
          ...SCOPES,
          'changes:read',
          'exports:read',
          'keys:read',
          'account:read',
          'billing:read',
          'watchlists:read',
        ],
        created_at: AT,
        first_id: IDS.key,
      },
      { becomes: { scopes: undefined } },
    ),
    control('reports', {
      id: IDS.report,
      ...own,
      property_id: PROPERTY,
      valuation_id: IDS.receipt,
      reference: 'File 1',
      address: '1 Main St',
      outcome: 'pass',
      estimated_value: 123_456,
      sha256: bytes('report'),
      document: bytes('document'),
      map: bytes('map'),
      created_at: AT,
    }),
    control('report_rules', {
      ...own,
      rules: JSON.stringify([{ when: 'ltv_above', limit: 0.8, outcome: 'refer' }]),
      updated_at: AT,
    }),
    control(
      'valuations',
      {
        id: IDS.receipt,
        ...own,
        property_id: PROPERTY,
        market: MARKET,
        model_version: 'upgrade-1',
        model_hash: 'abc',
        as_of: '2026-11-01',
        created_at: AT,
        request: JSON.stringify(receipt.request),
        inputs: JSON.stringify(receipt.inputs),
        result: JSON.stringify(receipt.result),
        document: Buffer.from(JSON.stringify(receipt)),
      },
      { becomes: { document: undefined } },
    ),
    control('model_books', { hash: 'abc', snapshot: '1:1', format: 1, size: 3, created_at: AT }),
    control('model_book_chunks', { hash: 'abc', number: 0, bytes: bytes('chunk') }),
    control('usage_counters', { account_id, meter: 'standard', period_start: AT, used: 41, reserved: 0 }),
    control('usage_events', {
      id: 'journal:0',
      account_id,
      key_id: IDS.key,
      meter: 'standard',
      units: 41,
      period_start: AT,
      happened_at: AT,
      request_id: 'req_1',
      route: '/properties/search',
    }),
    control('key_spends', { key_id: IDS.key, period_start: AT, spent_cents: 12 }),
    control('request_details', { ...own, request_id: 'req_1', at: AT, sealed: Buffer.from('sealed') }),
    control('request_log', {
      request_id: 'req_1',
      ...own,
      at: AT,
      method: 'GET',
      route: '/x',
      status: 200,
      duration_ms: 1,
      meter: 'none',
      units: 0,
    }),
    control('users', {
      id: IDS.user,
      email: 'owner@upgrade.example',
      email_normalized: 'owner@upgrade.example',
      name: 'Owner',
      password_hash: '$argon2id$x',
      verified_at: AT,
      created_at: AT,
    }),
    control('members', { account_id, user_id: IDS.user, role: 'owner', created_at: AT }),
    control('recovery_codes', { user_id: IDS.user, digest: bytes('code') }),
    control(
      'mail_tokens',
      { digest: bytes('token'), user_id: IDS.user, purpose: 'reset', expires_at: AT },
      { isDropped: true },
    ),
    control('audit_log', {
      account_id,
      sequence: 1,
      at: AT,
      actor: 'operator',
      action: 'account.created',
      details: '{}',
      hash: bytes('entry'),
    }),
    control('subscriptions', { account_id, provider: 'manual', status: 'active', invoice_count: 1, month_start: AT }),
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
    control('payments', {
      id: 'pay_1',
      account_id,
      invoice_id: IDS.invoice,
      attempt: 1,
      amount_cents: 5_000,
      status: 'succeeded',
      at: AT,
    }),
    control('credits', { id: 'cred_1', account_id, amount_cents: 700, reason: 'goodwill', created_at: AT }),
    control('events', { id: IDS.event, ...own, type: 'batch.completed', data: '{"batch_id": "x"}', occurred_at: AT }),
    control('batches', {
      id: IDS.batch,
      ...own,
      key_id: IDS.key,
      type: 'enrich',
      include: [],
      may_read_owners: false,
      state: 'completed',
      total: 1,
      succeeded: 1,
      created_at: AT,
      finished_at: AT,
    }),
    control('batch_items', {
      batch_id: IDS.batch,
      ordinal: 0,
      custom_id: 'a',
      input: '{"address": "1 Main St"}',
      status: 'succeeded',
      result: '{}',
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
    control('webhook_deliveries', {
      id: 'dlv_1',
      endpoint_id: IDS.webhook,
      ...own,
      event_id: IDS.event,
      event_type: 'batch.completed',
      sequence: 1,
      status: 'succeeded',
      created_at: AT,
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
    control('relay_positions', { name: 'watchlists', xid: '5', seq: 0, relayed_at: AT }),
    control('exports', {
      id: IDS.export,
      ...own,
      name: 'Upgrade',
      dataset: 'properties',
      format: 'ndjson',
      kind: 'delta',
      destination: '{"type": "folder"}',
      schedule: 'once',
      may_read_owners: false,
      created_at: AT,
      updated_at: AT,
    }),
    control('export_runs', {
      id: 'run_1',
      export_id: IDS.export,
      ...own,
      state: 'delivered',
      kind: 'full',
      to_xid: '5',
      to_seq: 0,
      created_at: AT,
    }),
    control('county_drafts', {
      id: IDS.draft,
      place: '{"id": "upgradeville-ne", "name": "Upgradeville", "state": "NE", "fips": 31067, "county": "Gage County"}',
      file_name: 'parcels.csv',
      file_bytes: 10,
      received_bytes: 10,
      meanings: '{"COL_17": "sqft"}',
      recipe: 'id: upgradeville-ne',
      recipe_version: 2,
      created_by: IDS.user,
      created_at: AT,
      updated_at: AT,
    }),
    control('county_steps', {
      id: 'step_1',
      draft_id: IDS.draft,
      kind: 'load',
      recipe_version: 2,
      state: 'done',
      result: '{"market": "upgradeville-ne"}',
      requested_by: IDS.user,
      created_at: AT,
      started_at: AT,
      finished_at: AT,
    }),
    control('market_jobs', {
      id: 'mjob_1',
      kind: 'train',
      subject: MARKET,
      state: 'done',
      attempts: 1,
      result: 'published',
      created_at: AT,
      finished_at: AT,
    }),
    data('markets', { id: MARKET, name: 'Upgradeville', state: 'ZZ', sandbox: true }),
    data('counties', { fips: FIPS, name: 'Upgrade County', state: 'ZZ' }),
    data('sources', { id: 'upgrade', name: 'Upgrade', publisher: 'City', licence: 'CC0', attribution: 'City' }),
    data('loads', { id: 1, source_id: 'upgrade', market: MARKET, state: 'completed', started_at: AT, finished_at: AT }),
    data('property_counts', { fips: FIPS, market: MARKET, property_type: 'single_family', property_count: 1 }),
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
      ...source,
    }),
    data('sale_verdicts', {
      fips: FIPS,
      property_id: PROPERTY,
      transaction_id: 'txn_1',
      market: MARKET,
      market_price: true,
      note: 'looked up',
      decided_by: 'operator',
      decided_at: AT,
    }),
    data('parcel_shapes', {
      fips: FIPS,
      property_id: PROPERTY,
      shape: bytes('shape'),
      cell: 1,
      min_longitude: -57.2,
      min_latitude: 36.4,
      max_longitude: -57.1,
      max_latitude: 36.5,
      area_sqft: 5_000,
      known_on: '2025-01-01',
      ...source,
    }),
    data('map_lines', {
      fips: FIPS,
      kind: 'road',
      id: '1',
      name: 'Main St',
      importance: 3,
      cell: 1,
      min_longitude: -57,
      min_latitude: 36,
      max_longitude: -56.9,
      max_latitude: 36.1,
      path: '[[[-57, 36], [-56.9, 36.1]]]',
      source_id: 'upgrade',
      load_id: 1,
    }),
    data('sales_series', {
      fips: FIPS,
      market: MARKET,
      kind: 'market',
      area: MARKET,
      property_type: 'residential',
      step: 'year',
      n: 1,
      cells: '[]',
    }),
    data('tested_sales', {
      fips: FIPS,
      property_id: PROPERTY,
      sale_id: 'sale-1',
      market: MARKET,
      model: 'upgrade-1',
      sold_on: '2020-05-01',
      price: 200_000,
      value: 210_000,
      confidence: 'high',
      is_covered: true,
      is_valued: true,
      property_type: 'condo',
      census_tract: '99001000100',
    }),
    data('sampled_values', {
      fips: FIPS,
      property_id: PROPERTY,
      market: MARKET,
      sampled_on: '2026-11-01',
      sampled_at: AT,
      model: 'upgrade-1',
      valued_on: '2026-11-01',
      value: 200_000,
      value_low: 180_000,
      value_high: 220_000,
      fsd: 0.08,
    }),
    control('receipt_anchors', {
      account_id,
      root: bytes('root'),
      receipts: 1,
      hashes: bytes('root'),
      audit_sequence: 1,
      anchored_at: AT,
    }),
    control('quality_reports', {
      market: MARKET,
      model_version: 'upgrade-1',
      token: '1',
      report: '{}',
      measured_at: AT,
    }),
    control('sample_seals', {
      sequence: 1,
      market: MARKET,
      sampled_on: '2026-11-01',
      model: 'upgrade-1',
      homes: 1,
      root: bytes('root'),
      previous_hash: null,
      hash: bytes('seal'),
      sealed_at: AT,
    }),
    data('area_summaries', {
      fips: FIPS,
      market: MARKET,
      kind: 'market',
      area: MARKET,
      homes: 1,
      summary: '{}',
    }),
    data('area_rankings', {
      fips: FIPS,
      market: MARKET,
      kind: 'market',
      property_type: 'residential',
      step: 'year',
      starts: '2020-01-01',
      areas: '[]',
    }),
    data('map_squares', {
      fips: FIPS,
      market: MARKET,
      zoom: 8,
      y: 251,
      x: -438,
      homes: 1,
      latitude: 40.2,
      longitude: -70.1,
      valued: 0,
      permits: 0,
      violations: 0,
      liens: 0,
    }),
    data('map_rollups', { fips: FIPS, market: MARKET, finest_zoom: 13, rolled_up_on: '2026-11-01' }),
    data('sales_rollups', { fips: FIPS, market: MARKET, token: '1', last_sale_on: '2020-05-01', rolled_up_at: AT }),
    data('area_indexes', {
      fips: FIPS,
      market: MARKET,
      kind: 'market',
      area: MARKET,
      property_type: 'residential',
      step: 'year',
      n: 1,
      price_index: '{}',
    }),
    data('area_index_rollups', { fips: FIPS, market: MARKET, token: '1', base: '2020-01-01', rolled_up_at: AT }),
    data('refreshes', {
      id: 1,
      source_id: 'upgrade',
      started_at: AT,
      finished_at: AT,
      outcome: 'updated',
      load_id: 1,
      rows_read: 12,
      changes: '{"properties": {"inserted": 1}}',
    }),
    data('opportunity_zones_2027', { fips: FIPS, tract_geoid: '99001000100', is_rural: true, ...source }),
    data('suffix_words', { fips: FIPS, spelling: 'WHARF', suffix: 'WHARF' }),
    data('assessments', {
      fips: FIPS,
      property_id: PROPERTY,
      year: 2025,
      total: 240_000,
      known_on: '2025-01-01',
      ...source,
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
    data(
      'property_claims',
      {
        fips: FIPS,
        property_id: PROPERTY,
        source_id: 'upgrade',
        row_hash: 'd41d8cd98f00b204e9800998ecf8427e',
        known_on: '2025-01-01',
        load_id: 1,
      },
      { becomes: { row_hash: 'd41d8cd9-8f00-b204-e980-0998ecf8427e' } },
    ),
  ];
}

async function columnsOf(db: Queryable, plane: Plane, table: string): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2',
    [plane, table],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Returns whether the version has the table. */
export async function insertFixture(db: Queryable, { plane, table, row }: Fixture): Promise<boolean> {
  const columns = await columnsOf(db, plane, table);
  const entries = Object.entries(row).filter(([name]) => columns.has(name));
  if (columns.size === 0) return false;
  const places = entries.map((_entry, index) => `$${index + 1}`);
  await db.query(
    `insert into ${table} (${entries.map(([name]) => name).join(', ')}) values (${places.join(', ')})`,
    entries.map(([, value]) => value),
  );
  return true;
}

/** How many rows of its table still say what the fixture said, in the columns that are left. */
export async function countFixture(db: Queryable, { plane, table, row, becomes = {} }: Fixture): Promise<number> {
  const columns = await columnsOf(db, plane, table);
  const entries = Object.entries({ ...row, ...becomes }).filter(
    ([name, value]) => columns.has(name) && value !== undefined,
  );
  const conditions = entries.map(([name], index) => `${name} is not distinct from $${index + 1}`);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from ${table} where ${conditions.join(' and ')}`,
    entries.map(([, value]) => value),
  );
  return rows[0].count;
}
