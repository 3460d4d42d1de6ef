// The client: a method for every API operation, plus `call` to reach them by operation ID.
import { CONTENT_TYPES, createBatches, type SheetFile } from './batches.ts';
import { createPages, type AnyCall, type Call } from './call.ts';
import { createChanges } from './changes.ts';
import { createExports } from './exports.ts';
import type { Pages } from './pages.ts';
import { createTransport, type CallOptions, type ClientOptions } from './transport.ts';
import type * as Types from './types.ts';
import type { Operations } from './types.ts';

export * from './errors.ts';
export type { Batches, BatchInput } from './batches.ts';
export type { Call } from './call.ts';
export type { ChangePortion, Changes } from './changes.ts';
export type { ExportManifest, Exports } from './exports.ts';
export type { Page, Pages } from './pages.ts';
export type { AnswerInfo, CallOptions, ClientOptions } from './transport.ts';
export type * from './types.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookEvent } from './webhooks.ts';

type Query<Name extends keyof Operations> = NonNullable<Operations[Name]['query']>;
type Body<Name extends keyof Operations> = NonNullable<Operations[Name]['body']>;
type Answer<Name extends keyof Operations> = Operations[Name]['response'];

export type Client = ReturnType<typeof createClient>;

/**
 * ```ts
 * const platbook = createClient({ apiKey: 'sk_test_…' });
 * const value = await platbook.valuations.estimate({ property: { address: '1208 Lantern Hill Dr, Port Ellowby, ZZ' } });
 * ```
 */
export function createClient(options: ClientOptions) {
  const send = createTransport(options);
  const callAny: AnyCall = async (operation, request = {}, callOptions) => {
    const response = await send(operation, request, callOptions);
    if (response.status === 204) return undefined;
    const type = response.headers.get('content-type') ?? '';
    return type.includes('json') && !type.includes('ndjson') ? response.json() : response.text();
  };
  const call = callAny as Call;
  const pages = createPages(callAny);
  const bytes = async (operation: keyof Operations, path: Record<string, unknown>, o?: CallOptions) =>
    new Uint8Array(await (await send(operation, { path }, o)).arrayBuffer());

  return {
    /** Calls any operation by its ID in the OpenAPI document. */
    call,

    properties: {
      /** Every property that matches the filter. Pages are fetched as you iterate. */
      search: (query: Query<'search_properties'> = {}, o?: CallOptions): Pages<Types.Property> =>
        pages('search_properties', { query }, o),
      /** The same filters as a JSON body, which can include a `geometry`. */
      searchWithin: (body: Body<'search_properties_by_body'>, o?: CallOptions): Pages<Types.Property> =>
        pages('search_properties_by_body', { body }, o),
      /** Free. In live mode rounded down, with 0 for fewer than 10; `search` with `include_total` has the exact number. */
      count: async (query: Query<'count_properties'> = {}, o?: CallOptions): Promise<number> =>
        (await call('count_properties', { query }, o)).count,
      /** The property at an address, parcel number, or point. */
      lookup: (query: Query<'lookup_property'>, o?: CallOptions) => call('lookup_property', { query }, o),
      /** Addresses that start with the given text. Free. */
      autocomplete: async (q: string, o?: CallOptions): Promise<Types.AddressSuggestion[]> =>
        (await call('autocomplete_address', { query: { q } }, o)).data,
      /** By `prop_…` or `fips:apn`. */
      get: (id: string, query: Query<'get_property'> = {}, o?: CallOptions): Promise<Types.Property> =>
        call('get_property', { path: { id }, query }, o),
      risk: (id: string, query: Query<'get_risk'> = {}, o?: CallOptions): Promise<Types.RiskReport> =>
        call('get_risk', { path: { id }, query }, o),
      /** The chain of title, mortgages, liens, and what is open. */
      title: (id: string, o?: CallOptions): Promise<Types.TitleReport> => call('get_title', { path: { id } }, o),
      transactions: (id: string, query: Query<'list_transactions'> = {}, o?: CallOptions): Pages<Types.Transaction> =>
        pages('list_transactions', { path: { id }, query }, o),
      assessments: (id: string, o?: CallOptions): Pages<Types.Assessment> =>
        pages('list_assessments', { path: { id } }, o),
      comparables: (id: string, query: Query<'list_comparables'> = {}, o?: CallOptions): Pages<Types.Comparable> =>
        pages('list_comparables', { path: { id }, query }, o),
      changes: (id: string, query: Query<'list_property_changes'> = {}, o?: CallOptions): Pages<Types.Change> =>
        pages('list_property_changes', { path: { id }, query }, o),
    },

    owners: {
      /** Parties by name or mailing address, best fit first. One standard call. */
      /** An owner's properties, their joint value, and related owners, by the `owner_id` of a search. */
      get: (id: string, o?: CallOptions): Promise<Types.OwnerPortfolio> => call('get_owner', { path: { id } }, o),
      search: (body: Body<'search_owners'>, o?: CallOptions): Promise<Types.PartyList> =>
        call('search_owners', { body }, o),
    },

    valuations: {
      /** One AVM call. */
      estimate: async (body: Body<'estimate_value'>, o?: CallOptions): Promise<Types.Valuation> =>
        (await call('estimate_value', { body }, o)) as Types.Valuation,
      /** The same by query parameters, without `extras`. One AVM call. */
      estimateByQuery: async (query: Query<'estimate_value_by_query'>, o?: CallOptions): Promise<Types.Valuation> =>
        (await call('estimate_value_by_query', { query }, o)) as Types.Valuation,
      /** The property that would be valued and what it would cost. Free. */
      dryRun: async (body: Body<'estimate_value'>, o?: CallOptions): Promise<Types.ValuationDryRun> =>
        (await call(
          'estimate_value',
          { body: { ...body, options: { ...body.options, dry_run: true } } },
          o,
        )) as Types.ValuationDryRun,
      /** A valuation's receipt: everything it was computed from. Free. */
      receipt: (id: string, o?: CallOptions): Promise<Types.ValuationReceipt> =>
        call('get_valuation', { path: { id } }, o),
      /** The next year, other conditions, works, and land. One AVM call. */
      outlook: (body: Body<'get_outlook'>, o?: CallOptions): Promise<Types.Outlook> => call('get_outlook', { body }, o),
      accuracy: (query: Query<'get_accuracy'> = {}, o?: CallOptions): Pages<Types.AccuracyReport> =>
        pages('get_accuracy', { query }, o),
      /** Evidence of quality of a market, by the standards of the interagency rule. Free. */
      quality: (query: Query<'get_quality'>, o?: CallOptions): Promise<Types.AvmQuality> =>
        call('get_quality', { query }, o),
      /** Proof that a receipt is unchanged, up to an entry of the audit log. Free. */
      proof: (id: string, o?: CallOptions): Promise<Types.ReceiptProof> =>
        call('get_valuation_proof', { path: { id } }, o),
      models: (query: Query<'list_models'> = {}, o?: CallOptions): Pages<Types.Model> =>
        pages('list_models', { query }, o),
    },

    rents: {
      /** Rent with its interval, yields and debt service coverage. One standard call; free where there is none. */
      estimate: (body: Body<'estimate_rent'>, o?: CallOptions): Promise<Types.RentEstimate> =>
        call('estimate_rent', { body }, o),
      /** The same by query parameters. */
      estimateByQuery: (query: Query<'estimate_rent_by_query'>, o?: CallOptions): Promise<Types.RentEstimate> =>
        call('estimate_rent_by_query', { query }, o),
    },

    batches: createBatches(call, send, pages),

    webhooks: {
      create: (body: Body<'create_webhook'>, o?: CallOptions) => call('create_webhook', { body }, o),
      list: (o?: CallOptions) => pages('list_webhooks', {}, o),
      get: (id: string, o?: CallOptions) => call('get_webhook', { path: { id } }, o),
      update: (id: string, body: Body<'update_webhook'>, o?: CallOptions) =>
        call('update_webhook', { path: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => call('delete_webhook', { path: { id } }, o),
      /** Sends a `ping`. */
      test: (id: string, o?: CallOptions) => call('test_webhook', { path: { id } }, o),
      /** Both secrets sign deliveries for `overlap_hours`, 24 by default. */
      rotateSecret: (id: string, body: Body<'rotate_webhook_secret'> = {}, o?: CallOptions) =>
        call('rotate_webhook_secret', { path: { id }, body }, o),
      deliveries: (id: string, query: Query<'list_deliveries'> = {}, o?: CallOptions) =>
        pages('list_deliveries', { path: { id }, query }, o),
      /** One delivery with the response to each attempt. */
      delivery: (deliveryId: string, o?: CallOptions) => call('get_delivery', { path: { id: deliveryId } }, o),
      redeliver: (deliveryId: string, o?: CallOptions) => call('redeliver', { path: { id: deliveryId } }, o),
      /** Resends every delivery since a given time that has not arrived. */
      redeliverFailed: (id: string, body: Body<'redeliver_failed'>, o?: CallOptions) =>
        call('redeliver_failed', { path: { id }, body }, o),
    },

    events: {
      /** Events in the account, newest first. */
      list: (query: Query<'list_events'> = {}, o?: CallOptions): Pages<Types.Event> =>
        pages('list_events', { query }, o),
      get: (id: string, o?: CallOptions): Promise<Types.Event> => call('get_event', { path: { id } }, o),
    },

    reports: {
      /** A lender's file on a property. Two AVM calls. */
      create: (body: Body<'create_report'>, o?: CallOptions): Promise<Types.Report> =>
        call('create_report', { body }, o),
      list: (query: Query<'list_reports'> = {}, o?: CallOptions): Pages<Types.ReportSummary> =>
        pages('list_reports', { query }, o),
      get: (id: string, o?: CallOptions): Promise<Types.Report> => call('get_report', { path: { id } }, o),
      pdf: (id: string, o?: CallOptions) => bytes('get_report_pdf', { id }, o),
      delete: (id: string, o?: CallOptions) => call('delete_report', { path: { id } }, o),
      /** The rules that reports are checked against. */
      rules: (o?: CallOptions): Promise<Types.ReportRules> => call('get_report_rules', {}, o),
      setRules: (body: Body<'set_report_rules'>, o?: CallOptions): Promise<Types.ReportRules> =>
        call('set_report_rules', { body }, o),
    },

    reviews: {
      /** An appraisal against the records and our own value of its day. Two AVM calls. */
      create: (body: Body<'create_review'>, o?: CallOptions): Promise<Types.Review> =>
        call('create_review', { body }, o),
      list: (o?: CallOptions): Pages<Types.ReviewSummary> => pages('list_reviews', {}, o),
      get: (id: string, o?: CallOptions): Promise<Types.Review> => call('get_review', { path: { id } }, o),
      pdf: (id: string, o?: CallOptions) => bytes('get_review_pdf', { id }, o),
      delete: (id: string, o?: CallOptions) => call('delete_review', { path: { id } }, o),
    },

    loans: {
      /** Registers a loan to be told what becomes known of it. */
      register: (body: Body<'register_loan'>, o?: CallOptions): Promise<Types.Loan> =>
        call('register_loan', { body }, o),
      /** Up to 500 at once; a bad row is refused by itself. */
      registerMany: (body: Body<'register_loans'>, o?: CallOptions): Promise<Types.RegisteredLoans> =>
        call('register_loans', { body }, o),
      /** The same from a spreadsheet, whose columns are found by their names. */
      upload: async (file: SheetFile, type: 'csv' | 'xlsx', o?: CallOptions): Promise<Types.RegisteredLoans> => {
        const headers = { ...o?.headers, 'content-type': CONTENT_TYPES[type] };
        return (
          await send('register_loans', { body: file }, { ...o, headers })
        ).json() as Promise<Types.RegisteredLoans>;
      },
      list: (o?: CallOptions): Pages<Types.Loan> => pages('list_loans', {}, o),
      get: (id: string, o?: CallOptions): Promise<Types.Loan> => call('get_loan', { path: { id } }, o),
      /** Its condition as it was known on a day. */
      statement: (id: string, query: Query<'get_loan_statement'> = {}, o?: CallOptions): Promise<Types.LoanStatement> =>
        call('get_loan_statement', { path: { id }, query }, o),
      changes: (id: string, o?: CallOptions): Pages<Types.LoanChanges> =>
        pages('list_loan_changes', { path: { id } }, o),
      delete: (id: string, o?: CallOptions) => call('delete_loan', { path: { id } }, o),
    },

    shares: {
      /** A read-only link for people without an account; its `url` is shown only in this answer. */
      create: (body: Body<'create_share'>, o?: CallOptions): Promise<Types.ShareWithLink> =>
        call('create_share', { body }, o),
      list: (o?: CallOptions): Pages<Types.Share> => pages('list_shares', {}, o),
      revoke: (id: string, o?: CallOptions): Promise<Types.Share> => call('revoke_share', { path: { id } }, o),
    },

    testClocks: {
      /** A sandbox account whose time can be moved; its `key` is shown only in this answer. */
      create: (body: Body<'create_test_clock'>, o?: CallOptions): Promise<Types.TestClockWithKey> =>
        call('create_test_clock', { body }, o),
      list: (o?: CallOptions): Pages<Types.TestClock> => pages('list_test_clocks', {}, o),
      get: (id: string, o?: CallOptions): Promise<Types.TestClock> => call('get_test_clock', { path: { id } }, o),
      /** Its card, its plan, or whether that ends with its term. */
      update: (id: string, body: Body<'update_test_clock'>, o?: CallOptions): Promise<Types.TestClock> =>
        call('update_test_clock', { path: { id }, body }, o),
      /** Answers when all that was due on the way has happened. */
      advance: (id: string, to: string, o?: CallOptions): Promise<Types.TestClock> =>
        call('advance_test_clock', { path: { id }, body: { to } }, o),
      invoices: (id: string, o?: CallOptions): Pages<Types.Invoice> =>
        pages('list_test_clock_invoices', { path: { id } }, o),
      delete: (id: string, o?: CallOptions) => call('delete_test_clock', { path: { id } }, o),
    },

    /** OGC API – Features, for programs that speak it; others use search and tiles. */
    gis: {
      landingPage: (o?: CallOptions) => call('ogc_landing_page', {}, o),
      conformance: (o?: CallOptions) => call('ogc_conformance', {}, o),
      collections: (o?: CallOptions) => call('ogc_collections', {}, o),
      collection: (collection: string, o?: CallOptions) => call('ogc_collection', { path: { collection } }, o),
      queryables: (collection: string, o?: CallOptions) => call('ogc_queryables', { path: { collection } }, o),
      items: (collection: string, query: Query<'ogc_items'> = {}, o?: CallOptions) =>
        call('ogc_items', { path: { collection }, query }, o),
      item: (collection: string, id: string, o?: CallOptions) => call('ogc_item', { path: { collection, id } }, o),
    },

    watchlists: {
      list: (o?: CallOptions): Pages<Types.Watchlist> => pages('list_watchlists', {}, o),
      create: (body: Body<'create_watchlist'>, o?: CallOptions): Promise<Types.Watchlist> =>
        call('create_watchlist', { body }, o),
      get: (id: string, o?: CallOptions): Promise<Types.Watchlist> => call('get_watchlist', { path: { id } }, o),
      update: (id: string, body: Body<'update_watchlist'>, o?: CallOptions): Promise<Types.Watchlist> =>
        call('update_watchlist', { path: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => call('delete_watchlist', { path: { id } }, o),
      /** Properties in the watchlist. */
      properties: (id: string, o?: CallOptions) => pages('list_watchlist_properties', { path: { id } }, o),
      /** What the properties are worth together, their exposure, and what changed. */
      portfolio: (id: string, query: Query<'get_portfolio'> = {}, o?: CallOptions): Promise<Types.Portfolio> =>
        call('get_portfolio', { path: { id }, query }, o),
      /** Adds and removes properties. */
      change: (id: string, body: Body<'change_watchlist_properties'>, o?: CallOptions) =>
        call('change_watchlist_properties', { path: { id }, body }, o),
    },

    changes: createChanges(call, send, pages),

    exports: createExports(call, send, pages),

    tiles: {
      /** TileJSON, with a center to open a map at. */
      describe: (o?: CallOptions): Promise<Types.TileJson> => call('describe_tiles', {}, o),
      /** A vector tile of properties. */
      get: (z: number, x: number, y: number, o?: CallOptions) => bytes('get_tile', { z, x, y }, o),
      /** A vector tile of tracts, neighborhoods, and flood zones. */
      boundaries: (z: number, x: number, y: number, o?: CallOptions) => bytes('get_boundary_tile', { z, x, y }, o),
    },

    markets: {
      list: (o?: CallOptions): Pages<Types.Market> => pages('list_markets', {}, o),
      get: (id: string, o?: CallOptions): Promise<Types.Market> => call('get_market', { path: { id } }, o),
      coverage: (o?: CallOptions): Promise<Types.Coverage> => call('describe_coverage', {}, o),
      /** Which fields are stated, county by county, with the source and newest day of each. Free. */
      fields: (query: Query<'list_field_coverage'> = {}, o?: CallOptions): Pages<Types.CountyFields> =>
        pages('list_field_coverage', { query }, o),
      /** Risk layers that the server has loaded by recipe, beyond the six. */
      layers: (o?: CallOptions) => call('list_layers', {}, o),
      /** Places by the names people give them: `Seattle, WA`, `98101`, `King County`. Free. */
      places: async (q: string, o?: CallOptions): Promise<Types.Place[]> =>
        (await call('find_places', { query: { q } }, o)).data,
    },

    analytics: {
      /** Sales and prices of an area by month, quarter or year. */
      series: (query: Query<'get_sales_series'>, o?: CallOptions): Promise<Types.SalesSeries> =>
        call('get_sales_series', { query }, o),
      /** The quality-adjusted price index of an area, with its band and growth. */
      index: (query: Query<'get_price_index'>, o?: CallOptions): Promise<Types.PriceIndex> =>
        call('get_price_index', { query }, o),
      /** The expected index of the next months, with its band. */
      forecast: (query: Query<'get_price_forecast'>, o?: CallOptions): Promise<Types.PriceForecast> =>
        call('get_price_forecast', { query }, o),
      /** The same of a polygon, or of whatever a search finds. */
      seriesOfSearch: (body: Body<'get_sales_series_of_search'>, o?: CallOptions): Promise<Types.SalesSeries> =>
        call('get_sales_series_of_search', { body }, o),
      /** The homes of an area: stock, values, permits, violations and liens. */
      summary: (query: Query<'get_area_summary'>, o?: CallOptions): Promise<Types.AreaSummary> =>
        call('get_area_summary', { query }, o),
      /** The areas of a market, county or state in order of a figure. */
      rankings: (query: Query<'rank_areas'>, o?: CallOptions): Promise<Types.Ranking> =>
        call('rank_areas', { query }, o),
    },

    keys: {
      list: (query: Query<'list_keys'> = {}, o?: CallOptions) => pages('list_keys', { query }, o),
      create: (body: Body<'create_key'>, o?: CallOptions) => call('create_key', { body }, o),
      get: (id: string, o?: CallOptions) => call('get_key', { path: { id } }, o),
      update: (id: string, body: Body<'update_key'>, o?: CallOptions) => call('update_key', { path: { id }, body }, o),
      /** The old key keeps working for `overlap_hours`. */
      rotate: (id: string, body: Body<'rotate_key'> = {}, o?: CallOptions) =>
        call('rotate_key', { path: { id }, body }, o),
      revoke: (id: string, o?: CallOptions) => call('revoke_key', { path: { id } }, o),
    },

    usage: {
      get: (o?: CallOptions): Promise<Answer<'get_usage'>> => call('get_usage', {}, o),
      daily: (query: Query<'list_daily_usage'> = {}, o?: CallOptions) => pages('list_daily_usage', { query }, o),
      /** Every call in the last 30 days. */
      requests: (query: Query<'list_requests'> = {}, o?: CallOptions): Pages<Types.RequestEntry> =>
        pages('list_requests', { query }, o),
      /** One call with what was asked and answered, kept for a day. */
      request: (id: string, o?: CallOptions): Promise<Types.RequestDetail> =>
        call('get_request', { path: { request_id: id } }, o),
    },

    account: {
      get: (o?: CallOptions): Promise<Types.Account> => call('get_account', {}, o),
      branding: (o?: CallOptions): Promise<Types.Branding> => call('get_branding', {}, o),
      /** The name and logo (base64) on PDFs and shared pages. */
      setBranding: (body: Body<'set_branding'>, o?: CallOptions): Promise<Types.Branding> =>
        call('set_branding', { body }, o),
      plans: (o?: CallOptions): Pages<Types.Plan> => pages('list_plans', {}, o),
      /** Who did what, newest first; needs `audit:read`. */
      auditLog: (query: Query<'list_audit_log'> = {}, o?: CallOptions): Pages<Types.AuditEntry> =>
        pages('list_audit_log', { query }, o),
    },

    invoices: {
      list: (query: Query<'list_invoices'> = {}, o?: CallOptions): Pages<Types.Invoice> =>
        pages('list_invoices', { query }, o),
      /** By ID or invoice number. */
      get: (id: string, o?: CallOptions): Promise<Types.Invoice> => call('get_invoice', { path: { id } }, o),
      pdf: (id: string, o?: CallOptions) => bytes('get_invoice', { id: `${id}.pdf` }, o),
    },

    sandbox: {
      /** Inputs that always return a specific response. */
      fixtures: (o?: CallOptions) => call('list_sandbox_fixtures', {}, o),
      /** Sends a sandbox event to your webhooks. */
      trigger: (body: Body<'trigger_sandbox_event'>, o?: CallOptions) => call('trigger_sandbox_event', { body }, o),
    },
  };
}
