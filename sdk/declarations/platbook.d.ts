import { type SheetFile } from './batches.ts';
import { type Call } from './call.ts';
import type { Pages } from './pages.ts';
import { type CallOptions, type ClientOptions } from './transport.ts';
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
export declare function createClient(options: ClientOptions): {
    /** Calls any operation by its ID in the OpenAPI document. */
    call: Call;
    properties: {
        /** Every property that matches the filter. Pages are fetched as you iterate. */
        search: (query?: Query<'search_properties'>, o?: CallOptions) => Pages<Types.Property>;
        /** The same filters as a JSON body, which can include a `geometry`. */
        searchWithin: (body: Body<'search_properties_by_body'>, o?: CallOptions) => Pages<Types.Property>;
        /** Free. In live mode rounded down, with 0 for fewer than 10; `search` with `include_total` has the exact number. */
        count: (query?: Query<'count_properties'>, o?: CallOptions) => Promise<number>;
        /** The property at an address, parcel number, or point. */
        lookup: (query: Query<'lookup_property'>, o?: CallOptions) => Promise<Types.PropertyLookup>;
        /** Addresses that start with the given text. Free. */
        autocomplete: (q: string, o?: CallOptions) => Promise<Types.AddressSuggestion[]>;
        /** By `prop_…` or `fips:apn`. */
        get: (id: string, query?: Query<'get_property'>, o?: CallOptions) => Promise<Types.Property>;
        risk: (id: string, query?: Query<'get_risk'>, o?: CallOptions) => Promise<Types.RiskReport>;
        /** The chain of title, mortgages, liens, and what is open. */
        title: (id: string, o?: CallOptions) => Promise<Types.TitleReport>;
        transactions: (id: string, query?: Query<'list_transactions'>, o?: CallOptions) => Pages<Types.Transaction>;
        assessments: (id: string, o?: CallOptions) => Pages<Types.Assessment>;
        comparables: (id: string, query?: Query<'list_comparables'>, o?: CallOptions) => Pages<Types.Comparable>;
        changes: (id: string, query?: Query<'list_property_changes'>, o?: CallOptions) => Pages<Types.Change>;
    };
    owners: {
        /** Parties by name or mailing address, best fit first. One standard call. */
        /** An owner's properties, their joint value, and related owners, by the `owner_id` of a search. */
        get: (id: string, o?: CallOptions) => Promise<Types.OwnerPortfolio>;
        search: (body: Body<'search_owners'>, o?: CallOptions) => Promise<Types.PartyList>;
    };
    valuations: {
        /** One AVM call. */
        estimate: (body: Body<'estimate_value'>, o?: CallOptions) => Promise<Types.Valuation>;
        /** The same by query parameters, without `extras`. One AVM call. */
        estimateByQuery: (query: Query<'estimate_value_by_query'>, o?: CallOptions) => Promise<Types.Valuation>;
        /** The property that would be valued and what it would cost. Free. */
        dryRun: (body: Body<'estimate_value'>, o?: CallOptions) => Promise<Types.ValuationDryRun>;
        /** A valuation's receipt: everything it was computed from. Free. */
        receipt: (id: string, o?: CallOptions) => Promise<Types.ValuationReceipt>;
        /** The next year, other conditions, works, and land. One AVM call. */
        outlook: (body: Body<'get_outlook'>, o?: CallOptions) => Promise<Types.Outlook>;
        accuracy: (query?: Query<'get_accuracy'>, o?: CallOptions) => Pages<Types.AccuracyReport>;
        /** Evidence of quality of a market, by the standards of the interagency rule. Free. */
        quality: (query: Query<'get_quality'>, o?: CallOptions) => Promise<Types.AvmQuality>;
        /** Proof that a receipt is unchanged, up to an entry of the audit log. Free. */
        proof: (id: string, o?: CallOptions) => Promise<Types.ReceiptProof>;
        models: (query?: Query<'list_models'>, o?: CallOptions) => Pages<Types.Model>;
    };
    rents: {
        /** Rent with its interval, yields and debt service coverage. One standard call; free where there is none. */
        estimate: (body: Body<'estimate_rent'>, o?: CallOptions) => Promise<Types.RentEstimate>;
        /** The same by query parameters. */
        estimateByQuery: (query: Query<'estimate_rent_by_query'>, o?: CallOptions) => Promise<Types.RentEstimate>;
    };
    batches: import("./batches.ts").Batches;
    webhooks: {
        create: (body: Body<'create_webhook'>, o?: CallOptions) => Promise<Types.WebhookWithSecret>;
        list: (o?: CallOptions) => Pages<Types.Webhook>;
        get: (id: string, o?: CallOptions) => Promise<Types.Webhook>;
        update: (id: string, body: Body<'update_webhook'>, o?: CallOptions) => Promise<Types.Webhook>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
        /** Sends a `ping`. */
        test: (id: string, o?: CallOptions) => Promise<Types.WebhookDeliveryWithLog>;
        /** Both secrets sign deliveries for `overlap_hours`, 24 by default. */
        rotateSecret: (id: string, body?: Body<'rotate_webhook_secret'>, o?: CallOptions) => Promise<Types.WebhookWithSecret>;
        deliveries: (id: string, query?: Query<'list_deliveries'>, o?: CallOptions) => Pages<Types.WebhookDelivery>;
        /** One delivery with the response to each attempt. */
        delivery: (deliveryId: string, o?: CallOptions) => Promise<Types.WebhookDeliveryWithLog>;
        redeliver: (deliveryId: string, o?: CallOptions) => Promise<Types.WebhookDelivery>;
        /** Resends every delivery since a given time that has not arrived. */
        redeliverFailed: (id: string, body: Body<'redeliver_failed'>, o?: CallOptions) => Promise<Types.RedeliveryCount>;
    };
    events: {
        /** Events in the account, newest first. */
        list: (query?: Query<'list_events'>, o?: CallOptions) => Pages<Types.Event>;
        get: (id: string, o?: CallOptions) => Promise<Types.Event>;
    };
    reports: {
        /** A lender's file on a property. Two AVM calls. */
        create: (body: Body<'create_report'>, o?: CallOptions) => Promise<Types.Report>;
        list: (query?: Query<'list_reports'>, o?: CallOptions) => Pages<Types.ReportSummary>;
        get: (id: string, o?: CallOptions) => Promise<Types.Report>;
        pdf: (id: string, o?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
        /** The rules that reports are checked against. */
        rules: (o?: CallOptions) => Promise<Types.ReportRules>;
        setRules: (body: Body<'set_report_rules'>, o?: CallOptions) => Promise<Types.ReportRules>;
    };
    reviews: {
        /** An appraisal against the records and our own value of its day. Two AVM calls. */
        create: (body: Body<'create_review'>, o?: CallOptions) => Promise<Types.Review>;
        list: (o?: CallOptions) => Pages<Types.ReviewSummary>;
        get: (id: string, o?: CallOptions) => Promise<Types.Review>;
        pdf: (id: string, o?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
    };
    loans: {
        /** Registers a loan to be told what becomes known of it. */
        register: (body: Body<'register_loan'>, o?: CallOptions) => Promise<Types.Loan>;
        /** Up to 500 at once; a bad row is refused by itself. */
        registerMany: (body: Body<'register_loans'>, o?: CallOptions) => Promise<Types.RegisteredLoans>;
        /** The same from a spreadsheet, whose columns are found by their names. */
        upload: (file: SheetFile, type: 'csv' | 'xlsx', o?: CallOptions) => Promise<Types.RegisteredLoans>;
        list: (o?: CallOptions) => Pages<Types.Loan>;
        get: (id: string, o?: CallOptions) => Promise<Types.Loan>;
        /** Its condition as it was known on a day. */
        statement: (id: string, query?: Query<'get_loan_statement'>, o?: CallOptions) => Promise<Types.LoanStatement>;
        changes: (id: string, o?: CallOptions) => Pages<Types.LoanChanges>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
    };
    shares: {
        /** A read-only link for people without an account; its `url` is shown only in this answer. */
        create: (body: Body<'create_share'>, o?: CallOptions) => Promise<Types.ShareWithLink>;
        list: (o?: CallOptions) => Pages<Types.Share>;
        revoke: (id: string, o?: CallOptions) => Promise<Types.Share>;
    };
    testClocks: {
        /** A sandbox account whose time can be moved; its `key` is shown only in this answer. */
        create: (body: Body<'create_test_clock'>, o?: CallOptions) => Promise<Types.TestClockWithKey>;
        list: (o?: CallOptions) => Pages<Types.TestClock>;
        get: (id: string, o?: CallOptions) => Promise<Types.TestClock>;
        /** Its card, its plan, or whether that ends with its term. */
        update: (id: string, body: Body<'update_test_clock'>, o?: CallOptions) => Promise<Types.TestClock>;
        /** Answers when all that was due on the way has happened. */
        advance: (id: string, to: string, o?: CallOptions) => Promise<Types.TestClock>;
        invoices: (id: string, o?: CallOptions) => Pages<Types.Invoice>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
    };
    /** OGC API – Features, for programs that speak it; others use search and tiles. */
    gis: {
        landingPage: (o?: CallOptions) => Promise<Record<string, unknown>>;
        conformance: (o?: CallOptions) => Promise<Record<string, unknown>>;
        collections: (o?: CallOptions) => Promise<Record<string, unknown>>;
        collection: (collection: string, o?: CallOptions) => Promise<Record<string, unknown>>;
        queryables: (collection: string, o?: CallOptions) => Promise<unknown>;
        items: (collection: string, query?: Query<'ogc_items'>, o?: CallOptions) => Promise<unknown>;
        item: (collection: string, id: string, o?: CallOptions) => Promise<unknown>;
    };
    watchlists: {
        list: (o?: CallOptions) => Pages<Types.Watchlist>;
        create: (body: Body<'create_watchlist'>, o?: CallOptions) => Promise<Types.Watchlist>;
        get: (id: string, o?: CallOptions) => Promise<Types.Watchlist>;
        update: (id: string, body: Body<'update_watchlist'>, o?: CallOptions) => Promise<Types.Watchlist>;
        delete: (id: string, o?: CallOptions) => Promise<undefined>;
        /** Properties in the watchlist. */
        properties: (id: string, o?: CallOptions) => Pages<Types.WatchlistMember>;
        /** What the properties are worth together, their exposure, and what changed. */
        portfolio: (id: string, query?: Query<'get_portfolio'>, o?: CallOptions) => Promise<Types.Portfolio>;
        /** Adds and removes properties. */
        change: (id: string, body: Body<'change_watchlist_properties'>, o?: CallOptions) => Promise<Types.WatchlistMemberCounts>;
    };
    changes: import("./changes.ts").Changes;
    exports: import("./exports.ts").Exports;
    tiles: {
        /** TileJSON, with a center to open a map at. */
        describe: (o?: CallOptions) => Promise<Types.TileJson>;
        /** A vector tile of properties. */
        get: (z: number, x: number, y: number, o?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>;
        /** A vector tile of tracts, neighborhoods, and flood zones. */
        boundaries: (z: number, x: number, y: number, o?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>;
    };
    markets: {
        list: (o?: CallOptions) => Pages<Types.Market>;
        get: (id: string, o?: CallOptions) => Promise<Types.Market>;
        coverage: (o?: CallOptions) => Promise<Types.Coverage>;
        /** Which fields are stated, county by county, with the source and newest day of each. Free. */
        fields: (query?: Query<'list_field_coverage'>, o?: CallOptions) => Pages<Types.CountyFields>;
        /** Risk layers that the server has loaded by recipe, beyond the six. */
        layers: (o?: CallOptions) => Promise<Types.LayerPage>;
        /** Places by the names people give them: `Seattle, WA`, `98101`, `King County`. Free. */
        places: (q: string, o?: CallOptions) => Promise<Types.Place[]>;
    };
    analytics: {
        /** Sales and prices of an area by month, quarter or year. */
        series: (query: Query<'get_sales_series'>, o?: CallOptions) => Promise<Types.SalesSeries>;
        /** The quality-adjusted price index of an area, with its band and growth. */
        index: (query: Query<'get_price_index'>, o?: CallOptions) => Promise<Types.PriceIndex>;
        /** The expected index of the next months, with its band. */
        forecast: (query: Query<'get_price_forecast'>, o?: CallOptions) => Promise<Types.PriceForecast>;
        /** The same of a polygon, or of whatever a search finds. */
        seriesOfSearch: (body: Body<'get_sales_series_of_search'>, o?: CallOptions) => Promise<Types.SalesSeries>;
        /** The homes of an area: stock, values, permits, violations and liens. */
        summary: (query: Query<'get_area_summary'>, o?: CallOptions) => Promise<Types.AreaSummary>;
        /** The areas of a market, county or state in order of a figure. */
        rankings: (query: Query<'rank_areas'>, o?: CallOptions) => Promise<Types.Ranking>;
    };
    keys: {
        list: (query?: Query<'list_keys'>, o?: CallOptions) => Pages<Types.ApiKey>;
        create: (body: Body<'create_key'>, o?: CallOptions) => Promise<Types.ApiKeyWithSecret>;
        get: (id: string, o?: CallOptions) => Promise<Types.ApiKey>;
        update: (id: string, body: Body<'update_key'>, o?: CallOptions) => Promise<Types.ApiKey>;
        /** The old key keeps working for `overlap_hours`. */
        rotate: (id: string, body?: Body<'rotate_key'>, o?: CallOptions) => Promise<Types.ApiKeyWithSecret>;
        revoke: (id: string, o?: CallOptions) => Promise<Types.ApiKey>;
    };
    usage: {
        get: (o?: CallOptions) => Promise<Answer<'get_usage'>>;
        daily: (query?: Query<'list_daily_usage'>, o?: CallOptions) => Pages<Types.DailyUsage>;
        /** Every call in the last 30 days. */
        requests: (query?: Query<'list_requests'>, o?: CallOptions) => Pages<Types.RequestEntry>;
        /** One call with what was asked and answered, kept for a day. */
        request: (id: string, o?: CallOptions) => Promise<Types.RequestDetail>;
    };
    account: {
        get: (o?: CallOptions) => Promise<Types.Account>;
        branding: (o?: CallOptions) => Promise<Types.Branding>;
        /** The name and logo (base64) on PDFs and shared pages. */
        setBranding: (body: Body<'set_branding'>, o?: CallOptions) => Promise<Types.Branding>;
        plans: (o?: CallOptions) => Pages<Types.Plan>;
        /** Who did what, newest first; needs `audit:read`. */
        auditLog: (query?: Query<'list_audit_log'>, o?: CallOptions) => Pages<Types.AuditEntry>;
    };
    invoices: {
        list: (query?: Query<'list_invoices'>, o?: CallOptions) => Pages<Types.Invoice>;
        /** By ID or invoice number. */
        get: (id: string, o?: CallOptions) => Promise<Types.Invoice>;
        pdf: (id: string, o?: CallOptions) => Promise<Uint8Array<ArrayBuffer>>;
    };
    sandbox: {
        /** Inputs that always return a specific response. */
        fixtures: (o?: CallOptions) => Promise<Types.SandboxFixtureList>;
        /** Sends a sandbox event to your webhooks. */
        trigger: (body: Body<'trigger_sandbox_event'>, o?: CallOptions) => Promise<Types.Event>;
    };
};
