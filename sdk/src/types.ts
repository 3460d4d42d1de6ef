// Made from the OpenAPI document of version 1.0.0 by sdk/generate.ts. Do not edit.
/* eslint-disable */

export interface Account {
  object: "account";
  id: string;
  name: string;
  status: "active" | "suspended" | "closed";
  created_at: string;
  /** Mode of the key making the request. */
  mode: "live" | "test";
  trial_ends_at: string | null;
  /** True if the trial is waiting for a card to start. */
  needs_card: boolean;
  plan: Plan;
}

export interface AccuracyPage {
  object: "list";
  data: AccuracyReport[];
  pagination: Pagination;
}

export interface AccuracyReport {
  object: "accuracy";
  market: string;
  market_name: string;
  model_version: string;
  window: {
    from: string;
    to: string;
  };
  segments: Array<{
    /** `market_price` divides the sales into those at a market price, which are the headline, and those `set aside`, whose price is too far from what other sales make of the home. Both count in every other segment; baselines and vertical equity are of market prices. A `neighborhood` or `zip` is listed from 100 tested sales on. */
    kind: "all" | "property_type" | "price_band" | "type_and_band" | "confidence" | "tract_income" | "neighborhood" | "zip" | "market_price";
    segment: string;
    sample_size: number;
    median_error_rate: number;
    within_5_percent: number;
    within_10_percent: number;
    within_20_percent: number;
    median_ratio: number;
    cod: number;
    prd: number;
    prb: number;
    hit_rate: number;
    /** Share that earned `medium` or `high` confidence. */
    share_above_low: number;
    interval_coverage: Record<string, number>;
  }>;
  baselines: Array<{
    name: string;
    sample_size: number;
    median_error_rate: number;
    within_5_percent: number;
    within_10_percent: number;
    within_20_percent: number;
    median_ratio: number;
    cod: number;
    prd: number;
    prb: number;
  }>;
  /** Missing where fewer than 20 sales were tested. */
  vertical_equity?: {
    /** Vertical equity indicator: median ratio of the most expensive group minus that of the cheapest, in percent of the median ratio. Below 0, expensive homes are valued too low. */
    vei: number;
    /** From the ends of the two groups’ intervals, like `high`. */
    low: number;
    high: number;
    groups: Array<{
      sample_size: number;
      /** In dollars: half price, half value. */
      value_from: number;
      value_to: number;
      median_ratio: number;
      /** The 90% confidence interval of the median. */
      low: number;
      high: number;
    }>;
  };
}

export interface Address {
  line1: string | null;
  unit: string | null;
  city: string | null;
  state: string;
  zip: string | null;
  zip4: string | null;
  formatted: string | null;
}

export interface AddressSuggestion {
  object: "suggestion";
  /** Streets are suggested until a house number is typed. */
  type: "address" | "street";
  address: string;
  /** Null for a street, and where several properties share the address. */
  property_id: string | null;
}

export interface AddressSuggestionPage {
  object: "list";
  data: AddressSuggestion[];
  pagination: Pagination;
}

/** Dollars for each unit of the difference, among the comparables of our own grid. */
export interface AdjustmentRange {
  low: number;
  high: number;
  per: string;
  n: number;
}

export interface ApiKey {
  object: "api_key";
  id: string;
  mode: "live" | "test";
  prefix: string;
  last_four: string;
  name: string;
  scopes: Array<"avm:read" | "properties:read" | "owners:read" | "transactions:read" | "risk:read" | "tiles:read" | "batch:read" | "batch:write" | "webhooks:read" | "webhooks:write" | "watchlists:read" | "watchlists:write" | "usage:read" | "account:read" | "account:write" | "billing:read" | "keys:read" | "keys:write" | "audit:read" | "changes:read" | "exports:read" | "exports:write" | "reports:read" | "reports:write" | "shares:read" | "shares:write">;
  /** IPs or CIDR blocks; empty for any. */
  allowed_ips: string[];
  expires_at: string | null;
  /** A lower hourly limit than the plan’s. Keys that this key creates are counted under it. */
  rate_limit_per_hour: number | null;
  /** The overage that this key, and the keys it creates, may cause in a month. */
  spend_cap_cents: number | null;
  created_at: string;
  /** Who created the key: `key_…`, `usr_…` or `operator`. */
  created_by: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  /** Updated at most once a minute. */
  last_used_at: string | null;
}

export interface ApiKeyPage {
  object: "list";
  data: ApiKey[];
  pagination: Pagination;
}

export interface ApiKeyPatch {
  name?: string;
  scopes?: Array<"avm:read" | "properties:read" | "owners:read" | "transactions:read" | "risk:read" | "tiles:read" | "batch:read" | "batch:write" | "webhooks:read" | "webhooks:write" | "watchlists:read" | "watchlists:write" | "usage:read" | "account:read" | "account:write" | "billing:read" | "keys:read" | "keys:write" | "audit:read" | "changes:read" | "exports:read" | "exports:write" | "reports:read" | "reports:write" | "shares:read" | "shares:write">;
  /** IPs or CIDR blocks; empty for any. */
  allowed_ips?: string[];
  expires_at?: string | null;
  /** A lower hourly limit than the plan’s. Keys that this key creates are counted under it. */
  rate_limit_per_hour?: number | null;
  /** The overage that this key, and the keys it creates, may cause in a month. */
  spend_cap_cents?: number | null;
}

export interface ApiKeyWithSecret {
  object: "api_key";
  id: string;
  mode: "live" | "test";
  prefix: string;
  last_four: string;
  name: string;
  scopes: Array<"avm:read" | "properties:read" | "owners:read" | "transactions:read" | "risk:read" | "tiles:read" | "batch:read" | "batch:write" | "webhooks:read" | "webhooks:write" | "watchlists:read" | "watchlists:write" | "usage:read" | "account:read" | "account:write" | "billing:read" | "keys:read" | "keys:write" | "audit:read" | "changes:read" | "exports:read" | "exports:write" | "reports:read" | "reports:write" | "shares:read" | "shares:write">;
  /** IPs or CIDR blocks; empty for any. */
  allowed_ips: string[];
  expires_at: string | null;
  /** A lower hourly limit than the plan’s. Keys that this key creates are counted under it. */
  rate_limit_per_hour: number | null;
  /** The overage that this key, and the keys it creates, may cause in a month. */
  spend_cap_cents: number | null;
  created_at: string;
  /** Who created the key: `key_…`, `usr_…` or `operator`. */
  created_by: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  /** Updated at most once a minute. */
  last_used_at: string | null;
  /** The key itself, shown only once. */
  secret: string;
}

export interface Appraisal {
  value: number;
  /** The day of the value; only what was known then is compared. */
  effective_date: string;
  comparables: StatedComparable[];
}

export interface Area {
  kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
  id: string;
  name: string;
  market: string;
  /** The middle of its homes; null where none is located. */
  center: {
    latitude: number;
    longitude: number;
  } | null;
}

export interface AreaSummary {
  object: "area_summary";
  area: Area;
  /** minLng, minLat, maxLng, maxLat of its homes, without the outermost hundredths. */
  bbox: number[] | null;
  /** When the figures of the market were last brought up to date. */
  updated_at: string;
  stock: {
    /** Properties of every type. */
    properties: number;
    /** Residential homes: single-family, condo, townhouse, multi-family and manufactured. */
    homes: number;
    /** False where only homes that sold are on record. */
    is_complete: boolean;
    by_type: Array<{
      property_type: string;
      /** Properties. */
      n: number;
    }>;
    bedrooms: Array<{
      segment: "bedrooms_0_1" | "bedrooms_2" | "bedrooms_3" | "bedrooms_4" | "bedrooms_5_plus" | "sqft_under_1000" | "sqft_1000_1499" | "sqft_1500_1999" | "sqft_2000_2999" | "sqft_3000_plus" | "built_before_1940" | "built_1940_1969" | "built_1970_1999" | "built_2000_plus" | "new" | "existing";
      /** Homes. */
      n: number;
    }>;
    sizes: Array<{
      segment: "bedrooms_0_1" | "bedrooms_2" | "bedrooms_3" | "bedrooms_4" | "bedrooms_5_plus" | "sqft_under_1000" | "sqft_1000_1499" | "sqft_1500_1999" | "sqft_2000_2999" | "sqft_3000_plus" | "built_before_1940" | "built_1940_1969" | "built_1970_1999" | "built_2000_plus" | "new" | "existing";
      /** Homes. */
      n: number;
    }>;
    eras: Array<{
      segment: "bedrooms_0_1" | "bedrooms_2" | "bedrooms_3" | "bedrooms_4" | "bedrooms_5_plus" | "sqft_under_1000" | "sqft_1000_1499" | "sqft_1500_1999" | "sqft_2000_2999" | "sqft_3000_plus" | "built_before_1940" | "built_1940_1969" | "built_1970_1999" | "built_2000_plus" | "new" | "existing";
      /** Homes. */
      n: number;
    }>;
    year_built: {
      /** Homes whose figure is known. */
      n: number;
      /** A quarter of the homes are below this. */
      p25: number | null;
      /** Null for fewer than five homes. */
      median: number | null;
      /** A quarter of the homes are above this. */
      p75: number | null;
    };
    sqft: {
      /** Homes whose figure is known. */
      n: number;
      /** A quarter of the homes are below this. */
      p25: number | null;
      /** Null for fewer than five homes. */
      median: number | null;
      /** A quarter of the homes are above this. */
      p75: number | null;
    };
    owner_occupied: {
      /** Homes of which it is known. */
      n: number;
      /** Share whose owner lives there; null for fewer than 20 homes. */
      share: number | null;
    };
    /** How far the records reach. */
    as_of: string | null;
    /** Ids, described in `sources` of the summary. */
    sources: string[];
  };
  /** Estimated values of the homes as they stand. */
  values: {
    /** Homes whose figure is known. */
    n: number;
    /** A quarter of the homes are below this. */
    p25: number | null;
    /** Null for fewer than five homes. */
    median: number | null;
    /** A quarter of the homes are above this. */
    p75: number | null;
    /** A tenth of the homes are below this. */
    p10: number | null;
    /** A tenth of the homes are above this. */
    p90: number | null;
    histogram: Array<{
      from: number;
      /** Null for the last, which is open. */
      to: number | null;
      /** Homes from `from` to below `to`. */
      n: number;
    }>;
    /** The day of the valuations. */
    as_of: string | null;
    /** The model version that valued the homes. */
    model: string | null;
  };
  /** Last property-tax bill over the estimated value, of homes with both: 0.012 is 1.2%. */
  tax_rate: {
    /** Homes whose figure is known. */
    n: number;
    /** A quarter of the homes are below this. */
    p25: number | null;
    /** Null for fewer than five homes. */
    median: number | null;
    /** A quarter of the homes are above this. */
    p75: number | null;
    /** How far the records reach. */
    as_of: string | null;
    /** Ids, described in `sources` of the summary. */
    sources: string[];
  } | null;
  permits: {
    /** Homes that the records cover. */
    n: number;
    /** Those of them with records whose status is not published. */
    homes_unknown: number;
    /** Permits on record. Null while `homes_unknown` is not 0, as are `homes` and `share`. */
    records: number | null;
    /** Homes with a permit on record. */
    homes: number | null;
    /** Share of the covered homes with a permit on record. */
    share: number | null;
    /** The last ten years with records. */
    by_year: Array<{
      year: number;
      /** Records of the year. */
      n: number;
    }>;
    /** How far the records reach. */
    as_of: string | null;
    /** Ids, described in `sources` of the summary. */
    sources: string[];
  } | null;
  violations: {
    /** Homes that the records cover. */
    n: number;
    /** Those of them with records whose status is not published. */
    homes_unknown: number;
    /** Open violations. `by_year` counts all, by the day they were opened. Null while `homes_unknown` is not 0, as are `homes` and `share`. */
    records: number | null;
    /** Homes with an open violation. */
    homes: number | null;
    /** Share of the covered homes with an open violation. */
    share: number | null;
    /** The last ten years with records. */
    by_year: Array<{
      year: number;
      /** Records of the year. */
      n: number;
    }>;
    /** How far the records reach. */
    as_of: string | null;
    /** Ids, described in `sources` of the summary. */
    sources: string[];
  } | null;
  liens: {
    /** Homes that the records cover. */
    n: number;
    /** Those of them with records whose status is not published. */
    homes_unknown: number;
    /** Open tax liens. `by_year` counts all, by the day they were filed. Null while `homes_unknown` is not 0, as are `homes` and `share`. */
    records: number | null;
    /** Homes with an open tax lien. */
    homes: number | null;
    /** Share of the covered homes with an open tax lien. */
    share: number | null;
    /** The last ten years with records. */
    by_year: Array<{
      year: number;
      /** Records of the year. */
      n: number;
    }>;
    /** How far the records reach. */
    as_of: string | null;
    /** Ids, described in `sources` of the summary. */
    sources: string[];
  } | null;
  sources: Array<{
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
}

export interface Assessment {
  year: number;
  land: number | null;
  improvements: number | null;
  total: number | null;
  market_total: number | null;
  source: string;
}

export interface AssessmentPage {
  object: "list";
  data: Assessment[];
  pagination: Pagination;
}

export interface AuditEntry {
  object: "audit_entry";
  sequence: number;
  at: string;
  actor: string;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
  ip: string | null;
  previous_hash: string | null;
  hash: string;
}

export interface AuditPage {
  object: "list";
  data: AuditEntry[];
  pagination: Pagination;
}

export interface AvmQuality {
  object: "avm_quality";
  rule: {
    name: string;
    citation: string;
    in_force_since: string;
  };
  market: string;
  model_version: string;
  measured_at: string;
  /** Accuracy on sales the model had not seen, by confidence, segment and time. */
  confidence: {
    window: {
      from: string;
      to: string;
    };
    segments: Array<{
      /** `market_price` divides the sales into those at a market price, which are the headline, and those `set aside`, whose price is too far from what other sales make of the home. Both count in every other segment; baselines and vertical equity are of market prices. A `neighborhood` or `zip` is listed from 100 tested sales on. */
      kind: "all" | "property_type" | "price_band" | "type_and_band" | "confidence" | "tract_income" | "neighborhood" | "zip" | "market_price";
      segment: string;
      sample_size: number;
      median_error_rate: number;
      within_5_percent: number;
      within_10_percent: number;
      within_20_percent: number;
      median_ratio: number;
      cod: number;
      prd: number;
      prb: number;
      hit_rate: number;
      /** Share that earned `medium` or `high` confidence. */
      share_above_low: number;
      interval_coverage: Record<string, number>;
    }>;
    quarters: Array<{
      quarter: string;
      sample_size: number;
      median_error_rate: number;
      median_ratio: number;
      /** Prices inside the 80% interval. */
      interval_coverage: number;
    }>;
  };
  data_integrity: {
    /** Sales of the market about whose price an operator, not a rule, has decided. */
    operator_verdicts: number;
    /** Sealed runs of the standing sample. */
    sample_seals: number;
    /** Every seal still follows from the stored values and the seal before it. */
    seals_intact: boolean;
    last_sealed_at: string | null;
  };
  conflicts: {
    models_published: number;
    /** Refused because they did worse than the model in service or than a linear baseline. */
    models_refused: number;
    /** Published by an operator although the test would have refused them. */
    models_forced: number;
    /** Why the serving model was released. */
    decision: string;
    controls: string[];
  };
  /** Values stored before a sale, compared with the sale. */
  random_sample: {
    /** Homes in the latest run. */
    homes: number;
    runs: number;
    first_sampled_on: string | null;
    last_sampled_on: string | null;
    /** Later sales of sampled homes. */
    sales: number;
    method: string;
    groups: Array<{
      kind: "all" | "age" | "confidence";
      group: string;
      sample_size: number;
      /** Too few sales: the figures are null. */
      withheld: boolean;
      median_error_rate: number | null;
      within_10_percent: number | null;
      within_20_percent: number | null;
      median_ratio: number | null;
      /** Prices inside the stored 80% interval. */
      interval_coverage: number | null;
    }>;
  };
  rents?: RentAccuracy | null;
  outlooks?: OutlookAccuracy | null;
  benchmark?: IndexBenchmark | null;
  lending?: LendingBenchmark | null;
  nondiscrimination: {
    model_reads_demographics: false;
    status: "measured" | "not_measured";
    tested_sales: number;
    sales_with_tract: number;
    /** Missing where fewer than 20 sales were tested. */
    vertical_equity?: {
      /** Vertical equity indicator: median ratio of the most expensive group minus that of the cheapest, in percent of the median ratio. Below 0, expensive homes are valued too low. */
      vei: number;
      /** From the ends of the two groups’ intervals, like `high`. */
      low: number;
      high: number;
      groups: Array<{
        sample_size: number;
        /** In dollars: half price, half value. */
        value_from: number;
        value_to: number;
        median_ratio: number;
        /** The 90% confidence interval of the median. */
        low: number;
        high: number;
      }>;
    };
    figures: Array<{
      figure: "income" | "white_share" | "black_share" | "asian_share" | "hispanic_share" | "minority_rank";
      name: string;
      /** What a slope is per. */
      unit: string;
      status: "measured" | "too_few" | "not_loaded";
      /** Last year of the newest survey that the figure is from; null where none is loaded. */
      vintage?: number | null;
      tracts: number;
      sales: number;
      /** Thirds of the tested sales by the figure of their tract. */
      groups: Array<{
        group: "lowest_third" | "middle_third" | "highest_third";
        from: number;
        to: number;
        tracts: number;
        sample_size: number;
        /** Share of the sales that could be valued. */
        hit_rate: number;
        /** A figure with its 95% confidence band. */
        median_error_rate: {
          value: number;
          low: number;
          high: number;
        };
        /** A figure with its 95% confidence band. */
        median_ratio: {
          value: number;
          low: number;
          high: number;
        };
        /** A figure with its 95% confidence band. */
        interval_coverage: {
          value: number;
          low: number;
          high: number;
        };
      }>;
      /** Highest third minus lowest third. */
      difference: {
        /** A figure with its 95% confidence band. */
        median_error_rate: {
          value: number;
          low: number;
          high: number;
        };
        /** A figure with its 95% confidence band. */
        median_ratio: {
          value: number;
          low: number;
          high: number;
        };
        /** A figure with its 95% confidence band. */
        interval_coverage: {
          value: number;
          low: number;
          high: number;
        };
      } | null;
      tests: Array<{
        outcome: "bias" | "error" | "coverage";
        /** Change of the outcome per `unit` of the figure. */
        slope: number;
        low: number;
        high: number;
        /** How often a slope as steep comes about when figures are dealt to the tracts at random. */
        p_value: number;
        /** The same, corrected for the number of tests in this report (Holm). */
        adjusted_p_value: number;
      }>;
    }>;
    /** What the data cannot say. */
    limits: string[];
  };
  /** The caller’s own receipts. */
  receipts: {
    anchored: number;
    /** Entries of the account’s audit log that hold the root of receipts. */
    anchors: number;
    last_anchored_at: string | null;
    audit_log: "intact" | "broken" | "not_checked";
    audit_log_checked_at: string | null;
  };
}

export interface Batch {
  object: "batch";
  id: string;
  type: "enrich";
  mode: "live" | "test";
  status: "queued" | "running" | "completed" | "failed" | "canceled" | "expired";
  include: Array<"property" | "risk" | "valuation">;
  counts: {
    total: number;
    succeeded: number;
    failed: number;
  };
  progress: {
    percent: number;
    /** `null` until the first items are finished. */
    eta_seconds: number | null;
  };
  /** Calls counted so far. A resolved item is one standard call; a valuation is one AVM call. */
  usage: {
    standard: number;
    avm: number;
  };
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  results_expire_at: string | null;
  results_url: string;
}

/** One property, by exactly one of: `address`; `street` with `city`, `state` and `zip`; `property_id`; `apn` with `fips`; `latitude` and `longitude`. */
export interface BatchItem {
  /** Your own id, unique within the batch. Defaults to the position, starting at 0. */
  custom_id?: string;
  /** Street address on one line, or its street with `city`, `state` and `zip`. */
  address?: string;
  /** Instead of `address`: house number and street. */
  street?: string;
  unit?: string;
  city?: string;
  state?: string;
  /** Leading zeros that a spreadsheet dropped are put back. */
  zip?: string;
  /** `prop_…` or `fips:apn`. */
  property_id?: string;
  /** Parcel number; requires `fips`, or `county` and `state`. */
  apn?: string;
  /** County FIPS code. */
  fips?: string;
  /** County name. */
  county?: string;
  /** Finds the parcel nearest to the point, within 60 m. */
  latitude?: number;
  longitude?: number;
  /** Your own values, returned with the result as they are. */
  metadata?: Record<string, string>;
}

/** The error that a single call would have returned. */
export interface BatchItemError {
  /** Stable: branch on this. */
  code: "invalid_json" | "invalid_request" | "unknown_parameter" | "invalid_cursor" | "cursor_mismatch" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "invalid_credentials" | "two_factor_required" | "not_signed_in" | "quota_exhausted" | "trial_expired" | "spend_cap_reached" | "payment_required" | "card_declined" | "https_required" | "insufficient_scope" | "key_exceeds_caller" | "ip_not_allowed" | "insufficient_role" | "password_required" | "sso_required" | "origin_not_allowed" | "trial_unavailable" | "plan_feature_unavailable" | "property_not_found" | "resource_not_found" | "route_not_found" | "method_not_allowed" | "request_timeout" | "invalid_state" | "idempotency_in_progress" | "answer_not_kept" | "property_superseded" | "invalid_link" | "cursor_expired" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "headers_too_large" | "address_not_resolved" | "address_ambiguous" | "locator_conflict" | "insufficient_data" | "out_of_coverage" | "unsupported_property_type" | "as_of_out_of_range" | "batch_too_large" | "geometry_invalid" | "geometry_too_large" | "area_too_large" | "idempotency_mismatch" | "rate_limited" | "internal_error" | "unavailable" | "overloaded" | "storage_full" | "timeout";
  title: string;
  status: number;
  /** What happened and what to do next. */
  detail: string;
  /** Which cause of the code it was, e.g. `no_coordinates` of `insufficient_data`. */
  reason?: string;
  candidates?: Array<{
    property_id: string;
    address: string | null;
    apn?: string;
    unit?: string | null;
  }>;
  suggestions?: unknown[];
  successors?: string[];
  /** The covered place closest, by ZIP, to an address outside coverage. */
  nearest_covered?: {
    city: string | null;
    state: string;
    zip: string;
  };
}

export interface BatchPage {
  object: "list";
  data: Batch[];
  pagination: Pagination;
}

export interface BatchResult {
  object: "batch_result";
  /** Position in the input, starting at 0. */
  index: number;
  custom_id: string;
  status: "succeeded" | "failed" | "canceled" | "expired";
  /** The item’s `metadata`, or the further columns of its row. */
  metadata?: Record<string, string>;
  /** The address, id, parcel number or point that was sent. */
  input: string;
  property_id: string | null;
  match?: {
    address: string | null;
    match_quality: string | null;
    match_score: number | null;
  } | null;
  /** The property record. */
  property?: unknown;
  /** The risk report. */
  risk?: unknown;
  /** The valuation, or null if there is none. */
  valuation?: unknown;
  valuation_error?: BatchItemError;
  error: BatchItemError | null;
}

export interface BatchResultPage {
  object: "list";
  data: BatchResult[];
  pagination: Pagination;
}

export interface BatchWithResults {
  object: "batch";
  id: string;
  type: "enrich";
  mode: "live" | "test";
  status: "queued" | "running" | "completed" | "failed" | "canceled" | "expired";
  include: Array<"property" | "risk" | "valuation">;
  counts: {
    total: number;
    succeeded: number;
    failed: number;
  };
  progress: {
    percent: number;
    /** `null` until the first items are finished. */
    eta_seconds: number | null;
  };
  /** Calls counted so far. A resolved item is one standard call; a valuation is one AVM call. */
  usage: {
    standard: number;
    avm: number;
  };
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  results_expire_at: string | null;
  results_url: string;
  /** Present if `wait` was given and the batch finished with at most 100 items. */
  results?: BatchResult[];
}

export interface BillTo {
  name: string;
  /** Street, city and postal code, as they are to be printed. */
  lines: string[];
  /** ISO 3166-1, two letters. */
  country: string;
  /** ISO 3166-2: WA for US-WA. */
  region: string | null;
  tax_id: string | null;
}

export interface Branding {
  object: "branding";
  name: string | null;
  /** As a data URL. */
  logo: string | null;
  updated_at: string | null;
}

/** Demographics of the census tract. */
export interface CensusLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  tract_geoid: string | null;
  block_group_geoid: string | null;
  vintage: number | null;
  population: number | null;
  median_household_income: number | null;
  per_capita_income: number | null;
  median_home_value: number | null;
  /** Fraction from 0 to 1. */
  owner_occupied_rate: number | null;
  /** Fraction from 0 to 1. */
  vacancy_rate: number | null;
  /** Fraction from 0 to 1. */
  poverty_rate: number | null;
  /** Fraction from 0 to 1. */
  unemployment_rate: number | null;
  housing_units: number | null;
  /** Fraction from 0 to 1. */
  internet_rate: number | null;
}

export interface Change {
  object: "change";
  id: string;
  property_id: string;
  type: string;
  op: "insert" | "update" | "retire";
  changed_fields: string[];
  before: unknown;
  after: unknown;
  occurred_at: string;
}

export interface ChangePage {
  object: "list";
  data: Change[];
  pagination: Pagination;
}

export interface CloudEvent {
  specversion: "1.0";
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: "application/json";
  data: FeedChange;
}

export interface CodeViolation {
  case_number: string | null;
  code_section: string | null;
  description: string | null;
  status: "open" | "closed" | "unknown";
  opened_date: string | null;
  closed_date: string | null;
}

/** Building and housing code violations. */
export interface CodeViolationLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  /** Known to be open; null where none is and the status of some is not known. */
  open_count: number | null;
  /** Records whose publisher does not say if they are open. */
  status_unknown: number | null;
  items: CodeViolation[];
}

export interface Comparable {
  property_id: string;
  address: string | null;
  latitude?: number | null;
  longitude?: number | null;
  sale_price: number;
  sale_date: string;
  distance_miles: number;
  similarity: number;
  /** Share of the indicated value. The weights sum to 1. */
  weight: number;
  sqft: number | null;
  bedrooms: number | null;
  bathrooms: number | null;
  lot_sqft: number | null;
  year_built: number | null;
  price_per_sqft: number | null;
  adjustments: Array<{
    feature: string;
    subject: string | null;
    comparable: string | null;
    /** Dollars added to the sale price for this difference. */
    amount: number;
  }>;
  /** `sale_price` plus all adjustments, to the dollar. */
  adjusted_price: number;
  /** Sum of the adjustments as a share of `sale_price`. */
  net_adjustment_rate: number;
  /** Sum of the adjustments without their signs as a share of `sale_price`. */
  gross_adjustment_rate: number;
  exceeds: Array<"same_property_type" | "max_distance_miles" | "max_age_days" | "max_area_difference">;
}

export interface ComparableLease {
  property_id: string;
  /** A month, as on the rent roll. */
  rent: number;
  leased_on: string;
  bedrooms: number | null;
  sqft: number | null;
  distance_miles: number;
}

export interface ComparablePage {
  object: "list";
  data: Comparable[];
  pagination: Pagination;
}

/** The rules hold wherever five sales meet them. Where not, `applied` has what they were widened to. */
export interface ComparablesBasis {
  rules: {
    same_property_type: boolean;
    max_distance_miles: number;
    /** Days from the sale to the day of the valuation. */
    max_age_days: number;
    /** Of the living area, as a share. Null: any difference. */
    max_area_difference: number | null;
  };
  applied: {
    same_property_type: boolean;
    max_distance_miles: number;
    /** Days from the sale to the day of the valuation. */
    max_age_days: number;
    /** Of the living area, as a share. Null: any difference. */
    max_area_difference: number | null;
  };
  widened: Array<"same_property_type" | "max_distance_miles" | "max_age_days" | "max_area_difference">;
}

export interface CountyFields {
  object: "county_fields";
  fips: string;
  county: string;
  state: string;
  market: string;
  property_count: number;
  /** Every field of the dictionary, those that nobody states with 0. */
  fields: Array<{
    /** The member of a property, as in `structure.year_built`. */
    field: string;
    description: string;
    /** Of the properties, how many state it. */
    share: number;
    stated_count: number;
    /** Where most of them have it from; `GET /coverage` describes it. */
    source: string | null;
    license: string | null;
    /** The newest day that its source covers, or on which it was published. */
    newest_on: string | null;
  }>;
}

export interface CountyFieldsPage {
  object: "list";
  data: CountyFields[];
  pagination: Pagination;
}

export interface Coverage {
  object: "coverage";
  property_count: number;
  data: CoverageItem[];
}

export interface CoverageChange {
  /** First day of the period with the change. */
  on: string;
  kind: "began" | "ended";
  /** Of the usual sales of the area. */
  share: number;
  /** Ids of sources whose records of sales begin or end about then. */
  sources: string[];
}

export interface CoverageItem {
  market: string;
  fips: string;
  layer: string;
  record_count: number;
  covers_from: string | null;
  covers_to: string | null;
  published_on: string | null;
  documents: TiedDocuments | null;
  loaded_at: string;
  /** When we last had what the publisher had: a load, or a look that found nothing new. */
  checked_at: string | null;
  /** When we look again; null where nothing new is expected. */
  next_check_at: string | null;
  /** Two new editions should have come out since `checked_at`. */
  is_stale: boolean;
  source: {
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
    cadence: string | null;
  };
  /** What the examination of the load noticed. Empty where nothing was found, null for a layer that is not examined. */
  findings: FindingSummary[] | null;
}

export interface DailyUsage {
  object: "daily_usage";
  day: string;
  standard: number;
  avm: number;
  by_key: Array<{
    key_id: string | null;
    standard: number;
    avm: number;
  }>;
  by_route: Array<{
    route: string;
    standard: number;
    avm: number;
  }>;
}

export interface DailyUsagePage {
  object: "list";
  data: DailyUsage[];
  pagination: Pagination;
}

/** Something that is not known, was filled in or is not current. */
export interface DataGap {
  part: "property" | "value" | "title" | "risk" | "market" | "loan" | "rent";
  kind: "missing" | "filled_in" | "stale" | "withheld" | "unavailable" | "uncertain";
  code: string;
  detail: string;
}

/** A sale of the same home in the twelve months before. */
export interface EarlierSale {
  date: string;
  price: number;
  change: number;
}

/** The stored value less the estimated balance of the open loans. The ends join the 80% interval of the value with what is not known of the balance: from a fifteen-year loan to one of which nothing was repaid. */
export interface Equity {
  /** Mortgages on record without a release; 0 only where all are covered. */
  open_loans: number | null;
  /** Sum of the estimated balances. Not a payoff figure. */
  loan_balance: number | null;
  ltv: number | null;
  ltv_low: number | null;
  ltv_high: number | null;
  equity: number | null;
  equity_low: number | null;
  equity_high: number | null;
  /** true only where mortgages, liens and tax liens are covered and none is open. */
  free_and_clear: boolean | null;
  /** Why there is no figure. */
  reason: "not_valued" | "mortgages_not_covered" | "mortgages_partly_covered" | "balance_not_known" | null;
}

export interface Error {
  object: "error";
  /** The page about this error. */
  type: string;
  title: string;
  status: number;
  /** Stable: branch on this. */
  code: "invalid_json" | "invalid_request" | "unknown_parameter" | "invalid_cursor" | "cursor_mismatch" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "invalid_credentials" | "two_factor_required" | "not_signed_in" | "quota_exhausted" | "trial_expired" | "spend_cap_reached" | "payment_required" | "card_declined" | "https_required" | "insufficient_scope" | "key_exceeds_caller" | "ip_not_allowed" | "insufficient_role" | "password_required" | "sso_required" | "origin_not_allowed" | "trial_unavailable" | "plan_feature_unavailable" | "property_not_found" | "resource_not_found" | "route_not_found" | "method_not_allowed" | "request_timeout" | "invalid_state" | "idempotency_in_progress" | "answer_not_kept" | "property_superseded" | "invalid_link" | "cursor_expired" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "headers_too_large" | "address_not_resolved" | "address_ambiguous" | "locator_conflict" | "insufficient_data" | "out_of_coverage" | "unsupported_property_type" | "as_of_out_of_range" | "batch_too_large" | "geometry_invalid" | "geometry_too_large" | "area_too_large" | "idempotency_mismatch" | "rate_limited" | "internal_error" | "unavailable" | "overloaded" | "storage_full" | "timeout";
  /** What happened and what to do next. */
  detail: string;
  instance: string;
  request_id: string;
  retryable: boolean;
  errors?: Array<{
    pointer: string;
    code: string;
    detail: string;
  }>;
  candidates?: Array<{
    property_id: string;
    address: string | null;
    apn?: string;
    unit?: string | null;
  }>;
  suggestions?: unknown[];
  successors?: string[];
  /** The covered place closest, by ZIP, to an address outside coverage. */
  nearest_covered?: {
    city: string | null;
    state: string;
    zip: string;
  };
  /** Which cause of the code it was, e.g. `no_coordinates` of `insufficient_data`. */
  reason?: string;
  /** The days that `as_of` can be. */
  as_of_range?: {
    from: string;
    to: string;
  };
  required_scope?: string;
  limit?: number;
}

/** How much of the variance is the level of the markets, the neighborhoods, and each home’s own. */
export interface ErrorShares {
  market: number;
  neighborhood: number;
  own: number;
}

export interface EstimateRequest {
  /** Exactly one locator, plus any attributes you know better than the record does. */
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    /** Living area in square feet. */
    sqft?: number;
    lot_sqft?: number;
    bedrooms?: number;
    bathrooms?: number;
    baths_full?: number;
    baths_half?: number;
    year_built?: number;
    effective_year_built?: number;
    property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
    stories?: number;
    units?: number;
    rooms?: number;
    garage_spaces?: number;
    condition?: string;
    quality?: string;
    style?: string;
    exterior?: string;
    zip?: string;
    city?: string;
    neighborhood?: string;
    census_tract?: string;
    /** Attributes that only some markets record, by name: `waterfront`, `view`, `sqft_basement` … */
    extras?: Record<string, number>;
  };
  options?: {
    /** Value the property using only what was known on this day. */
    as_of?: string;
    interval_level?: number;
    /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
    match?: "standard" | "strict";
    include?: Array<"comparables" | "explanation" | "history">;
    comparables?: {
      /** At most this many. */
      count?: number;
      max_distance_miles?: number;
      max_age_days?: number;
      exclude?: string[];
    };
    model_version?: string;
    /** Only resolve the property and report what the call would cost. */
    dry_run?: boolean;
  };
}

/** Level payments over thirty years at the average rate of the month of recording. Not a payoff figure. */
export interface EstimatedBalance {
  amount: number;
  as_of: string;
  /** Share per year: 0.0672 is 6.72%. */
  rate: number;
  /** The month whose average rate was used. */
  rate_month: string;
  /** 0 for the month of the loan; more where the series ends before it. */
  rate_months_old: number;
  rate_source: string;
  term_months: number;
  is_estimate: boolean;
}

export interface Event {
  object: "event";
  /** Same as the `webhook-id` header. */
  id: string;
  type: "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping";
  timestamp: string;
  /** Increases over time. Use it to order events. */
  sequence: number;
  mode: "live" | "test";
  /** See `EventData`. */
  data: Record<string, unknown>;
}

/** The `data` of an event, by its `type`. */
export interface EventData {
  'property.updated': PropertyChangeData;
  'property.sale_recorded': PropertyChangeData;
  'property.owner_changed': PropertyChangeData;
  'property.assessment_updated': PropertyChangeData;
  'property.permit_issued': PropertyChangeData;
  'property.violation_opened': PropertyChangeData;
  'property.violation_closed': PropertyChangeData;
  'property.tax_lien_recorded': PropertyChangeData;
  'property.tax_lien_released': PropertyChangeData;
  'property.flood_zone_changed': PropertyChangeData;
  'property.superseded': PropertyChangeData;
  'valuation.changed': PropertyChangeData;
  'watchlist.property_added': {
    watchlist_id: string;
    property_id: string;
    /** The change that caused it; absent where the filter was refreshed. */
    change_id?: string;
  };
  'watchlist.property_removed': {
    watchlist_id: string;
    property_id: string;
    /** The change that caused it; absent where the filter was refreshed. */
    change_id?: string;
  };
  'watchlist.value_changed': {
    watchlist_id: string;
    value_before: number;
    value_after: number;
    change_percent: number;
  };
  'loan.changed': {
    loan_id: string;
    property_id: string;
    reference: string | null;
    changes: Array<{
      code: "mortgage_released" | "senior_mortgage" | "junior_mortgage" | "lien_recorded" | "position_changed" | "tax_lien_recorded" | "tax_lien_ended" | "foreclosure_notice" | "foreclosure_ended" | "title_transferred" | "violation_opened" | "permit_issued" | "flood_zone_changed" | "ltv_above" | "ltv_back_below";
      detail: string;
    }>;
    ltv: number | null;
  };
  'batch.completed': {
    batch_id: string;
    counts: {
      total: number;
      succeeded: number;
      failed: number;
    };
  };
  'batch.failed': {
    batch_id: string;
    reason: "expired";
    counts: {
      total: number;
      succeeded: number;
      failed: number;
    };
  };
  'export.delivered': {
    export_id: string;
    run_id: string;
    dataset: string;
    row_count: number;
    manifest: string | null;
  };
  'export.failed': {
    export_id: string;
    run_id: string;
    reason: string;
  };
  'usage.threshold_reached': {
    meter: "standard" | "avm";
    used: number;
    included: number;
    period_start: string;
    percent: number;
  };
  'usage.quota_exhausted': {
    meter: "standard" | "avm";
    used: number;
    included: number;
    period_start: string;
  };
  'api_key.rotated': {
    key_id: string;
    successor_id: string;
    old_key_expires_at: string;
  };
  'api_key.expiring': {
    key_id: string;
    name: string;
    expires_at: string;
  };
  'invoice.finalized': {
    invoice_id: string;
    number: string;
    total_cents: number;
  };
  'receipts.anchored': {
    account_id: string;
    anchored_at: string;
    receipts: number;
    root: string;
    audit_sequence: number;
    /** Ed25519 over the first four members, in base64; the key is /receipt-key.pem. */
    signature: string;
  };
  'model.released': {
    model_version: string;
    market: string;
    trained_on: string;
  };
  'webhook.failing': {
    webhook_id: string;
    url: string;
    warning: number;
    failing_since: string;
    disabled_from: string;
  };
  'webhook.disabled': {
    webhook_id: string;
    url: string;
    reason: "failing" | "gone";
  };
  ping: {
    message: string;
  };
}

export interface EventPage {
  object: "list";
  data: Event[];
  pagination: Pagination;
}

export interface Export {
  object: "export";
  id: string;
  mode: "live" | "test";
  name: string;
  dataset: "properties" | "transactions" | "valuations" | "risk" | "changes";
  format: "parquet" | "ndjson" | "csv";
  /** `delta`: a full first run, then only what changed since the previous run. */
  kind: "full" | "delta";
  filter: Record<string, unknown> | null;
  destination: ExportDestination;
  schedule: "once" | "hourly" | "daily" | "weekly";
  is_paused: boolean;
  next_run_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface ExportDestination {
  /** `folder`: download the files through the API. `s3`: your own S3-compatible bucket. */
  type: "folder" | "s3";
  bucket?: string;
  prefix?: string;
  region?: string;
  /** S3 endpoint URL, for storage other than AWS. */
  endpoint?: string;
}

/** The same filters as a property search. */
export interface ExportFilter {
  state?: string[] | string;
  market?: string[] | string;
  fips?: string[] | string;
  city?: string[] | string;
  zip?: string[] | string;
  census_tract?: string[] | string;
  /** Center of a circle; requires longitude and radius_miles. */
  latitude?: number;
  /** Center of a circle. */
  longitude?: number;
  /** Radius of the circle. */
  radius_miles?: number;
  /** minLng,minLat,maxLng,maxLat */
  bbox?: string;
  property_type?: string[] | string;
  /** Minimum value. */
  min_value?: number;
  /** Maximum value. */
  max_value?: number;
  /** Minimum sqft. */
  min_sqft?: number;
  /** Maximum sqft. */
  max_sqft?: number;
  /** Minimum lot_sqft. */
  min_lot_sqft?: number;
  /** Maximum lot_sqft. */
  max_lot_sqft?: number;
  /** Minimum bedrooms. */
  min_bedrooms?: number;
  /** Maximum bedrooms. */
  max_bedrooms?: number;
  /** Minimum bathrooms. */
  min_bathrooms?: number;
  /** Maximum bathrooms. */
  max_bathrooms?: number;
  /** Minimum year_built. */
  min_year_built?: number;
  /** Maximum year_built. */
  max_year_built?: number;
  /** Minimum units. */
  min_units?: number;
  /** Maximum units. */
  max_units?: number;
  /** Minimum assessed_value. */
  min_assessed_value?: number;
  /** Maximum assessed_value. */
  max_assessed_value?: number;
  /** Minimum last_sale_price. */
  min_last_sale_price?: number;
  /** Maximum last_sale_price. */
  max_last_sale_price?: number;
  /** Minimum last_sale_date. */
  min_last_sale_date?: string;
  /** Maximum last_sale_date. */
  max_last_sale_date?: string;
  /** Minimum estimated value per square foot. */
  min_value_per_sqft?: number;
  /** Maximum estimated value per square foot. */
  max_value_per_sqft?: number;
  /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  min_growth?: number;
  /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  max_growth?: number;
  /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
  min_uncertainty?: number;
  /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
  max_uncertainty?: number;
  /** Minimum owned_since. */
  min_owned_since?: string;
  /** Maximum owned_since. */
  max_owned_since?: string;
  /** Minimum open_loans. */
  min_open_loans?: number;
  /** Maximum open_loans. */
  max_open_loans?: number;
  /** Minimum estimated equity in dollars. */
  min_equity?: number;
  /** Maximum estimated equity in dollars. */
  max_equity?: number;
  /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
  min_ltv?: number;
  /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
  max_ltv?: number;
  /** Whether the owner lives at the property. Requires the scope `owners:read`. */
  owner_occupied?: boolean;
  /** Type of owner. Requires the scope `owners:read`. */
  owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
  /** Inside a special flood hazard area. */
  flood_sfha?: boolean;
  /** Inside a designated opportunity zone. */
  opportunity_zone?: boolean;
  /** With at least one open tax lien. */
  has_open_tax_lien?: boolean;
  /** With at least one open code violation. */
  has_open_violation?: boolean;
  /** With a permit issued on or after this date. */
  permit_since?: string;
  occupancy?: string[] | string;
  vesting?: string[] | string;
  /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
  free_and_clear?: boolean;
  foreclosure_stage?: string[] | string;
  tax_delinquency?: string[] | string;
  layer?: string[] | string;
  geometry?: Geometry;
}

export interface ExportPage {
  object: "list";
  data: Export[];
  pagination: Pagination;
}

export interface ExportPatch {
  name?: string;
  schedule?: "once" | "hourly" | "daily" | "weekly";
  is_paused?: boolean;
}

export interface ExportRun {
  object: "export_run";
  id: string;
  export_id: string;
  status: "queued" | "running" | "delivered" | "failed";
  kind: "full" | "delta";
  attempt_count: number;
  row_count: number;
  byte_count: number;
  file_count: number;
  /** Key of the manifest, which is written last. */
  manifest: string | null;
  error: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface ExportRunPage {
  object: "list";
  data: ExportRun[];
  pagination: Pagination;
}

export interface ExportWithRun {
  object: "export";
  id: string;
  mode: "live" | "test";
  name: string;
  dataset: "properties" | "transactions" | "valuations" | "risk" | "changes";
  format: "parquet" | "ndjson" | "csv";
  /** `delta`: a full first run, then only what changed since the previous run. */
  kind: "full" | "delta";
  filter: Record<string, unknown> | null;
  destination: ExportDestination;
  schedule: "once" | "hourly" | "daily" | "weekly";
  is_paused: boolean;
  next_run_at: string | null;
  created_at: string;
  updated_at: string;
  run: ExportRun;
}

export interface FeedChange {
  object: "change";
  id: string;
  property_id: string;
  type: string;
  op: "insert" | "update" | "retire";
  changed_fields: string[];
  before: unknown;
  after: unknown;
  occurred_at: string;
  market: string;
}

export interface FeedPage {
  object: "list";
  data: FeedChange[];
  pagination: Pagination;
}

export interface FieldProvenance {
  source: string;
  known_on: string | null;
  /** Values that were not chosen. */
  others: Array<{
    source: string;
    value: unknown;
  }>;
}

export interface FindingSummary {
  /** The check, and the field it is about: `filled-less:year_built`. */
  id: string;
  /** A `stop` ends the load unless an operator accepts it. */
  severity: "stop" | "warn";
  title: string;
  count: number;
  /** Out of so many. */
  total: number;
  /** Its probable cause. */
  cause: string;
}

/** FEMA flood hazard at the property’s point. */
export interface FloodLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  zone: string | null;
  zone_subtype: string | null;
  /** Special flood hazard area. */
  sfha: boolean | null;
  base_flood_elevation_ft: number | null;
  firm_panel: string | null;
  effective_date: string | null;
  zones: FloodZone[];
}

export interface FloodZone {
  zone: string;
  zone_subtype: string | null;
  sfha: boolean;
}

/** A GeoJSON Polygon or MultiPolygon with at most 1000 vertices. */
export interface Geometry {
  type: "Polygon" | "MultiPolygon";
  coordinates: unknown[];
}

export interface GrowthBase {
  years: number;
  /** Sales in the period that growth over these years starts from. */
  n: number;
  /** Those of them whose living area is known. */
  n_with_sqft: number;
  /** The two periods cover different places or types of homes: growth is that of what both cover, or withheld. */
  coverage_changed: {
    /** Share of the usual sales then that is no longer on record. */
    lost: number;
    gained: number;
    /** Sales of what both periods cover; null where they are too few. */
    common: {
      /** In this period. */
      n: number;
      /** In the earlier one. */
      base_n: number;
    } | null;
  } | null;
}

export interface HourUsage {
  limit: number;
  used: number;
  remaining: number;
}

export interface Identifiers {
  /** Parcel number as the county writes it. */
  apn: string;
  apn_unformatted: string;
  /** County FIPS code. */
  fips: string;
  county: string | null;
  state: string;
  market: string;
}

export interface IndexBenchmark {
  publisher: string;
  /** Whose index it is compared with. */
  place: string;
  from_year: number;
  to_year: number;
  /** Of FHFA’s annual index, a year; 0.05 is 5%. */
  growth: number;
  /** Of our index over the same years. */
  own_growth: number;
  /** Ours minus theirs, a year. */
  difference: number;
  /** A larger difference, up or down, is a warning. */
  bound: number;
  is_beyond: boolean;
  explanation: string;
}

export interface Invoice {
  object: "invoice";
  id: string;
  number: string;
  kind: "start" | "renewal" | "upgrade" | "final" | "correction";
  status: "open" | "paid" | "void" | "uncollectible";
  currency: "usd";
  period_start: string;
  period_end: string;
  issued_at: string;
  due_at: string;
  paid_at: string | null;
  next_attempt_at: string | null;
  lines: InvoiceLine[];
  /** Before tax and credit. */
  subtotal_cents: number;
  /** Integer cents of US dollars. */
  tax_cents: number;
  /** Integer cents of US dollars. */
  credit_cents: number;
  /** Integer cents of US dollars. */
  total_cents: number;
  bill_to: BillTo | null;
  pdf_url: string;
}

export interface InvoiceLine {
  kind: "plan" | "overage" | "proration" | "credit" | "tax";
  meter: "standard" | "avm" | null;
  description: string;
  quantity: number;
  /** Integer cents of US dollars. */
  unit_cents: number;
  /** Integer cents of US dollars. */
  amount_cents: number;
  period_start: string;
  period_end: string;
}

export interface InvoicePage {
  object: "list";
  data: Invoice[];
  pagination: Pagination;
}

export interface KeyRotation {
  /** How long the old key keeps working. */
  overlap_hours?: number;
}

export interface LastSale {
  date: string;
  price: number | null;
  transaction_id: string | null;
}

export interface Layer {
  object: "layer";
  name: string;
  title: string;
  description: string;
  /** false: loaded by recipe. */
  is_built_in: boolean;
  /** How a home finds its value: by county, tract, ZIP, nearest site… */
  join: string | null;
  within_miles: number | null;
  headline: string | null;
  fields: LayerField[];
  /** How values read, and the colors of the map; the first that applies. */
  levels: LayerLevel[];
  stale_after_days: number | null;
}

export interface LayerField {
  name: string;
  type: string;
  label: string | null;
  unit: string | null;
  description: string | null;
  values: string[] | null;
  filter: string | null;
}

export interface LayerLevel {
  if: string;
  reads: "bad" | "fair" | "good";
  label: string | null;
}

export interface LayerPage {
  object: "list";
  data: Layer[];
  pagination: Pagination;
}

export interface LayerSource {
  id: string;
  name: string;
  url: string | null;
  licence: string;
  attribution: string;
  published_at: string | null;
  loaded_at: string;
  covers_from: string | null;
  covers_to: string | null;
}

export interface LendingBenchmark {
  /** Tracts with ten mortgages and ten valued homes or more. */
  tracts: number;
  /** Mortgages in them, as reported under the Home Mortgage Disclosure Act. */
  loans: number;
  /** Our median value over that of the mortgaged homes, at the middle of tracts. */
  ratio: number;
  p25: number;
  p75: number;
  explanation: string;
}

/** Parcels that this one was made from, and parcels that it became. */
export interface Lineage {
  predecessors: RelatedParcel[];
  successors: RelatedParcel[];
}

/** A layer that this server’s operator has loaded by recipe. Its own fields follow; the server’s `/openapi.json` and `GET /layers` name them. */
export interface LoadedLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  title: string;
  /** The finding in a sentence; null where nothing is known. */
  summary: string | null;
  /** How it reads; null where the layer does not judge. */
  level: "bad" | "fair" | "good" | null;
}

export interface Loan {
  object: "loan";
  id: string;
  mode: "live" | "test";
  property_id: string;
  reference: string | null;
  terms: LoanTerms;
  created_at: string;
  checked_at: string | null;
  condition: LoanCondition | null;
}

export interface LoanChange {
  code: "mortgage_released" | "senior_mortgage" | "junior_mortgage" | "lien_recorded" | "position_changed" | "tax_lien_recorded" | "tax_lien_ended" | "foreclosure_notice" | "foreclosure_ended" | "title_transferred" | "violation_opened" | "permit_issued" | "flood_zone_changed" | "ltv_above" | "ltv_back_below";
  detail: string;
}

export interface LoanChangePage {
  object: "list";
  data: LoanChanges[];
  pagination: Pagination;
}

export interface LoanChanges {
  object: "loan_change";
  known_at: string;
  changes: LoanChange[];
}

/** null: the records do not reach. */
export interface LoanCondition {
  /** The market’s day. */
  as_of: string;
  balance: number | null;
  /** scheduled: level payments at the stated or average rate. not_known: no rate is known for its month. */
  balance_basis: "stated" | "scheduled" | "not_known";
  value: number | null;
  value_low: number | null;
  valued_on: string | null;
  /** Balance divided by value, rounded up. */
  ltv: number | null;
  /** Against the low end of the value’s interval. */
  ltv_at_low: number | null;
  mortgage: LoanMortgage;
  /** Open mortgages recorded before yours; null: not known. */
  senior: LoanDebt[] | null;
  junior: LoanDebt[] | null;
  liens: LoanDebt[];
  open_tax_liens: number | null;
  /** A notice of foreclosure or lis pendens is on record and not ended. */
  foreclosure: boolean;
  last_deed: LoanDeed | null;
  open_violations: number | null;
  last_permit_on: string | null;
  flood_zone: string | null;
  flood_sfha: boolean | null;
}

export interface LoanDebt {
  transaction_id: string;
  instrument: string;
  recorded_on: string | null;
  amount: number | null;
}

export interface LoanDeed {
  transaction_id: string;
  recorded_on: string | null;
}

/** Ratios are rounded up to four decimals, and rules are tested on them as shown. */
export interface LoanFigures {
  amount: number;
  purpose: "purchase" | "refinance" | "home_equity" | "other" | null;
  purchase_price: number | null;
  /** The value and the low end of its interval, or the purchase price where that is lower. */
  lent_against: {
    value: number;
    low: number;
  };
  /** Loan over value: 0.8 is 80%. */
  ltv: number;
  /** Loan over the low end of the interval. */
  ltv_at_low: number;
  existing_mortgages: {
    treatment: "stay" | "paid_off";
    count: number | null;
    balance: number | null;
    basis: "estimated_from_title" | "stated_in_request" | "stated_below_record" | "none_open" | "paid_off" | "payoff_short" | "not_known";
    /** The estimated balance of the mortgages on record, if they are paid off or more than was stated. */
    payoff: number | null;
    /** By how much the loan, or the price of a purchase, falls short of the payoff: part of `balance`. Or a stated balance of what is owed. */
    shortfall: number | null;
  };
  /** The larger of what was stated and what is recorded; null if a recorded lien has no amount. */
  other_liens: number | null;
  total_debt: number | null;
  cltv: number | null;
  cltv_at_low: number | null;
  note: string;
}

export interface LoanMortgage {
  /** Of your mortgage: found by its document number, or by amount and date. */
  status: "open" | "released" | "not_on_record" | "not_covered";
  transaction_id: string | null;
  recorded_on: string | null;
  /** Among open mortgages by the day of recording; null: not known. */
  position: number | null;
}

export interface LoanPage {
  object: "list";
  data: Loan[];
  pagination: Pagination;
}

export interface LoanStatement {
  object: "loan_statement";
  loan_id: string;
  as_of: string;
  /** When this was first known; null: the loan was not registered yet. */
  known_at: string | null;
  condition: LoanCondition | null;
}

export interface LoanTerms {
  /** Principal at closing, in dollars. */
  amount: number;
  /** The day the loan was made. */
  closed_on: string;
  /** Per year: 0.0675. Default: the average of its month. */
  rate?: number;
  term_months?: number;
  /** What is owed, where you know it better than the schedule. */
  balance?: number;
  /** Of the recorded mortgage, or `book/page`. */
  document_number?: string;
  /** Tell when loan-to-value rises above or falls back below this. */
  max_ltv?: number;
}

export interface LookupResolution {
  method: "property_id" | "address" | "apn" | "coordinates";
  match_quality: "exact" | "standardized" | "corrected" | "unit_dropped" | "nearest_parcel";
  /** 1 for an exact match; lower with each difference. */
  match_score: number;
  matched_address: string | null;
  /** What differed from the record: suffix_missing, zip_differs, number_range … */
  flags: string[];
  /** Distance from the requested point. */
  distance_meters: number | null;
}

export interface Market {
  object: "market";
  id: string;
  name: string;
  state: string;
  description: string;
  counties: Array<{
    fips: string;
    name: string;
  }>;
  property_count: number;
  counts_by_type: Record<string, number>;
  /** Layers with at least one source. */
  layers: string[];
  /** Whether its records have coordinates. Homes of other markets are found by address or parcel number. */
  is_mapped: boolean;
  /** The day up to which sales are known; values rest on none after it. */
  sales_through: string | null;
}

/** Five years up to the day of the value: quarterly sales, `local` in the smallest area with enough of them (ZIP, city, county) and `market` in all of it, and the monthly price index of the smallest area that has one, with its forecast for twelve months (null where the value is as of a day that the index has passed). */
export interface MarketFigures {
  local: SalesSeries | null;
  market: SalesSeries | null;
  index: PriceIndex | null;
  forecast: PriceForecast | null;
  change_1y: {
    basis: "price_index" | "median_price";
    from: string;
    to: string;
    /** 0.04 is up 4%. */
    change: number;
    /** Lower end of the band of the index. */
    low: number | null;
    high: number | null;
    n_from: number;
    n_to: number;
  } | null;
  note: string;
}

export interface MarketPage {
  object: "list";
  data: Market[];
  pagination: Pagination;
}

/** An assignment or release, and what ties it to its mortgage. */
export interface MatchedDocument {
  transaction_id: string;
  instrument: "warranty_deed" | "special_warranty_deed" | "quitclaim_deed" | "trustee_deed" | "fiduciary_deed" | "foreclosure_deed" | "tax_deed" | "corrective_deed" | "transfer_on_death_deed" | "deed" | "mortgage" | "assignment" | "release" | "partial_release" | "lien" | "lien_release" | "foreclosure_notice" | "easement" | "death_or_probate" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recorded_on: string | null;
  recorded_in: string | null;
  lender: string | null;
  loan_amount: number | null;
  refers_to: string[];
  matched_by: Array<"reference" | "lender" | "borrower" | "amount" | "date">;
}

export interface MeterUsage {
  used: number;
  /** Held by batches and calls in progress. */
  reserved: number;
  /** Null means no monthly limit. */
  included: number | null;
  remaining: number | null;
  overage_units: number;
  /** Whole cents. */
  overage_cents: number;
}

export interface Model {
  object: "model";
  version: string;
  market: string;
  status: "current" | "earlier";
  trained_on: string;
  hash: string;
  sales: number;
  columns: string[];
  median_error_rate: number;
  created_at: string;
}

export interface ModelPage {
  object: "list";
  data: Model[];
  pagination: Pagination;
}

/** Whether no open mortgage on record means that there is none. */
export interface MortgageCoverage {
  /** covered: every mortgage the owner can have made is in the records. partial: there may be others than those listed. not_covered: no source of mortgages is loaded here. */
  status: "covered" | "partial" | "not_covered";
  from: string | null;
  to: string | null;
  documents: TiedDocuments | null;
  note: string;
}

export interface NewApiKey {
  name: string;
  /** Default: the mode of the key that asks. */
  mode?: "live" | "test";
  scopes?: Array<"avm:read" | "properties:read" | "owners:read" | "transactions:read" | "risk:read" | "tiles:read" | "batch:read" | "batch:write" | "webhooks:read" | "webhooks:write" | "watchlists:read" | "watchlists:write" | "usage:read" | "account:read" | "account:write" | "billing:read" | "keys:read" | "keys:write" | "audit:read" | "changes:read" | "exports:read" | "exports:write" | "reports:read" | "reports:write" | "shares:read" | "shares:write">;
  /** IPs or CIDR blocks; empty for any. */
  allowed_ips?: string[];
  expires_at?: string | null;
  /** A lower hourly limit than the plan’s. Keys that this key creates are counted under it. */
  rate_limit_per_hour?: number | null;
  /** The overage that this key, and the keys it creates, may cause in a month. */
  spend_cap_cents?: number | null;
}

export interface NewBatch {
  type?: "enrich";
  items: BatchItem[];
  /** What to return for each property. Defaults to `property`. */
  include?: Array<"property" | "risk" | "valuation">;
}

export interface NewBranding {
  name?: string | null;
  /** PNG or JPEG as base64, at most 200 kB and 1,000 pixels wide and high. Left out: stays as it is. */
  logo?: string | null;
}

export interface NewExport {
  name?: string;
  dataset: "properties" | "transactions" | "valuations" | "risk" | "changes";
  format?: "parquet" | "ndjson" | "csv";
  kind?: "full" | "delta";
  filter?: ExportFilter;
  destination: NewExportDestination;
  schedule?: "once" | "hourly" | "daily" | "weekly";
}

export interface NewExportDestination {
  /** `folder`: download the files through the API. `s3`: your own S3-compatible bucket. */
  type: "folder" | "s3";
  bucket?: string;
  prefix?: string;
  region?: string;
  /** S3 endpoint URL, for storage other than AWS. */
  endpoint?: string;
  /** Stored encrypted and never returned. */
  access_key_id?: string;
  secret_access_key?: string;
  session_token?: string;
}

export interface NewLoan {
  /** `county` and `state` may stand in for the `fips` of an `apn`. */
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    county?: string;
    state?: string;
  };
  /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
  match?: "standard" | "strict";
  /** Principal at closing, in dollars. */
  amount: number;
  /** The day the loan was made. */
  closed_on: string;
  /** Per year: 0.0675. Default: the average of its month. */
  rate?: number;
  term_months?: number;
  /** What is owed, where you know it better than the schedule. */
  balance?: number;
  /** Of the recorded mortgage, or `book/page`. */
  document_number?: string;
  /** Tell when loan-to-value rises above or falls back below this. */
  max_ltv?: number;
  /** Your own number; unique among your loans. */
  reference?: string;
}

export interface NewLoans {
  /** Each as in POST /loans. */
  items: unknown[];
}

export interface NewReportRules {
  rules: ReportRule[];
}

export interface NewShare {
  /** `prop_…`, or `fips:apn`. */
  property_id?: string;
  area?: {
    /** What the area is. */
    kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
    /** The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood. */
    area: string;
    /** Only needed where an area of this name lies in several markets. */
    market?: string;
  };
  /** Its value, exposure and changes. */
  watchlist_id?: string;
  /** The lender’s file as a PDF. */
  report_id?: string;
  expires_in_days?: number;
  /** Show the names of people, with the `owners:read` scope. */
  include_owners?: boolean;
}

/** Send either `property_ids` or `filter`. */
export interface NewWatchlist {
  name: string;
  property_ids?: string[];
  filter?: WatchlistFilter;
  events?: Array<"*" | "property.*" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed">;
  /** Percentage the value must move since the last `valuation.changed` event to send another. Defaults to 5. */
  valuation_change_percent?: number;
  /** Percentage the total value must move since it was last reported to send `watchlist.value_changed`. null: never. */
  total_change_percent?: number | null;
}

export interface NewWebhook {
  /** A public HTTPS URL on port 443 or 8443. */
  url: string;
  description?: string;
  /** Event kinds, groups such as `property.*`, or `*` for all. */
  events?: Array<"*" | "property.*" | "valuation.*" | "watchlist.*" | "loan.*" | "batch.*" | "export.*" | "usage.*" | "api_key.*" | "invoice.*" | "receipts.*" | "model.*" | "webhook.*" | "ping" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled">;
  /** `slack`: `text` and `blocks` for the URL of a Slack incoming webhook, instead of the event. */
  format?: "json" | "slack";
}

/** Known to be open. `0` only where every record is covered and known to be closed; `null` where none is known to be open but some may be, because the place is not or only partly covered or a status is not published. */
export interface OpenItems {
  /** Those on record; 0 only where `coverage.mortgages` is covered. */
  mortgages: number | null;
  original_amount: number | null;
  /** Sum of the estimates; null if one of the open loans has none, or mortgages are not fully covered. */
  estimated_balance: number | null;
  tax_liens: number | null;
  other_liens: number | null;
  permits: number | null;
  violations: number | null;
}

/** Qualified opportunity zones, designated on 2010 tracts. */
export interface OpportunityZoneLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  is_opportunity_zone: boolean | null;
  tract_geoid: string | null;
  tract_vintage: number | null;
  tract_type: string | null;
  designated_on: string | null;
  /** Designated in the second round, in effect from 2027 to 2036, by 2020 tract; null while that list or that tract is not loaded. */
  is_zone_from_2027: boolean | null;
}

export interface Outlook {
  object: "outlook";
  property_id: string | null;
  /** The receipt of the value: see `GET /avm/valuations/{id}`. */
  valuation_id: string;
  market: string;
  as_of: string;
  model_version: string;
  /** How often a price should lie between `low` and `high`, here and below. */
  level: number;
  value: number;
  low: number;
  high: number;
  confidence: "high" | "medium" | "low";
  /** The home as it is, in each of the next months. */
  forecast: {
    /** Why there is no forecast: the area has no index, or its last month is a year ago. */
    reason: "too_few_sales" | "not_homes" | "coverage_changed" | "index_ended" | null;
    area: {
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      id: string;
      name: string;
      market: string;
    } | null;
    /** The last month of the index of the area. */
    from: string | null;
    data: Array<{
      months: number;
      on: string;
      value: number;
      low: number;
      high: number;
      /** Since `as_of`, as the index of the area is forecast; 0.02 is 2%. */
      growth: number;
    }>;
  };
  /** What the model makes of the same home in another condition. */
  conditions: {
    /** `not_read`: the records of the market do not tell conditions, so the model does not know what they are worth. */
    reason: "not_read" | "too_few_sales" | null;
    on_record: string | null;
    /** From the worst on, each in which homes nearby were sold. */
    data: Array<{
      condition: string;
      /** Sales around the home in that condition, of those that the model looks at. */
      nearby_sales: number;
      value: number;
      low: number;
      high: number;
      /** From the value of the home as it is. */
      difference: number;
    }>;
  };
  after: {
    value: number;
    low: number;
    high: number;
    gain: number;
    cost: number | null;
    gain_after_cost: number | null;
    warnings: Array<{
      code: string;
      detail: string;
      field?: string;
    }>;
  } | null;
  /** Land and building, as the assessor divides them. It is no appraisal of the land. */
  land: {
    /** Why the value is not divided: no assessment divides, or too few nearby do to tell how far off that may be. */
    reason: "no_split_on_record" | "too_few_peers" | null;
    method: "assessor_share" | null;
    /** Of the assessment. */
    year: number | null;
    source: string | null;
    /** Land in the assessment of the home. */
    share: number | null;
    land: {
      value: number;
      low: number;
      high: number;
    } | null;
    improvements: {
      value: number;
      low: number;
      high: number;
    } | null;
    /** Homes of the type in the tract, or the ZIP code, whose assessments of the year divide. */
    peers: number;
    /** Four of five of them. */
    peer_share: {
      low: number;
      median: number;
      high: number;
    } | null;
  };
}

export interface OutlookAccuracy {
  /** The day of the values; only what was known by then is used. */
  as_of: string;
  /** Sales within a year after it, at most 2,000 of them. */
  sales: number;
  /** Of the forecast for the month of the sale. */
  median_error_rate: number;
  /** Of the value of the day, left as it was. */
  median_error_rate_unmoved: number;
  /** Share of prices inside the 80% interval of their month. */
  interval_coverage: number;
}

export interface OutlookRequest {
  /** Exactly one locator, plus any attributes you know better than the record does. */
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    /** Living area in square feet. */
    sqft?: number;
    lot_sqft?: number;
    bedrooms?: number;
    bathrooms?: number;
    baths_full?: number;
    baths_half?: number;
    year_built?: number;
    effective_year_built?: number;
    property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
    stories?: number;
    units?: number;
    rooms?: number;
    garage_spaces?: number;
    condition?: string;
    quality?: string;
    style?: string;
    exterior?: string;
    zip?: string;
    city?: string;
    neighborhood?: string;
    census_tract?: string;
    /** Attributes that only some markets record, by name: `waterfront`, `view`, `sqft_basement` … */
    extras?: Record<string, number>;
  };
  after?: {
    /** Living area in square feet. */
    sqft?: number;
    lot_sqft?: number;
    bedrooms?: number;
    bathrooms?: number;
    baths_full?: number;
    baths_half?: number;
    year_built?: number;
    effective_year_built?: number;
    property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
    stories?: number;
    units?: number;
    rooms?: number;
    garage_spaces?: number;
    condition?: string;
    quality?: string;
    style?: string;
    exterior?: string;
    zip?: string;
    city?: string;
    neighborhood?: string;
    census_tract?: string;
    /** Attributes that only some markets record, by name: `waterfront`, `view`, `sqft_basement` … */
    extras?: Record<string, number>;
    /** What the works cost, in dollars. */
    cost?: number;
  };
  options?: {
    interval_level?: number;
    /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
    match?: "standard" | "strict";
  };
}

export interface Owner {
  names: string[];
  type: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other" | null;
  owner_occupied: boolean | null;
  mailing_address: string | null;
  since: string | null;
  /** The owner asked not to be shown. */
  suppressed: boolean;
}

/** Owners whose mail goes to the same address, and on from them. A sign of one interest, not a proof of it. null: nobody else is tied to this owner. */
export interface OwnerGroup {
  property_count: number;
  valued_count: number;
  total: PortfolioTotal | null;
  exposure: {
    /** By state, market, city and ZIP; at most 50 of each, largest first. */
    areas: PortfolioArea[];
    property_types: PortfolioType[];
    risk: PortfolioRisk[];
  };
  owners: RelatedOwner[];
  /** Of the owner and of all related ones. */
  property_ids: string[];
  /** false: there are more than the first 200 owners or 5,000 parcels. */
  is_complete: boolean;
}

export interface OwnerPortfolio {
  object: "owner";
  id: string;
  name: string;
  kind: "person" | "organization";
  property_ids: string[];
  property_count: number;
  valued_count: number;
  total: PortfolioTotal | null;
  exposure: {
    /** By state, market, city and ZIP; at most 50 of each, largest first. */
    areas: PortfolioArea[];
    property_types: PortfolioType[];
    risk: PortfolioRisk[];
  };
  group: OwnerGroup | null;
}

export interface OwnerSearch {
  /** Of a person or an organization: words in any order, initials, with or without JR, LLC, TRUST and the like. */
  name?: string;
  /** Where the owner’s mail goes: a door or a PO box, best with its ZIP code. */
  mailing_address?: string;
  /** Default: all. `mailing_address` finds owners only. */
  role?: Array<"owner" | "grantee" | "grantor" | "borrower">;
  state?: string[] | string;
  market?: string[] | string;
  fips?: string[] | string;
  limit?: number;
}

export interface OwnerTie {
  reason: "mailing_address";
  /** Owners whose mail goes to that address. */
  shared_by: number;
  /** One divided by how many others share the address. */
  strength: number;
}

/** `owners` requires the `owners:read` scope. */
export interface Ownership {
  owners?: string[];
  since: string | null;
  years: number | null;
  transaction_id: string | null;
}

export interface Pagination {
  limit: number;
  has_more: boolean;
  /** Pass as `cursor` to get the next page. */
  next_cursor: string | null;
  /** Only with `include_total`. */
  total: number | null;
}

export interface Parcel {
  lot_sqft: number | null;
  lot_acres: number | null;
  zoning: string | null;
  land_use_code: string | null;
  land_use: string | null;
  legal_description: string | null;
  subdivision: string | null;
  neighborhood: string | null;
  census_tract: string | null;
}

/** The outline of the parcel as GeoJSON, in degrees. A unit has the outline of its lot. */
export interface ParcelGeometry {
  type: "Polygon" | "MultiPolygon";
  coordinates: unknown[];
}

export interface Party {
  object: "party";
  role: "owner" | "grantee" | "grantor" | "borrower";
  name: string;
  /** The same for one owner on all parcels of a county; null for parties who are not the owner now. */
  owner_id: string | null;
  property_id: string;
  property_address: string | null;
  fips: string;
  mailing_address: string | null;
  /** Of the document; for an owner, the day of taking title. */
  dated_on: string | null;
  transaction_id: string | null;
  /** exact: every word. initials: an initial stands for a word. spelling: one word is spelled otherwise. partial: a word that was asked for is not in the record, and nothing in the record speaks against it. */
  fit: "exact" | "initials" | "spelling" | "partial";
  score: number;
}

export interface PartyList {
  object: "list";
  /** Best fit first; others than exact ones only where nothing fits exactly. */
  data: Party[];
  /** false: more fit as well as these; name a county or a state. */
  is_complete: boolean;
}

export interface Permit {
  number: string | null;
  type: string | null;
  description: string | null;
  status: string | null;
  issue_date: string | null;
  final_date: string | null;
  job_value: number | null;
}

/** Building permits. */
export interface PermitLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  count: number | null;
  /** Null if the value of one of them is not known. */
  total_job_value: number | null;
  items: Permit[];
}

export interface Place {
  object: "place";
  kind: "zip" | "tract" | "city" | "county" | "market" | "neighborhood" | "state";
  /** Code or name, as statistics by area take it in `area`. */
  id: string;
  name: string;
  state: string | null;
  /** Markets that it lies in, the one with the most sales first. */
  markets: string[];
  /** Sales on record; null where they are not counted. */
  sales: number | null;
  /** The same place as search parameters; empty where search has none for it. */
  filter: {
    zip?: string;
    census_tract?: string;
    city?: string;
    state?: string;
    fips?: string;
    market?: string;
  };
}

export interface PlacePage {
  object: "list";
  data: Place[];
  pagination: Pagination;
}

export interface Plan {
  object: "plan";
  id: "trial" | "builder" | "pro" | "scale" | "enterprise";
  name: string;
  /** Null means priced by contract. */
  price_cents_per_month: number | null;
  /** Twelve months, less 20%. */
  price_cents_per_year: number | null;
  /** Null means no monthly limit. */
  included_calls: number | null;
  included_avm_calls: number | null;
  rate_limit_per_hour: number;
  /** Every limit of live calls, named as in the `RateLimit-Policy` header. */
  limits: Array<{
    name: string;
    amount: number;
    window_seconds: number;
  }>;
  /** Null means overage is not available. */
  overage_cents_per_call: number | null;
  /** Whole cents. */
  overage_cents_per_avm_call: number | null;
  batch_addresses: number;
  webhooks: number;
  uptime_percent: number | null;
  support: string;
  trial_days: number | null;
  change_feed_and_delivery: boolean;
}

export interface PlanPage {
  object: "list";
  data: Plan[];
  pagination: Pagination;
}

export interface Portfolio {
  object: "portfolio";
  watchlist_id: string;
  name: string;
  as_of: string;
  property_count: number;
  valued_count: number;
  total: PortfolioTotal | null;
  /** At most 100 of the properties without a stored value. */
  unvalued: Array<{
    property_id: string;
    reason: "not_valued" | "retired" | "not_visible";
  }>;
  exposure: {
    /** By state, market, city and ZIP; at most 50 of each, largest first. */
    areas: PortfolioArea[];
    property_types: PortfolioType[];
    risk: PortfolioRisk[];
  };
  since: PortfolioSince;
  alerts: PortfolioAlerts;
}

/** What the watchlist reports by itself, through events and webhooks. */
export interface PortfolioAlerts {
  total_change_percent: number | null;
  last_told_value: number | null;
  events: string[];
}

export interface PortfolioArea {
  kind: "state" | "market" | "city" | "zip";
  name: string;
  property_count: number;
  value: number;
  /** Of the total value. */
  share: number;
}

export interface PortfolioMover {
  property_id: string;
  value_then: number;
  value_now: number;
  change: number;
}

/** Properties in a flood hazard area or zone, with an open lien or violation, or where a layer loaded by recipe reads `bad`. */
export interface PortfolioRisk {
  layer: string;
  title: string;
  property_count: number;
  value: number;
  /** Of the total value. */
  share: number;
  /** Properties where no source covers the layer or it does not say what is open; not counted as free of it. */
  not_known_count: number;
}

export interface PortfolioSince {
  day: string;
  /** Of the properties that had a value then and have one now. */
  value_then: number | null;
  value_now: number | null;
  /** Share: 0.02 is up 2%. */
  change: number | null;
  changes: Array<{
    type: string;
    changes: number;
    properties: number;
  }>;
  largest_moves: PortfolioMover[];
}

export interface PortfolioTotal {
  /** Sum of the stored values. */
  value: number;
  low: number;
  high: number;
  interval_level: number;
  /** For comparison: the sum of each home’s low end, at 80%. */
  sum_of_lows: number;
  sum_of_highs: number;
  error_shares: ErrorShares;
  valued_from: string;
  valued_to: string;
}

export interface PortfolioType {
  property_type: string;
  property_count: number;
  value: number;
  /** Of the total value. */
  share: number;
}

export interface PriceForecast {
  object: "price_forecast";
  area: {
    kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
    id: string;
    name: string;
    market: string;
  };
  property_type: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  /** There is no forecast; `reason` says why. */
  withheld: boolean;
  /** `coverage_changed`: most of the area is on record for less than two years, or not up to the last month of its market. `too_few_sales`: fewer than 20 sales of such homes in the area, or too few in its market. `not_homes`: only homes are adjusted for quality. */
  reason: "too_few_sales" | "not_homes" | "coverage_changed" | null;
  /** The month that stands at 100. */
  base_period: string | null;
  /** The last month of the index, which is forecast from. */
  from: string | null;
  /** The index of that month. */
  index: number | null;
  /** How often the index comes to lie between `low` and `high`. */
  band: number;
  /** Sales of the area that its index rests on. */
  n: number;
  /** The last sale of the market on record. */
  last_sale_on: string | null;
  /** How the forecast is made, in words. */
  method: string;
  /** When the forecasts of the market were last brought up to date. */
  updated_at: string;
  coverage_changes: CoverageChange[];
  sources: Array<{
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
  /** Month by month. */
  data: PriceForecastPoint[];
}

export interface PriceForecastPoint {
  /** The month. */
  period: string;
  starts_on: string;
  ends_on: string;
  /** Expected index of the month; 100 in the base month. */
  index: number;
  /** Lower end of the band. */
  low: number;
  /** Upper end of the band. */
  high: number;
  /** Expected growth since the last month of the index; 0.02 is 2%. */
  growth: number;
  /** Lower end of the band. */
  growth_low: number;
  /** Upper end of the band. */
  growth_high: number;
}

export interface PriceIndex {
  object: "price_index";
  area: {
    kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
    id: string;
    name: string;
    market: string;
  };
  property_type: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  interval: "month" | "quarter" | "year";
  /** There is no index; `reason` says why. */
  withheld: boolean;
  /** `coverage_changed`: most of the area is on record for less than two years, or not up to the last month of its market. `too_few_sales`: fewer than 20 sales of such homes in the area, or too few in its market. `not_homes`: only homes are adjusted for quality. */
  reason: "too_few_sales" | "not_homes" | "coverage_changed" | null;
  /** The period that stands at 100. */
  base_period: string | null;
  /** How often the true level lies between `low` and `high`. */
  band: number;
  /** First day of the first period. */
  starts_on: string | null;
  /** Last day of the last period. */
  ends_on: string | null;
  /** Sales of the area in all periods returned. */
  n: number;
  /** How many of them are of homes with an earlier sale on record. */
  n_repeat: number;
  /** The last sale of the market on record. */
  last_sale_on: string | null;
  /** Over 1, 3 and 5 years up to the last month, where the index is as long. */
  growth: PriceIndexGrowth[];
  /** How prices of single homes depart from the index between two sales, by the time held: homes sold again soon have often been renovated. */
  resales: PriceIndexResales[];
  benchmark?: IndexBenchmark | null;
  /** How the index is made, in words. */
  method: string;
  /** When the indexes of the market were last brought up to date. */
  updated_at: string;
  /** Where parts of the area came on record or went off it. The index is of the last stretch with most of it. */
  coverage_changes: CoverageChange[];
  sources: Array<{
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
  data: PriceIndexPoint[];
}

export interface PriceIndexGrowth {
  years: number;
  /** First month of the span. */
  from: string;
  /** Last month of the span. */
  to: string;
  /** Growth over the whole span; 0.05 is 5%. */
  rate: number;
  /** Lower end of the band. */
  low: number;
  /** Upper end of the band. */
  high: number;
  /** The same as growth per year. */
  annual_rate: number;
}

export interface PriceIndexPoint {
  /** `2026-03`, `2026-Q1` or `2026`. */
  period: string;
  starts_on: string;
  ends_on: string;
  /** Price level of a home that stays the same; 100 in the base period. */
  index: number;
  /** Lower end of the band. */
  low: number;
  /** Upper end of the band. */
  high: number;
  /** Sales of the area in the period. The index also rests on those before, after and around. */
  n: number;
  /** How many of them are of homes with an earlier sale on record. */
  n_repeat: number;
  /** No later sale of the market is known yet. */
  is_open: boolean;
  /** The index of the period when it was first published after its end. */
  first_published: number | null;
  /** The index differs from the one first published. */
  is_revised: boolean;
}

export interface PriceIndexResales {
  /** Homes held for so many months or more. */
  held_months_from: number;
  /** And for fewer than so many; null for any more. */
  held_months_to: number | null;
  /** Resales of the market that this rests on. */
  n: number;
  /** What such a home gains above the index, in the middle; 0.03 is 3%. */
  gain: number;
  /** Lower end of the band of single resales. */
  low: number;
  /** Upper end of the band of single resales. */
  high: number;
}

export interface Property {
  object: "property";
  id: string;
  identifiers?: Identifiers;
  address?: Address;
  latitude?: number | null;
  longitude?: number | null;
  geo_precision?: string | null;
  property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  sqft?: number | null;
  bedrooms?: number | null;
  bathrooms?: number | null;
  parcel?: Parcel;
  structure?: Structure;
  owner?: Owner | null;
  assessments?: Assessment[];
  taxes?: Tax[];
  transactions?: Transaction[];
  last_sale?: LastSale | null;
  valuation?: StoredValuation | null;
  tenure?: Tenure;
  equity?: Equity;
  risk_summary?: RiskSummary;
  /** The risk report, with `include=risk`. */
  risk?: unknown;
  provenance?: Provenance;
  geometry?: ParcelGeometry | null;
  lineage?: Lineage;
  /** In searches around a point. */
  distance_miles?: number;
  status?: "active" | "retired";
  updated_at?: string;
}

export interface PropertyChangeData {
  watchlist_id: string;
  property_id: string;
  change_id: string;
  op: "insert" | "update" | "retire";
  changed_fields: string[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  /** The change is too large to send: `before` and `after` are null. Read the feed. */
  truncated?: true;
  occurred_at: string;
}

export interface PropertyCount {
  object: "count";
  count: number;
  /** false: rounded down; 0 then means fewer than 10. */
  is_exact: boolean;
  /** The ends of ranges that were moved to the edge of a band. */
  widened: string[];
}

/** A GeoJSON FeatureCollection. */
export type PropertyFeatureCollection = Record<string, unknown>;

export interface PropertyLookup {
  object: "property";
  id: string;
  identifiers?: Identifiers;
  address?: Address;
  latitude?: number | null;
  longitude?: number | null;
  geo_precision?: string | null;
  property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  sqft?: number | null;
  bedrooms?: number | null;
  bathrooms?: number | null;
  parcel?: Parcel;
  structure?: Structure;
  owner?: Owner | null;
  assessments?: Assessment[];
  taxes?: Tax[];
  transactions?: Transaction[];
  last_sale?: LastSale | null;
  valuation?: StoredValuation | null;
  tenure?: Tenure;
  equity?: Equity;
  risk_summary?: RiskSummary;
  /** The risk report, with `include=risk`. */
  risk?: unknown;
  provenance?: Provenance;
  geometry?: ParcelGeometry | null;
  lineage?: Lineage;
  /** In searches around a point. */
  distance_miles?: number;
  status?: "active" | "retired";
  updated_at?: string;
  resolution: LookupResolution;
}

export interface PropertyPage {
  object: "list";
  data: Property[];
  pagination: Pagination;
}

export interface PropertySearch {
  state?: string[] | string;
  market?: string[] | string;
  fips?: string[] | string;
  city?: string[] | string;
  zip?: string[] | string;
  census_tract?: string[] | string;
  /** Center of a circle; requires longitude and radius_miles. */
  latitude?: number;
  /** Center of a circle. */
  longitude?: number;
  /** Radius of the circle. */
  radius_miles?: number;
  /** minLng,minLat,maxLng,maxLat */
  bbox?: string;
  property_type?: string[] | string;
  /** Minimum value. */
  min_value?: number;
  /** Maximum value. */
  max_value?: number;
  /** Minimum sqft. */
  min_sqft?: number;
  /** Maximum sqft. */
  max_sqft?: number;
  /** Minimum lot_sqft. */
  min_lot_sqft?: number;
  /** Maximum lot_sqft. */
  max_lot_sqft?: number;
  /** Minimum bedrooms. */
  min_bedrooms?: number;
  /** Maximum bedrooms. */
  max_bedrooms?: number;
  /** Minimum bathrooms. */
  min_bathrooms?: number;
  /** Maximum bathrooms. */
  max_bathrooms?: number;
  /** Minimum year_built. */
  min_year_built?: number;
  /** Maximum year_built. */
  max_year_built?: number;
  /** Minimum units. */
  min_units?: number;
  /** Maximum units. */
  max_units?: number;
  /** Minimum assessed_value. */
  min_assessed_value?: number;
  /** Maximum assessed_value. */
  max_assessed_value?: number;
  /** Minimum last_sale_price. */
  min_last_sale_price?: number;
  /** Maximum last_sale_price. */
  max_last_sale_price?: number;
  /** Minimum last_sale_date. */
  min_last_sale_date?: string;
  /** Maximum last_sale_date. */
  max_last_sale_date?: string;
  /** Minimum estimated value per square foot. */
  min_value_per_sqft?: number;
  /** Maximum estimated value per square foot. */
  max_value_per_sqft?: number;
  /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  min_growth?: number;
  /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  max_growth?: number;
  /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
  min_uncertainty?: number;
  /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
  max_uncertainty?: number;
  /** Minimum owned_since. */
  min_owned_since?: string;
  /** Maximum owned_since. */
  max_owned_since?: string;
  /** Minimum open_loans. */
  min_open_loans?: number;
  /** Maximum open_loans. */
  max_open_loans?: number;
  /** Minimum estimated equity in dollars. */
  min_equity?: number;
  /** Maximum estimated equity in dollars. */
  max_equity?: number;
  /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
  min_ltv?: number;
  /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
  max_ltv?: number;
  /** Whether the owner lives at the property. Requires the scope `owners:read`. */
  owner_occupied?: boolean;
  /** Type of owner. Requires the scope `owners:read`. */
  owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
  /** Inside a special flood hazard area. */
  flood_sfha?: boolean;
  /** Inside a designated opportunity zone. */
  opportunity_zone?: boolean;
  /** With at least one open tax lien. */
  has_open_tax_lien?: boolean;
  /** With at least one open code violation. */
  has_open_violation?: boolean;
  /** With a permit issued on or after this date. */
  permit_since?: string;
  occupancy?: string[] | string;
  vesting?: string[] | string;
  /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
  free_and_clear?: boolean;
  foreclosure_stage?: string[] | string;
  tax_delinquency?: string[] | string;
  layer?: string[] | string;
  /** Changed at or after this instant or date; use it to keep a copy in sync. */
  updated_since?: string;
  geometry?: Geometry;
  /** Sort order; `-` for descending. Properties without the value come last. Default: by id. */
  sort?: "value" | "-value" | "sqft" | "-sqft" | "year_built" | "-year_built" | "last_sale_date" | "-last_sale_date" | "last_sale_price" | "-last_sale_price" | "updated_at" | "-updated_at" | "distance";
  /** Page size. */
  limit?: number;
  /** Where to continue: `next_cursor` from the previous page, with the same filters. */
  cursor?: string;
  /** Also return the total number of matches. */
  include_total?: boolean;
  /** Members to return. `object` and `id` are always returned. */
  fields?: string;
  /** Also return these. `owner` requires the `owners:read` scope. */
  include?: string;
  format?: "json" | "geojson" | "ndjson" | "csv";
}

export interface Provenance {
  default_source: string | null;
  loaded_at: string;
  fields: Record<string, FieldProvenance>;
  sources: Record<string, {
    name: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
}

export interface RankedArea {
  rank: number;
  area: Area;
  /** Residential homes of the area. */
  homes: number | null;
  /** Sales or homes behind the figure. */
  n: number;
  /** Of growth: sales in the period that it starts from. */
  base_n: number | null;
  /** The figure. */
  value: number;
}

export interface Ranking {
  object: "ranking";
  kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
  figure: "sales" | "median_price" | "median_price_per_sqft" | "price_growth_1y" | "price_growth_3y" | "price_growth_5y" | "price_per_sqft_growth_1y" | "price_per_sqft_growth_3y" | "price_per_sqft_growth_5y" | "dispersion" | "turnover" | "price_to_assessment" | "price_to_assessment_dispersion" | "resale_share" | "homes" | "median_value" | "median_year_built" | "median_sqft" | "tax_rate" | "owner_occupied_share" | "permit_share" | "open_violation_share" | "open_lien_share";
  order: "descending" | "ascending";
  property_type: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  /** Null for figures of the homes as they stand. */
  interval: "quarter" | "year" | null;
  /** Null for figures of the homes as they stand. */
  period: string | null;
  starts_on: string | null;
  ends_on: string | null;
  within: {
    markets: string[];
    county: string | null;
    state: string | null;
  };
  /** When the figures were last brought up to date; the earliest, of several markets. */
  updated_at: string;
  /** Areas ranked. */
  total: number;
  data: RankedArea[];
  /** Areas without the figure. */
  withheld_total: number;
  /** Areas without the figure, those with the most records first, up to 500. */
  withheld: Array<{
    area: Area;
    /** Sales or homes known. */
    n: number;
    /** Of growth: sales in the period that it starts from. */
    base_n: number | null;
    /** `few`: fewer than the figure needs; growth needs 20 sales in either period. `not_known`: no records to compute it from. `coverage_changed`: the two periods cover different places or types of homes. */
    reason: "few" | "not_known" | "coverage_changed";
  }>;
  pagination: Pagination;
  sources: Array<{
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
}

export interface ReceiptProof {
  object: "receipt_proof";
  id: string;
  /** `pending` until the next hour; `broken` where something was changed afterwards. */
  status: "anchored" | "pending" | "broken";
  flaw: "receipt_changed" | "anchor_changed" | "log_changed" | null;
  /** SHA-256 over a zero byte and the receipt’s JSON in canonical form (RFC 8785). */
  receipt_hash: string;
  anchor: {
    account_id: string;
    /** Root of the tree (RFC 6962) over the hashes of the receipts anchored together. */
    root: string;
    receipts: number;
    path: Array<{
      side: "left" | "right";
      /** Hash with it: SHA-256 over a one byte, left, right. */
      hash: string;
    }>;
    /** Entry of the account’s audit log that holds the root. */
    audit_sequence: number;
    /** Hash of that entry. */
    audit_hash: string | null;
    anchored_at: string;
    /** Ed25519 over the canonical JSON of `account_id`, `anchored_at`, `receipts` and `root`, as base64. Keep it: with the key at `/receipt-key.pem` it shows later that the root was this one. */
    signature: string;
  } | null;
}

export interface RecordDifference {
  field: string;
  stated: number;
  recorded: number;
}

export interface RecordSource {
  id: string;
  name: string;
  covers_from: string | null;
  covers_to: string | null;
  documents: TiedDocuments | null;
}

/** A document that neither conveys the property nor secures a loan on it. */
export interface RecordedDocument {
  transaction_id: string;
  instrument: "warranty_deed" | "special_warranty_deed" | "quitclaim_deed" | "trustee_deed" | "fiduciary_deed" | "foreclosure_deed" | "tax_deed" | "corrective_deed" | "transfer_on_death_deed" | "deed" | "mortgage" | "assignment" | "release" | "partial_release" | "lien" | "lien_release" | "foreclosure_notice" | "easement" | "death_or_probate" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recorded_on: string | null;
  recorded_in: string | null;
  refers_to: string[];
  source: string;
}

export interface Redelivery {
  /** Deliveries created at or after this time that have not arrived are sent again. */
  since: string;
  /** Only those created before this time. */
  until?: string;
}

export interface RedeliveryCount {
  object: "redelivery";
  webhook_id: string;
  delivery_count: number;
}

export interface RefusedLoan {
  code: string;
  detail: string;
}

export interface RegisteredLoan {
  index: number;
  /** Of the file. */
  line: number | null;
  loan_id: string | null;
  reference: string | null;
  error: RefusedLoan | null;
}

export interface RegisteredLoans {
  object: "registered_loans";
  registered: number;
  refused: number;
  /** Of a file: headings that are no part of a loan. */
  ignored_columns: string[];
  results: RegisteredLoan[];
}

export interface RelatedOwner {
  owner_id: string;
  name: string;
  kind: "person" | "organization";
  property_count: number;
  tie: OwnerTie;
}

/** `geometry` is its last known outline, with `include=lineage,geometry`. */
export interface RelatedParcel {
  id: string;
  apn: string;
  kind: "merged" | "split" | "renumbered";
  happened_on: string;
  geometry?: ParcelGeometry | null;
}

export interface RentAccuracy {
  /** Leases of the market on which level and slope are fitted. */
  leases: number;
  from: string;
  to: string;
  /** Leases from this day on were estimated from those before alone. */
  tested_from: string;
  tested: number;
  median_error_rate: number;
  /** Of the tested leases. */
  within_10_percent: number;
  /** Of the tested leases. */
  within_20_percent: number;
  /** Estimate over rent; 1 is neither high nor low. */
  median_ratio: number;
  /** Tested rents inside of the interval that the leases before them gave. */
  interval_coverage: number;
  /** Median error of the same leases without any lease: areas alone. */
  areas_alone_error_rate: number;
}

export interface RentArea {
  /** The layer that it is a figure of: see `GET /layers`. */
  layer: string;
  kind: "zip" | "tract";
  id: string;
  /** The size it is for; null: all sizes. */
  bedrooms: number | null;
  /** As published, with utilities. 15% is added for each bedroom beyond four of HUD’s. */
  rent: number;
  source: string | null;
  published_on: string | null;
}

export interface RentBasis {
  kind: "areas" | "areas_and_leases";
  /** In words, what the rent rests on and what it does not. */
  statement: string;
  areas: RentArea[];
  /** What the home is worth: stated, or the stored value. */
  value: number | null;
  /** Median value of homes with as many bedrooms around it; null where fewer than ten. */
  area_value: number | null;
  area_kind: "tract" | "zip" | null;
  /** The home’s value over that of its area, from 0.4 to 2.5. */
  relative_value: number | null;
  /** A home worth 10% more rents for about this share of 10% more. */
  elasticity: number;
  elasticity_from: "assumption" | "leases";
  /** leases: errors on leases that the fit had not seen. */
  interval_from: "assumption" | "leases";
  accuracy: RentAccuracy | null;
}

export interface RentEstimate {
  object: "rent_estimate";
  property_id: string;
  market: string;
  as_of: string;
  /** A month, in dollars; of all units. Null: see `reason`. */
  rent: number | null;
  interval: {
    level: number;
    low: number;
    high: number;
  } | null;
  reason: "not_covered" | "bedrooms_unknown" | "unsupported_property_type" | null;
  units: number;
  /** Of one unit, as estimated for. */
  bedrooms: number | null;
  basis: RentBasis;
  /** The nearest leases of the operator’s rent rolls; without one, none. */
  comparables: ComparableLease[];
  returns: RentReturns;
  loan: RentLoan | null;
}

export interface RentExpenses {
  taxes: number | null;
  taxes_from: "request" | "record" | null;
  taxes_year: number | null;
  /** As stated; null where it was not. */
  insurance: number | null;
  hoa: number;
  maintenance: number;
  other_expenses: number;
  /** In dollars a year. */
  vacancy: number;
  /** In dollars a year. */
  management: number;
  /** Counted as zero because the request does not state them. */
  not_stated: string[];
}

export interface RentExpensesStated {
  /** Property tax a year, instead of the last bill on record. */
  taxes?: number;
  /** Premium a year. Without it there is neither a cap rate nor a DSCR. */
  insurance?: number;
  /** Dues of an owners’ association a year. */
  hoa?: number;
  /** A year. */
  maintenance?: number;
  /** A year. */
  other_expenses?: number;
  /** Part of the year without a tenant: 0.05 is 5%. */
  vacancy?: number;
  /** Fee, as a share of the rent that is collected. */
  management?: number;
}

export interface RentLoan {
  amount: number;
  rate: number;
  term_years: number;
  interest_only: boolean;
  /** Principal and interest a month, to the cent. */
  payment: number;
  /** With taxes, insurance and dues (PITIA) a month. */
  payment_with_costs: number | null;
  /** Rent over `payment_with_costs`, as lenders of rental homes count it. Rounded down to four decimals. */
  dscr: number | null;
  /** The same at the low end of the rent’s interval. */
  dscr_at_low: number | null;
  /** Net operating income over the payments of the loan. Rounded down. */
  noi_dscr: number | null;
  reason: "no_rent" | "taxes_unknown" | "insurance_not_stated" | null;
}

export interface RentLoanTerms {
  /** The loan, in dollars. */
  amount: number;
  /** Interest a year: 0.07 is 7%. */
  rate: number;
  term_years?: number;
  /** Payments are of interest alone. */
  interest_only?: boolean;
}

export interface RentRequest {
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    /** Instead of the number on record. */
    bedrooms?: number;
    /** What the home is worth, instead of the stored value. */
    value?: number;
    /** Yields are then on the price instead of the value. */
    purchase_price?: number;
    /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
    match?: "standard" | "strict";
  };
  expenses?: RentExpensesStated;
  loan?: RentLoanTerms;
}

export interface RentReturns {
  /** The price if it was stated, otherwise the value. */
  on: number | null;
  on_basis: "purchase_price" | "stated_value" | "estimated_value" | null;
  /** Twelve rents over `on`. */
  gross_yield: number | null;
  expenses: RentExpenses;
  /** A year; null while `reason` is not. */
  net_operating_income: number | null;
  /** Net operating income over `on`. */
  cap_rate: number | null;
  reason: "no_rent" | "taxes_unknown" | "insurance_not_stated" | null;
}

export interface Report {
  object: "report";
  id: string;
  mode: "live" | "test";
  created_at: string;
  /** The day of the value. Title, risk and market are as loaded when the report was made. */
  as_of: string;
  reference: string | null;
  property: Property;
  decision: ReportDecision;
  loan: LoanFigures | null;
  valuation: Valuation;
  receipt: ReportReceipt;
  title: TitleReport;
  risk: RiskReport;
  rent?: RentEstimate;
  market: MarketFigures;
  gaps: DataGap[];
  sources: ReportSource[];
  notice: string;
  /** Of the other members as JSON with sorted names and no spaces, with owner names in place. It is also in the audit log. */
  sha256: string;
}

export interface ReportDecision {
  /** The strictest of the rules; not_evaluated if there are none. */
  outcome: "pass" | "refer" | "decline" | "not_evaluated";
  rules: RuleOutcome[];
  rules_from: "account" | "request" | "standard";
}

export interface ReportLoan {
  /** The loan applied for, in dollars. */
  amount: number;
  /** A purchase or a refinance pays off the mortgages on record: they are left out of the combined loan-to-value as far as the price or the loan covers their estimated payoff. Otherwise they stay and are counted. */
  purpose?: "purchase" | "refinance" | "home_equity" | "other";
  /** Where lower than the value, it is lent against. */
  purchase_price?: number;
  /** What is owed on mortgages that stay, if you know it. Replaces the estimate from title. */
  existing_balance?: number;
  /** Other debt on the property that stays, such as a credit line. Recorded liens count at least. */
  other_liens?: number;
}

export interface ReportPage {
  object: "list";
  data: ReportSummary[];
  pagination: Pagination;
}

/** Reproduces the value: see `GET /avm/valuations/{id}`. */
export interface ReportReceipt {
  id: string;
  /** Of the receipt, as it is anchored in the audit log. */
  sha256: string;
  model_version: string;
  model_hash: string;
  data_snapshot: string;
  /** The day up to which sales were known to the value. */
  market_day: string;
}

export interface ReportRental {
  expenses?: RentExpensesStated;
  loan_terms?: {
    /** Interest a year: 0.07 is 7%. */
    rate: number;
    term_years?: number;
    /** Payments are of interest alone. */
    interest_only?: boolean;
  };
}

export interface ReportRequest {
  /** Exactly one locator, plus any attributes you know better than the record does. */
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    /** Living area in square feet. */
    sqft?: number;
    lot_sqft?: number;
    bedrooms?: number;
    bathrooms?: number;
    baths_full?: number;
    baths_half?: number;
    year_built?: number;
    effective_year_built?: number;
    property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
    stories?: number;
    units?: number;
    rooms?: number;
    garage_spaces?: number;
    condition?: string;
    quality?: string;
    style?: string;
    exterior?: string;
    zip?: string;
    city?: string;
    neighborhood?: string;
    census_tract?: string;
    /** Attributes that only some markets record, by name: `waterfront`, `view`, `sqft_basement` … */
    extras?: Record<string, number>;
  };
  loan?: ReportLoan;
  rental?: ReportRental;
  /** Your own number for the file, printed on every page. */
  reference?: string;
  /** For this report, instead of the account’s. */
  rules?: ReportRule[];
  /** Adds the census layer: income, tenure and the like of the tract. Left out of credit files by default. */
  demographics?: boolean;
  /** The ready set, with `rules` in addition, instead of the account’s. `GET /reports/rules` lists it. */
  rule_set?: "standard";
  options?: {
    /** Value the property using only what was known on this day. */
    as_of?: string;
    interval_level?: number;
    /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
    match?: "standard" | "strict";
    comparables?: {
      /** At most this many. */
      count?: number;
      max_distance_miles?: number;
      max_age_days?: number;
      exclude?: string[];
    };
    model_version?: string;
  };
}

export interface ReportRule {
  /** What is tested. `confidence_below` (medium or high): the confidence is below the limit. `fsd_above` (a share such as 0.8 for 80%): the forecast standard deviation is above the limit. `interval_wider_than` (a share such as 0.8 for 80%): the interval is wider than the limit of the value. `ltv_above` (a share such as 0.8 for 80%): loan to value is above the limit. `ltv_at_low_above` (a share such as 0.8 for 80%): loan to the low end of the interval is above the limit. `cltv_above` (a share such as 0.8 for 80%): combined loan to value is above the limit. `cltv_at_low_above` (a share such as 0.8 for 80%): combined loan to the low end is above the limit. `dscr_below` (a share such as 0.8 for 80%): the rent covers less than the limit of payment, taxes, insurance and dues. `payoff_not_covered` (no limit): the loan or price does not cover the payoff of the mortgages on record. `price_outside_interval` (no limit): the purchase price is outside of the interval of the value. `gross_adjustment_above` (a share such as 0.8 for 80%): the comparables’ gross adjustment, averaged by weight, is above the limit. `largest_gross_adjustment_above` (a share such as 0.8 for 80%): the gross adjustment of a comparable is above the limit. `net_adjustment_above` (a share such as 0.8 for 80%): the comparables’ net adjustment, averaged by weight, is more than the limit up or down. `comparables_fewer_than` (a whole number from 0): there are fewer than the limit comparables. `comparables_widened` (no limit): a rule for comparables had to be widened. `value_older_than_days` (a whole number of days): the value is older than the limit days. `sales_older_than_days` (a whole number of days): the latest known sales are more than the limit days older than the value. `prices_fell_more_than` (a share such as 0.8 for 80%): local prices fell by more than the limit in a year. `flood_zone_in` (a list of words): the home lies in flood zone the limit. `flood_hazard_area` (no limit): the home lies in a special flood hazard area. `layer_matches` (a list of words): a layer loaded by recipe meets the limit. `open_mortgages_above` (a whole number from 0): more than the limit mortgages are open. `open_tax_liens_above` (a whole number from 0): more than the limit tax liens are open. `open_liens_above` (a whole number from 0): more than the limit other liens are open. `open_permits_above` (a whole number from 0): more than the limit permits are open. `open_violations_above` (a whole number from 0): more than the limit code violations are open. `title_flags` (a list of words): the title is flagged with the limit. `property_type_in` (a list of words): the home is of type the limit. `data_missing` (a list of words): one of these is not known: the limit. */
  when: "confidence_below" | "fsd_above" | "interval_wider_than" | "ltv_above" | "ltv_at_low_above" | "cltv_above" | "cltv_at_low_above" | "dscr_below" | "payoff_not_covered" | "price_outside_interval" | "gross_adjustment_above" | "largest_gross_adjustment_above" | "net_adjustment_above" | "comparables_fewer_than" | "comparables_widened" | "value_older_than_days" | "sales_older_than_days" | "prices_fell_more_than" | "flood_zone_in" | "flood_hazard_area" | "layer_matches" | "open_mortgages_above" | "open_tax_liens_above" | "open_liens_above" | "open_permits_above" | "open_violations_above" | "title_flags" | "property_type_in" | "data_missing";
  /** What it is compared with; see `when`. */
  limit?: number | string | string[];
  /** What becomes of a file that the rule applies to. */
  outcome: "refer" | "decline";
  /** Your own words, printed beside the rule. */
  note?: string;
}

export interface ReportRules {
  object: "report_rules";
  rules: ReportRule[];
  /** The ready set of a careful lender, each with its reason, to be used or copied. */
  standard: ReportRule[];
  /** null: never set. */
  updated_at: string | null;
}

export interface ReportSource {
  id: string;
  name: string;
  publisher: string;
  used_for: string[];
  url: string | null;
  licence: string;
  attribution: string;
  published_on: string | null;
  loaded_at: string | null;
  covers_to: string | null;
}

export interface ReportSummary {
  object: "report_summary";
  id: string;
  property_id: string;
  address: string | null;
  reference: string | null;
  outcome: "pass" | "refer" | "decline" | "not_evaluated";
  estimated_value: number;
  valuation_id: string;
  created_at: string;
}

export interface RequestDetail {
  object: "request";
  request_id: string;
  at: string;
  mode: "live" | "test";
  key_id: string | null;
  method: string;
  /** The path template. */
  route: string;
  status: number;
  duration_ms: number;
  meter: "standard" | "avm" | "none";
  units: number;
  error_code: string | null;
  exchange: RequestExchange | null;
}

export interface RequestEntry {
  object: "request";
  request_id: string;
  at: string;
  mode: "live" | "test";
  key_id: string | null;
  method: string;
  /** The path template. */
  route: string;
  status: number;
  duration_ms: number;
  meter: "standard" | "avm" | "none";
  units: number;
  error_code: string | null;
}

export interface RequestExchange {
  /** Path and query. */
  url: string;
  request_headers: Record<string, string>;
  /** JSON; null if there was none or it is too long. */
  request_body: string | null;
  response_headers: Record<string, string>;
  /** JSON; null if it is too long, a file or about people. */
  response_body: string | null;
  response_bytes: number | null;
}

export interface RequestPage {
  object: "list";
  data: RequestEntry[];
  pagination: Pagination;
}

export interface Resolution {
  method: "property_id" | "address" | "apn" | "coordinates" | "attributes";
  matched_address?: string | null;
  match_quality: "exact" | "standardized" | "corrected" | "unit_dropped" | "nearest_parcel" | "none";
  match_score: number | null;
  fields_from_database: string[];
  fields_from_request: string[];
}

export interface Review {
  object: "review";
  id: string;
  mode: "live" | "test";
  created_at: string;
  reference: string | null;
  property_id: string;
  address: string | null;
  appraised_value: number;
  effective_date: string;
  subject_differences: RecordDifference[];
  value: ReviewValue;
  comparables: ReviewedComparable[];
  /** Sales of our grid that the appraisal does not use and that are more similar than its least similar one. */
  passed_over: Comparable[];
  comparables_basis?: ComparablesBasis;
  market: ReviewMarket | null;
  questions: ReviewQuestion[];
  notice: string;
}

export interface ReviewMarket {
  area: string;
  from: string;
  to: string;
  /** Of the price index over the twelve months to the effective date. */
  change: number;
}

export interface ReviewPage {
  object: "list";
  data: ReviewSummary[];
  pagination: Pagination;
}

export interface ReviewQuestion {
  code: "comparable_not_found" | "comparable_not_sold" | "comparable_is_subject" | "sale_not_on_record" | "sale_price_differs" | "sale_date_differs" | "not_a_market_price" | "resold_within_a_year" | "sold_after_effective_date" | "comparable_facts_differ" | "adjustments_do_not_add_up" | "market_change_differs" | "large_adjustments" | "subject_facts_differ" | "closer_sales_passed_over" | "one_sided_adjustments" | "value_outside_comparables" | "adjustment_outside_range" | "value_outside_interval";
  /** Its place in the request; null: of the whole appraisal. */
  comparable: number | null;
  question: string;
  evidence: string;
}

export interface ReviewRequest {
  property: {
    /** Free-form: house number, street, unit, city, state, ZIP. */
    address?: string;
    /** `prop_…` or `fips:apn`. */
    id?: string;
    /** County FIPS code; requires `apn`. */
    fips?: string;
    /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
    apn?: string;
    /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
    latitude?: number;
    longitude?: number;
    /** Living area in square feet. */
    sqft?: number;
    lot_sqft?: number;
    bedrooms?: number;
    bathrooms?: number;
    year_built?: number;
  };
  appraisal: Appraisal;
  /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
  match?: "standard" | "strict";
  /** Your own number for the file. */
  reference?: string;
}

export interface ReviewSummary {
  object: "review_summary";
  id: string;
  property_id: string;
  reference: string | null;
  created_at: string;
}

export interface ReviewValue {
  valuation_id: string;
  model_version: string;
  estimated_value: number;
  low: number;
  high: number;
  level: number;
  confidence: "high" | "medium" | "low";
  /** The appraised value divided by ours. */
  ratio: number;
  /** Where the appraised value lies to our interval. */
  position: "below" | "inside" | "above";
  /** How far from ours, in forecast standard deviations. */
  standard_deviations: number;
}

export interface ReviewedAdjustment {
  feature: string;
  amount: number;
  /** Our adjustment for the same sale, where it is in our grid. */
  ours: number | null;
  /** Dollars for each unit of the difference. */
  stated_rate: number | null;
  market_range: AdjustmentRange | null;
  /** Below half of the range or above twice of it; null: not comparable. */
  is_outside: boolean | null;
}

export interface ReviewedComparable {
  /** Its place in the request. */
  number: number;
  stated_address: string | null;
  stated_price: number;
  stated_date: string;
  property_id: string | null;
  matched_address: string | null;
  /** Why no property was found, in words. */
  not_found_reason: string | null;
  sale: ReviewedSale;
  /** What the record says otherwise. */
  differences: RecordDifference[];
  distance_miles: number | null;
  /** Days from the sale to the effective date; negative: it was sold later. */
  days_before: number;
  net_adjustment_rate: number | null;
  gross_adjustment_rate: number | null;
  /** Whether price and adjustments make the stated adjusted price. */
  adds_up: boolean | null;
  adjustments: ReviewedAdjustment[];
  /** Change of the price index of the area from the sale to the effective date. */
  index_change: number | null;
  in_our_grid: boolean;
}

export interface ReviewedSale {
  /** confirmed: a deed within 45 days at the price, to half a percent. price_not_recorded: a deed of that time without a price. no_such_sale is said only where the records cover the day. */
  status: "confirmed" | "price_differs" | "date_differs" | "price_not_recorded" | "no_such_sale" | "not_covered";
  transaction_id: string | null;
  recorded_price: number | null;
  recorded_date: string | null;
  /** false: the rules for market prices set this sale aside. */
  market_price: boolean | null;
  market_price_reason: string | null;
  earlier_sale: EarlierSale | null;
}

export interface RiskReport {
  object: "risk_report";
  property_id: string;
  as_of: string;
  layers: {
    flood?: FloodLayer;
    tax_liens?: TaxLienLayer;
    permits?: PermitLayer;
    code_violations?: CodeViolationLayer;
    census?: CensusLayer;
    opportunity_zone?: OpportunityZoneLayer;
  };
}

/** `null` if the layer is not covered; `0` or `false` if it is covered and nothing was found. */
export interface RiskSummary {
  flood_zone: string | null;
  flood_sfha: boolean | null;
  opportunity_zone: boolean | null;
  /** Known to be open; null where none is and the status of some is not known. */
  open_tax_liens: number | null;
  /** Known to be open; null where none is and the status of some is not known. */
  open_violations: number | null;
  permit_count: number | null;
  last_permit_date: string | null;
}

export interface RuleOutcome {
  when: "confidence_below" | "fsd_above" | "interval_wider_than" | "ltv_above" | "ltv_at_low_above" | "cltv_above" | "cltv_at_low_above" | "dscr_below" | "payoff_not_covered" | "price_outside_interval" | "gross_adjustment_above" | "largest_gross_adjustment_above" | "net_adjustment_above" | "comparables_fewer_than" | "comparables_widened" | "value_older_than_days" | "sales_older_than_days" | "prices_fell_more_than" | "flood_zone_in" | "flood_hazard_area" | "layer_matches" | "open_mortgages_above" | "open_tax_liens_above" | "open_liens_above" | "open_permits_above" | "open_violations_above" | "title_flags" | "property_type_in" | "data_missing";
  limit?: unknown;
  note?: string;
  /** A figure that is not known is referred. not_applicable: no loan was given. */
  outcome: "pass" | "refer" | "decline" | "not_applicable";
  /** What was found, in the unit of the limit; null if it is not known. */
  figure: unknown;
  reason: string;
}

export interface SalesSeries {
  object: "sales_series";
  area: {
    /** `custom` for a polygon or a filter. */
    kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood" | "custom";
    id: string;
    name: string;
    /** Null for a polygon or a filter over several markets. */
    market: string | null;
  };
  property_type: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  segment: "bedrooms_0_1" | "bedrooms_2" | "bedrooms_3" | "bedrooms_4" | "bedrooms_5_plus" | "sqft_under_1000" | "sqft_1000_1499" | "sqft_1500_1999" | "sqft_2000_2999" | "sqft_3000_plus" | "built_before_1940" | "built_1940_1969" | "built_1970_1999" | "built_2000_plus" | "new" | "existing" | null;
  /** Homes of the area, type and segment as they stand today; turnover is of these. */
  homes: number | null;
  interval: "month" | "quarter" | "year";
  /** First day of the first period; null without sales. */
  starts_on: string | null;
  /** Last day of the last period. */
  ends_on: string | null;
  /** Sales in all periods returned. */
  n: number;
  /** When the statistics of the market were last brought up to date. */
  updated_at: string;
  /** Where sources began or ended in a part of the area: figures before and after are of different places. */
  coverage_changes: CoverageChange[];
  sources: Array<{
    id: string;
    name: string;
    publisher: string;
    url: string | null;
    licence: string;
    attribution: string;
  }>;
  /** Every period from the first to the last, those without sales included. */
  data: SalesSeriesPoint[];
}

export interface SalesSeriesPoint {
  /** `2026-03`, `2026-Q1` or `2026`. */
  period: string;
  starts_on: string;
  ends_on: string;
  /** Sales in the period. */
  n: number;
  /** Fewer than 5 sales, or an `unplaced_share`: no figures. */
  withheld: boolean;
  /** Of the sales around, those whose ZIP code or tract is not on record; null up to a fifth. */
  unplaced_share: number | null;
  /** Median price. */
  median_price: number | null;
  /** A quarter of the sales were below this price. */
  price_p25: number | null;
  /** A quarter of the sales were above this price. */
  price_p75: number | null;
  /** Sales whose living area is known. */
  n_with_sqft: number;
  /** Median price per square foot of living area; null where fewer than 5 sales have one on record. */
  median_price_per_sqft: number | null;
  /** A quarter of the sales were below this. */
  price_per_sqft_p25: number | null;
  /** A quarter of the sales were above this. */
  price_per_sqft_p75: number | null;
  /** Change of the median price since the same period a year before; 0.05 is 5% up. */
  price_growth_1y: number | null;
  /** The same since three years before, in all. */
  price_growth_3y: number | null;
  /** The same since five years before, in all. */
  price_growth_5y: number | null;
  /** Change of the median price per square foot since a year before. */
  price_per_sqft_growth_1y: number | null;
  /** The same since three years before, in all. */
  price_per_sqft_growth_3y: number | null;
  /** The same since five years before, in all. */
  price_per_sqft_growth_5y: number | null;
  /** What growth over one, three and five years rests on. */
  growth_bases: GrowthBase[];
  /** How far prices per square foot lie apart: the quartiles’ difference over their sum. 0 if all were equal. */
  dispersion: number | null;
  /** Sales over the homes of the area as they stand today. Null where only homes that sold are on record. */
  turnover: number | null;
  /** Sales of homes with an assessment of the year of the sale or one of the two before. */
  n_with_assessment: number;
  /** Median of price over assessment. */
  price_to_assessment: number | null;
  /** Mean distance from that median, as a share of it. */
  price_to_assessment_dispersion: number | null;
  /** Sales before which a whole year of sales is on record. */
  n_traced: number;
  /** Share of them that followed another sale of the home within a year. */
  resale_share: number | null;
  /** No later sale of the market is known yet: more sales of the period may come. */
  is_open: boolean;
  /** Sales that arrived after the figures of the period were first published in full. */
  late_sales: number;
  /** When the published figures of the period last changed. */
  revised_on: string | null;
  /** Ids of the sources of the sales, described in `sources` of the series. */
  sources: string[];
}

export interface SalesSeriesSearch {
  state?: string[] | string;
  market?: string[] | string;
  fips?: string[] | string;
  city?: string[] | string;
  zip?: string[] | string;
  census_tract?: string[] | string;
  /** Center of a circle; requires longitude and radius_miles. */
  latitude?: number;
  /** Center of a circle. */
  longitude?: number;
  /** Radius of the circle. */
  radius_miles?: number;
  /** minLng,minLat,maxLng,maxLat */
  bbox?: string;
  /** One type, or `residential`: single-family, condo, townhouse, multi-family and manufactured together. */
  property_type?: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
  /** Minimum value. */
  min_value?: number;
  /** Maximum value. */
  max_value?: number;
  /** Minimum sqft. */
  min_sqft?: number;
  /** Maximum sqft. */
  max_sqft?: number;
  /** Minimum lot_sqft. */
  min_lot_sqft?: number;
  /** Maximum lot_sqft. */
  max_lot_sqft?: number;
  /** Minimum bedrooms. */
  min_bedrooms?: number;
  /** Maximum bedrooms. */
  max_bedrooms?: number;
  /** Minimum bathrooms. */
  min_bathrooms?: number;
  /** Maximum bathrooms. */
  max_bathrooms?: number;
  /** Minimum year_built. */
  min_year_built?: number;
  /** Maximum year_built. */
  max_year_built?: number;
  /** Minimum units. */
  min_units?: number;
  /** Maximum units. */
  max_units?: number;
  /** Minimum assessed_value. */
  min_assessed_value?: number;
  /** Maximum assessed_value. */
  max_assessed_value?: number;
  /** Minimum last_sale_price. */
  min_last_sale_price?: number;
  /** Maximum last_sale_price. */
  max_last_sale_price?: number;
  /** Minimum last_sale_date. */
  min_last_sale_date?: string;
  /** Maximum last_sale_date. */
  max_last_sale_date?: string;
  /** Minimum estimated value per square foot. */
  min_value_per_sqft?: number;
  /** Maximum estimated value per square foot. */
  max_value_per_sqft?: number;
  /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  min_growth?: number;
  /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  max_growth?: number;
  /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
  min_uncertainty?: number;
  /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
  max_uncertainty?: number;
  /** Minimum owned_since. */
  min_owned_since?: string;
  /** Maximum owned_since. */
  max_owned_since?: string;
  /** Minimum open_loans. */
  min_open_loans?: number;
  /** Maximum open_loans. */
  max_open_loans?: number;
  /** Minimum estimated equity in dollars. */
  min_equity?: number;
  /** Maximum estimated equity in dollars. */
  max_equity?: number;
  /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
  min_ltv?: number;
  /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
  max_ltv?: number;
  /** Whether the owner lives at the property. Requires the scope `owners:read`. */
  owner_occupied?: boolean;
  /** Type of owner. Requires the scope `owners:read`. */
  owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
  /** Inside a special flood hazard area. */
  flood_sfha?: boolean;
  /** Inside a designated opportunity zone. */
  opportunity_zone?: boolean;
  /** With at least one open tax lien. */
  has_open_tax_lien?: boolean;
  /** With at least one open code violation. */
  has_open_violation?: boolean;
  /** With a permit issued on or after this date. */
  permit_since?: string;
  occupancy?: string[] | string;
  vesting?: string[] | string;
  /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
  free_and_clear?: boolean;
  foreclosure_stage?: string[] | string;
  tax_delinquency?: string[] | string;
  layer?: string[] | string;
  /** Changed at or after this instant or date; use it to keep a copy in sync. */
  updated_since?: string;
  geometry?: Geometry;
  /** Length of a period. */
  interval?: "month" | "quarter" | "year";
  /** From the period that holds this day on. */
  since?: string;
  /** Up to the period that holds this day. */
  until?: string;
  /** `csv` has one line for each period. */
  format?: "json" | "csv";
}

export interface SandboxFixture {
  name: string;
  what: string;
  endpoint: string;
  request: {
    address?: string;
    property_id?: string;
  };
  expect: {
    status: number;
    code: string | null;
  };
}

export interface SandboxFixtureList {
  object: "list";
  data: SandboxFixture[];
}

export interface SecretRotation {
  /** How long both secrets are used to sign. */
  overlap_hours?: number;
}

export interface Share {
  object: "share";
  id: string;
  mode: "live" | "test";
  kind: "property" | "area" | "portfolio" | "report";
  /** The id of the property, watchlist or report, or the kind and name of the area. */
  subject: string;
  title: string;
  include_owners: boolean;
  status: "active" | "expired" | "revoked";
  created_by: string;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_opened_at: string | null;
  opened_count: number;
}

export interface SharePage {
  object: "list";
  data: Share[];
  pagination: Pagination;
}

export interface ShareWithLink {
  object: "share";
  id: string;
  mode: "live" | "test";
  kind: "property" | "area" | "portfolio" | "report";
  /** The id of the property, watchlist or report, or the kind and name of the area. */
  subject: string;
  title: string;
  include_owners: boolean;
  status: "active" | "expired" | "revoked";
  created_by: string;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_opened_at: string | null;
  opened_count: number;
  /** The link itself, shown only once. */
  url: string;
}

/** Exactly one locator, and the sale as the appraiser states it. */
export interface StatedComparable {
  /** Free-form: house number, street, unit, city, state, ZIP. */
  address?: string;
  /** `prop_…` or `fips:apn`. */
  id?: string;
  /** County FIPS code; requires `apn`. */
  fips?: string;
  /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
  apn?: string;
  /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
  latitude?: number;
  longitude?: number;
  /** Living area in square feet. */
  sqft?: number;
  lot_sqft?: number;
  bedrooms?: number;
  bathrooms?: number;
  year_built?: number;
  sale_price: number;
  sale_date: string;
  adjusted_price?: number;
  adjustments?: Array<{
    /** A name of our grid, such as `living_area` or `market_change`, is compared; others are listed. */
    feature: string;
    amount: number;
  }>;
}

/** The latest stored value; use `POST /avm/estimate` for a fresh one. */
export interface StoredValuation {
  estimated_value: number;
  low: number | null;
  high: number | null;
  fsd: number | null;
  model_version: string | null;
  valued_on: string | null;
}

export interface Structure {
  year_built: number | null;
  effective_year_built: number | null;
  stories: number | null;
  units: number | null;
  rooms: number | null;
  baths_full: number | null;
  baths_half: number | null;
  garage_spaces: number | null;
  pool: boolean | null;
  heating: string | null;
  cooling: string | null;
  exterior: string | null;
  foundation: string | null;
  condition: string | null;
  quality: string | null;
  style: string | null;
  /** Ground area of the building, from aerial images. */
  footprint_sqft: number | null;
}

export interface Tax {
  year: number;
  /** Dollars. */
  amount: number | null;
  /** Of the newest bill: tax over the stored value. 0.012 is 1.2%. */
  rate: number | null;
  exemptions: string[];
  status: string | null;
  source: string;
}

export interface TaxLien {
  type: string;
  amount: number | null;
  tax_year: number | null;
  filing_date: string | null;
  status: "open" | "released" | "sold" | "unknown";
  release_date: string | null;
  document_number: string | null;
}

/** Tax liens and tax sales. */
export interface TaxLienLayer {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  source: LayerSource | null;
  /** Known to be open; null where none is and the status of some is not known. */
  open_count: number | null;
  /** Records whose publisher does not say if they are open. */
  status_unknown: number | null;
  /** Of the open ones; null if one of their amounts, or the status of one, is not known. */
  open_amount: number | null;
  items: TaxLien[];
}

/** `null` where the records do not reach. `occupancy` and `vesting` follow from names and mailing addresses and require the `owners:read` scope. */
export interface Tenure {
  owned_since: string | null;
  years_owned: number | null;
  occupancy?: "owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee" | null;
  vesting?: "sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee" | null;
  foreclosure_stage: "none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release" | null;
  /** Of the last notice on record. */
  foreclosure_on: string | null;
  foreclosure_ended_on: string | null;
  tax_delinquency: "none" | "delinquent" | "lien" | "lien_sold" | null;
}

export interface TestClock {
  object: "test_clock";
  /** Also the id of its account. */
  id: string;
  name: string;
  /** The instant at which its account lives. */
  now: string;
  /** The instant at which it was made to begin. */
  began_at: string;
  plan: "trial" | "builder" | "pro" | "scale" | "enterprise";
  account_status: "active" | "suspended" | "closed";
  billing_status: "none" | "trialing" | "active" | "past_due" | "canceled";
  term_end: string | null;
  next_plan: "trial" | "builder" | "pro" | "scale" | "enterprise" | null;
  cancels_at_end: boolean;
}

export interface TestClockPage {
  object: "list";
  data: TestClock[];
  pagination: Pagination;
}

export interface TestClockWithKey {
  object: "test_clock";
  /** Also the id of its account. */
  id: string;
  name: string;
  /** The instant at which its account lives. */
  now: string;
  /** The instant at which it was made to begin. */
  began_at: string;
  plan: "trial" | "builder" | "pro" | "scale" | "enterprise";
  account_status: "active" | "suspended" | "closed";
  billing_status: "none" | "trialing" | "active" | "past_due" | "canceled";
  term_end: string | null;
  next_plan: "trial" | "builder" | "pro" | "scale" | "enterprise" | null;
  cancels_at_end: boolean;
  /** A sandbox key of its account, in this response only. */
  key: string;
}

/** Of the deeds (`transactions`) or mortgages here that do not name a parcel: how many are recorded, and how many of them are tied to one. Null where every document names its parcel. */
export interface TiedDocuments {
  recorded: number;
  tied: number;
}

export interface TileJson {
  tilejson: "3.0.0";
  name: string;
  tiles: string[];
  minzoom: number;
  maxzoom: number;
  /** Longitude, latitude and zoom of the largest market. */
  center?: number[];
  /** PMTiles of Protomaps to draw underneath, where the operator has one. */
  basemap?: string;
  vector_layers: Array<{
    id: string;
    minzoom: number;
    maxzoom: number;
    fields: Record<string, string>;
  }>;
}

export interface TitleCoverage {
  /** sales_only: the source lists prices without parties, which is no chain. not_covered: no deeds are loaded here. */
  status: "covered" | "sales_only" | "not_covered";
  /** How far back every deed follows from the one before, as far as the parties are stated. */
  complete_from: string | null;
  /** How far back every grantor is the grantee before, under the same name and in order. */
  verified_from: string | null;
  records_to: string | null;
  note: string;
  sources: RecordSource[];
  mortgages: MortgageCoverage;
}

export interface TitleFlag {
  code: "missing_link" | "party_name_differs" | "out_of_order" | "quitclaim" | "non_arms_length" | "correction" | "owner_differs" | "release_without_mortgage" | "assignment_without_mortgage" | "released_by_another" | "open_after_sale" | "borrower_not_owner" | "foreclosure_pending";
  reason: string;
  transaction_id: string | null;
}

export interface TitleLien {
  transaction_id: string;
  instrument: "warranty_deed" | "special_warranty_deed" | "quitclaim_deed" | "trustee_deed" | "fiduciary_deed" | "foreclosure_deed" | "tax_deed" | "corrective_deed" | "transfer_on_death_deed" | "deed" | "mortgage" | "assignment" | "release" | "partial_release" | "lien" | "lien_release" | "foreclosure_notice" | "easement" | "death_or_probate" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recorded_on: string | null;
  recorded_in: string | null;
  /** open: no release is on record through `coverage.records_to`. */
  status: "open" | "partly_released" | "released";
  lender: string | null;
  /** The last assignee, or else the lender. */
  holder: string | null;
  borrowers?: string[];
  amount: number | null;
  assignments: MatchedDocument[];
  releases: MatchedDocument[];
  flags: TitleFlag[];
  source: string;
}

/** `grantors` and `grantees` require the `owners:read` scope. */
export interface TitleLink {
  transaction_id: string;
  instrument: "warranty_deed" | "special_warranty_deed" | "quitclaim_deed" | "trustee_deed" | "fiduciary_deed" | "foreclosure_deed" | "tax_deed" | "corrective_deed" | "transfer_on_death_deed" | "deed" | "mortgage" | "assignment" | "release" | "partial_release" | "lien" | "lien_release" | "foreclosure_notice" | "easement" | "death_or_probate" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recorded_on: string | null;
  recorded_in: string | null;
  sold_on: string | null;
  price: number | null;
  arms_length: boolean | null;
  grantors?: string[];
  grantees?: string[];
  /** Whether the grantor is the grantee of the deed before: matched, similar, broken, or not_stated where a party is not on record. A correction conveys nothing new; first has no deed before it on record. */
  connection: "matched" | "similar" | "broken" | "not_stated" | "correction" | "first";
  flags: TitleFlag[];
  source: string;
}

export interface TitleMortgage {
  transaction_id: string;
  instrument: "warranty_deed" | "special_warranty_deed" | "quitclaim_deed" | "trustee_deed" | "fiduciary_deed" | "foreclosure_deed" | "tax_deed" | "corrective_deed" | "transfer_on_death_deed" | "deed" | "mortgage" | "assignment" | "release" | "partial_release" | "lien" | "lien_release" | "foreclosure_notice" | "easement" | "death_or_probate" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recorded_on: string | null;
  recorded_in: string | null;
  /** open: no release is on record through `coverage.records_to`. */
  status: "open" | "partly_released" | "released";
  lender: string | null;
  /** The last assignee, or else the lender. */
  holder: string | null;
  borrowers?: string[];
  amount: number | null;
  assignments: MatchedDocument[];
  releases: MatchedDocument[];
  flags: TitleFlag[];
  source: string;
  /** What ties a mortgage that names no parcel to this one. deed: its borrower took a deed that day; closing: recorded next after a deed of the day; borrower: and its borrower is the grantee; owner: its borrower owned no other parcel on record; reference: it names a document of the parcel. Empty where it names the parcel itself. */
  matched_by: Array<"deed" | "closing" | "borrower" | "owner" | "reference">;
  estimated_balance: EstimatedBalance | null;
  /** Why there is no estimate. */
  balance_reason: "amount_not_stated" | "date_not_stated" | "before_rate_series" | "past_term" | "released" | null;
}

export interface TitlePermits {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  /** Records whose publisher does not say if they are open. */
  status_unknown: number | null;
  open: Permit[];
}

export interface TitleReport {
  object: "title";
  property_id: string;
  as_of: string;
  notice: string;
  coverage: TitleCoverage;
  ownership: Ownership | null;
  open: OpenItems;
  flags: TitleFlag[];
  chain: TitleLink[];
  mortgages: TitleMortgage[];
  /** Assignments and releases whose mortgage or lien is not on record, and documents of a party that had no title on the day, which may be about other land. */
  unmatched: MatchedDocument[];
  tax_liens: TitleTaxLiens;
  other_liens: TitleLien[];
  /** Notices of foreclosure, easements, deaths and whatever else is recorded, newest first. */
  other_documents: RecordedDocument[];
  permits: TitlePermits;
  violations: TitleViolations;
}

export interface TitleTaxLiens {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  /** Records whose publisher does not say if they are open. */
  status_unknown: number | null;
  items: TaxLien[];
}

export interface TitleViolations {
  status: "found" | "none_found" | "not_covered" | "temporarily_unavailable";
  /** Records whose publisher does not say if they are open. */
  status_unknown: number | null;
  open: CodeViolation[];
}

/** `buyers` and `sellers` require the `owners:read` scope. */
export interface Transaction {
  object: "transaction";
  id: string;
  property_id: string;
  type: "deed" | "mortgage" | "release" | "foreclosure" | "other";
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recording_date: string | null;
  sale_date: string | null;
  date_precision: "day" | "month" | "year";
  price: number | null;
  arms_length: boolean | null;
  arms_length_reason: string | null;
  /** false: left out of comparables, of models and of `last_sale`. null: not known. */
  market_price: boolean | null;
  market_price_reason: "part_interest" | "family_transfer" | "estate" | "bulk" | "foreclosure" | "flip" | "nominal" | "far_below_value" | "far_above_value" | "before_construction" | "stated_by_source" | "not_a_sale" | "other" | null;
  market_price_note: string | null;
  buyers?: string[];
  sellers?: string[];
  lender: string | null;
  loan_amount: number | null;
  /** Other instruments this one names: document numbers, or `book/page`. */
  refers_to: string[];
  source: string;
}

export interface TransactionPage {
  object: "list";
  data: Transaction[];
  pagination: Pagination;
}

export interface TriggeredEvent {
  /** One of 30 kinds. */
  type: "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping";
  /** Members of the kind’s data that override those of its example. */
  data?: Record<string, unknown>;
}

export interface Usage {
  object: "usage";
  plan: "trial" | "builder" | "pro" | "scale" | "enterprise";
  period_start: string;
  period_end: string;
  standard: MeterUsage;
  avm: MeterUsage;
  hour: HourUsage;
  /** Overage at the end of the period if usage continues at the current rate. */
  projected_overage_cents: number;
}

export interface Valuation {
  object: "valuation";
  id: string;
  property_id: string | null;
  estimated_value: number;
  confidence: "high" | "medium" | "low";
  confidence_interval: {
    low: number;
    high: number;
    level: number;
  };
  /** Probability that the estimate is within ±10% of the price. */
  confidence_score: number;
  /** Forecast standard deviation as a share of the estimate. */
  fsd: number;
  /** Half of the valuations like this one erred by less, as a share of the price: of homes as hard to value, with what is unknown about this one unknown, that long after the last known sales. */
  median_error_rate: number;
  /** What the error rate rests on. */
  error_basis: {
    market: string;
    segment: string;
    window: {
      from: string;
      to: string;
    };
    /** Tested sales of the segment. */
    sample_size: number;
    /** Median error of all tested sales of the segment. */
    segment_error_rate: number;
    /** Whether an earlier sale of the home is known. */
    has_earlier_sale: boolean;
    /** Attributes that are unknown and were filled in. */
    missing: string[];
    /** What was hidden from tested sales to measure how much that costs: `missing`, or the fewest measured attributes that include it. */
    measured_without?: string[];
    /** Tested sales that were valued without them. */
    missing_sample_size?: number;
  };
  model_version: string;
  as_of: string;
  resolution: Resolution;
  comparables?: Comparable[];
  comparables_basis?: ComparablesBasis;
  explanation?: {
    summary: string;
    reconciliation: {
      comparables_indicated_value: number | null;
      model_adjustment: number;
      estimated_value: number;
    };
    contributions: Array<{
      label: string;
      amount: number;
    }>;
  };
  /** Newest first: monthly for three years, then quarterly. */
  history?: Array<{
    date: string;
    value: number;
    low: number;
    high: number;
    model_version: string;
    /** `published`: the stored value of that day. `recomputed`: what the model makes of the sales known by that day; it was trained later. */
    basis: "published" | "recomputed";
  }>;
  warnings: Array<{
    code: string;
    detail: string;
    field?: string;
  }>;
}

export interface ValuationDryRun {
  object: "valuation_dry_run";
  property_id: string | null;
  resolution: Resolution;
  market: string;
  model_version: string;
  meter: "avm";
  units: number;
}

export interface ValuationReceipt {
  object: "valuation_receipt";
  id: string;
  created_at: string;
  request: Record<string, unknown>;
  model_version: string;
  model_hash: string;
  data_snapshot: string;
  /** Everything the model read. */
  inputs: Record<string, unknown>;
  result: Valuation;
}

export interface Watchlist {
  object: "watchlist";
  id: string;
  mode: "live" | "test";
  name: string;
  filter: Record<string, unknown> | null;
  events: Array<"*" | "property.*" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed">;
  /** Percentage the value must move since the last `valuation.changed` event to send another. Defaults to 5. */
  valuation_change_percent: number;
  /** Percentage the total value must move since it was last reported to send `watchlist.value_changed`. null: never. */
  total_change_percent: number | null;
  property_count: number;
  /** `false` until the properties matching the filter have been collected. */
  is_ready: boolean;
  created_at: string;
  updated_at: string;
}

/** The same filters as a property search. */
export interface WatchlistFilter {
  state?: string[] | string;
  market?: string[] | string;
  fips?: string[] | string;
  city?: string[] | string;
  zip?: string[] | string;
  census_tract?: string[] | string;
  /** Center of a circle; requires longitude and radius_miles. */
  latitude?: number;
  /** Center of a circle. */
  longitude?: number;
  /** Radius of the circle. */
  radius_miles?: number;
  /** minLng,minLat,maxLng,maxLat */
  bbox?: string;
  property_type?: string[] | string;
  /** Minimum value. */
  min_value?: number;
  /** Maximum value. */
  max_value?: number;
  /** Minimum sqft. */
  min_sqft?: number;
  /** Maximum sqft. */
  max_sqft?: number;
  /** Minimum lot_sqft. */
  min_lot_sqft?: number;
  /** Maximum lot_sqft. */
  max_lot_sqft?: number;
  /** Minimum bedrooms. */
  min_bedrooms?: number;
  /** Maximum bedrooms. */
  max_bedrooms?: number;
  /** Minimum bathrooms. */
  min_bathrooms?: number;
  /** Maximum bathrooms. */
  max_bathrooms?: number;
  /** Minimum year_built. */
  min_year_built?: number;
  /** Maximum year_built. */
  max_year_built?: number;
  /** Minimum units. */
  min_units?: number;
  /** Maximum units. */
  max_units?: number;
  /** Minimum assessed_value. */
  min_assessed_value?: number;
  /** Maximum assessed_value. */
  max_assessed_value?: number;
  /** Minimum last_sale_price. */
  min_last_sale_price?: number;
  /** Maximum last_sale_price. */
  max_last_sale_price?: number;
  /** Minimum last_sale_date. */
  min_last_sale_date?: string;
  /** Maximum last_sale_date. */
  max_last_sale_date?: string;
  /** Minimum estimated value per square foot. */
  min_value_per_sqft?: number;
  /** Maximum estimated value per square foot. */
  max_value_per_sqft?: number;
  /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  min_growth?: number;
  /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
  max_growth?: number;
  /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
  min_uncertainty?: number;
  /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
  max_uncertainty?: number;
  /** Minimum owned_since. */
  min_owned_since?: string;
  /** Maximum owned_since. */
  max_owned_since?: string;
  /** Minimum open_loans. */
  min_open_loans?: number;
  /** Maximum open_loans. */
  max_open_loans?: number;
  /** Minimum estimated equity in dollars. */
  min_equity?: number;
  /** Maximum estimated equity in dollars. */
  max_equity?: number;
  /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
  min_ltv?: number;
  /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
  max_ltv?: number;
  /** Whether the owner lives at the property. Requires the scope `owners:read`. */
  owner_occupied?: boolean;
  /** Type of owner. Requires the scope `owners:read`. */
  owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
  /** Inside a special flood hazard area. */
  flood_sfha?: boolean;
  /** Inside a designated opportunity zone. */
  opportunity_zone?: boolean;
  /** With at least one open tax lien. */
  has_open_tax_lien?: boolean;
  /** With at least one open code violation. */
  has_open_violation?: boolean;
  /** With a permit issued on or after this date. */
  permit_since?: string;
  occupancy?: string[] | string;
  vesting?: string[] | string;
  /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
  free_and_clear?: boolean;
  foreclosure_stage?: string[] | string;
  tax_delinquency?: string[] | string;
  layer?: string[] | string;
  geometry?: Geometry;
}

export interface WatchlistMember {
  object: "watchlist_property";
  property_id: string;
  added_at: string;
}

export interface WatchlistMemberChanges {
  add?: string[];
  remove?: string[];
}

export interface WatchlistMemberCounts {
  object: "watchlist_change";
  watchlist_id: string;
  added: number;
  removed: number;
}

export interface WatchlistMemberPage {
  object: "list";
  data: WatchlistMember[];
  pagination: Pagination;
}

export interface WatchlistPage {
  object: "list";
  data: Watchlist[];
  pagination: Pagination;
}

export interface WatchlistPatch {
  name?: string;
  filter?: WatchlistFilter;
  events?: Array<"*" | "property.*" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed">;
  /** Percentage the value must move since the last `valuation.changed` event to send another. Defaults to 5. */
  valuation_change_percent?: number;
  /** Percentage the total value must move since it was last reported to send `watchlist.value_changed`. null: never. */
  total_change_percent?: number | null;
}

export interface Webhook {
  object: "webhook";
  id: string;
  mode: "live" | "test";
  /** A public HTTPS URL on port 443 or 8443. */
  url: string;
  description: string;
  /** Event kinds, groups such as `property.*`, or `*` for all. */
  events: Array<"*" | "property.*" | "valuation.*" | "watchlist.*" | "loan.*" | "batch.*" | "export.*" | "usage.*" | "api_key.*" | "invoice.*" | "receipts.*" | "model.*" | "webhook.*" | "ping" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled">;
  /** `slack`: `text` and `blocks` for the URL of a Slack incoming webhook, instead of the event. */
  format: "json" | "slack";
  status: "enabled" | "disabled";
  /** `failing`, `gone` (the receiver returned 410) or `requested`. */
  disabled_reason: string | null;
  /** When deliveries started failing. Null while they succeed. */
  failing_since: string | null;
  /** Warnings sent, after one and three days of failure. */
  warnings: number;
  /** Until then, deliveries carry a second signature made with the previous secret. */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookAttempt {
  attempt: number;
  attempted_at: string;
  duration_ms: number;
  response_status: number | null;
  /** Truncated to 4 kB. */
  response_body: string | null;
  error: string | null;
}

export interface WebhookDelivery {
  object: "webhook_delivery";
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  sequence: number;
  status: "pending" | "succeeded" | "failed";
  attempt_count: number;
  next_attempt_at: string | null;
  last_response_status: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface WebhookDeliveryPage {
  object: "list";
  data: WebhookDelivery[];
  pagination: Pagination;
}

export interface WebhookDeliveryWithLog {
  object: "webhook_delivery";
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  sequence: number;
  status: "pending" | "succeeded" | "failed";
  attempt_count: number;
  next_attempt_at: string | null;
  last_response_status: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
  payload: Event;
  attempts: WebhookAttempt[];
}

export interface WebhookPage {
  object: "list";
  data: Webhook[];
  pagination: Pagination;
}

export interface WebhookPatch {
  /** A public HTTPS URL on port 443 or 8443. */
  url?: string;
  description?: string;
  /** Event kinds, groups such as `property.*`, or `*` for all. */
  events?: Array<"*" | "property.*" | "valuation.*" | "watchlist.*" | "loan.*" | "batch.*" | "export.*" | "usage.*" | "api_key.*" | "invoice.*" | "receipts.*" | "model.*" | "webhook.*" | "ping" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled">;
  /** `slack`: `text` and `blocks` for the URL of a Slack incoming webhook, instead of the event. */
  format?: "json" | "slack";
  status?: "enabled" | "disabled";
}

export interface WebhookWithSecret {
  object: "webhook";
  id: string;
  mode: "live" | "test";
  /** A public HTTPS URL on port 443 or 8443. */
  url: string;
  description: string;
  /** Event kinds, groups such as `property.*`, or `*` for all. */
  events: Array<"*" | "property.*" | "valuation.*" | "watchlist.*" | "loan.*" | "batch.*" | "export.*" | "usage.*" | "api_key.*" | "invoice.*" | "receipts.*" | "model.*" | "webhook.*" | "ping" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled">;
  /** `slack`: `text` and `blocks` for the URL of a Slack incoming webhook, instead of the event. */
  format: "json" | "slack";
  status: "enabled" | "disabled";
  /** `failing`, `gone` (the receiver returned 410) or `requested`. */
  disabled_reason: string | null;
  /** When deliveries started failing. Null while they succeed. */
  failing_since: string | null;
  /** Warnings sent, after one and three days of failure. */
  warnings: number;
  /** Until then, deliveries carry a second signature made with the previous secret. */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
  /** Verifies signatures. Shown only once. */
  secret: string;
}

/** Every operation of the API: what goes into its path, query and body, and what comes back. */
export interface Operations {
  /** Get the account and its plan. GET /api/v1/account */
  get_account: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: Account;
  };
  /** Get the name and logo on PDFs and shared pages. GET /api/v1/account/branding */
  get_branding: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: Branding;
  };
  /** Set the name and logo on PDFs and shared pages. PUT /api/v1/account/branding */
  set_branding: {
    path: undefined;
    query: undefined;
    body: NewBranding;
    response: Branding;
  };
  /** Get the expected price index of an area for up to 12 months, with its band. GET /api/v1/analytics/forecast */
  get_price_forecast: {
    path: undefined;
    query: {
      /** What the area is. */
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      /** The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood. */
      area: string;
      /** Only needed where an area of this name lies in several markets. */
      market?: string;
      /** One type, or `residential`: single-family, condo, townhouse, multi-family and manufactured together. */
      property_type?: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
      /** How many months ahead. */
      months?: number;
    };
    body: undefined;
    response: PriceForecast;
  };
  /** Get the quality-adjusted price index of an area, with its band and growth. GET /api/v1/analytics/index */
  get_price_index: {
    path: undefined;
    query: {
      /** What the area is. */
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      /** The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood. */
      area: string;
      /** Only needed where an area of this name lies in several markets. */
      market?: string;
      /** One type, or `residential`: single-family, condo, townhouse, multi-family and manufactured together. */
      property_type?: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
      /** Length of a period. */
      interval?: "month" | "quarter" | "year";
      /** From the period that holds this day on. */
      since?: string;
      /** Up to the period that holds this day. */
      until?: string;
      /** `csv` has one line for each period. */
      format?: "json" | "csv";
    };
    body: undefined;
    response: PriceIndex;
  };
  /** Rank the areas of a market, county or state by a figure. GET /api/v1/analytics/rankings */
  rank_areas: {
    path: undefined;
    query: {
      /** What is ranked. */
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      /** What it is ranked by. */
      figure: "sales" | "median_price" | "median_price_per_sqft" | "price_growth_1y" | "price_growth_3y" | "price_growth_5y" | "price_per_sqft_growth_1y" | "price_per_sqft_growth_3y" | "price_per_sqft_growth_5y" | "dispersion" | "turnover" | "price_to_assessment" | "price_to_assessment_dispersion" | "resale_share" | "homes" | "median_value" | "median_year_built" | "median_sqft" | "tax_rate" | "owner_occupied_share" | "permit_share" | "open_violation_share" | "open_lien_share";
      /** Within this market. */
      market?: string;
      /** Or within the county of this FIPS code. */
      county?: string;
      /** Or within this state. */
      state?: string;
      /** Of sales: the type of home. */
      property_type?: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
      /** Length of the period. */
      interval?: "quarter" | "year";
      /** `2025` or `2025-Q4`. The last closed one by default. */
      period?: string;
      order?: "descending" | "ascending";
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: Ranking;
  };
  /** Get sales, prices and what follows from them of an area over time. GET /api/v1/analytics/series */
  get_sales_series: {
    path: undefined;
    query: {
      /** What the area is. */
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      /** The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood. */
      area: string;
      /** Only needed where an area of this name lies in several markets. */
      market?: string;
      /** One type, or `residential`: single-family, condo, townhouse, multi-family and manufactured together. */
      property_type?: "residential" | "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
      /** Length of a period. */
      interval?: "month" | "quarter" | "year";
      /** From the period that holds this day on. */
      since?: string;
      /** Up to the period that holds this day. */
      until?: string;
      /** Only residential homes of this many bedrooms, this size, this era, or new or not when sold. By market, county, city, zip. */
      segment?: "bedrooms_0_1" | "bedrooms_2" | "bedrooms_3" | "bedrooms_4" | "bedrooms_5_plus" | "sqft_under_1000" | "sqft_1000_1499" | "sqft_1500_1999" | "sqft_2000_2999" | "sqft_3000_plus" | "built_before_1940" | "built_1940_1969" | "built_1970_1999" | "built_2000_plus" | "new" | "existing";
      /** `csv` has one line for each period. */
      format?: "json" | "csv";
    };
    body: undefined;
    response: SalesSeries;
  };
  /** Get the same of a polygon, or of whatever a search finds. POST /api/v1/analytics/series */
  get_sales_series_of_search: {
    path: undefined;
    query: undefined;
    body: SalesSeriesSearch;
    response: SalesSeries;
  };
  /** Get the homes of an area: stock, values, permits, violations and liens. GET /api/v1/analytics/summary */
  get_area_summary: {
    path: undefined;
    query: {
      /** What the area is. */
      kind: "market" | "county" | "city" | "zip" | "tract" | "neighborhood";
      /** The area: a market id, a five-digit county FIPS code, a city, a ZIP code, an eleven-digit tract GEOID or a neighborhood. */
      area: string;
      /** Only needed where an area of this name lies in several markets. */
      market?: string;
    };
    body: undefined;
    response: AreaSummary;
  };
  /** List who did what in the account, newest first. GET /api/v1/audit-log */
  list_audit_log: {
    path: undefined;
    query: {
      /** Entries of this action. */
      action?: string;
      /** The entry with this number. */
      sequence?: number;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: AuditPage;
  };
  /** Get measured accuracy against prices the models had not seen. GET /api/v1/avm/accuracy */
  get_accuracy: {
    path: undefined;
    query: {
      /** One market. Defaults to every market the key can see. */
      market?: string;
      /** A segment kind or a segment name. */
      segment?: string;
    };
    body: undefined;
    response: AccuracyPage;
  };
  /** Value a property. POST /api/v1/avm/estimate */
  estimate_value: {
    path: undefined;
    query: undefined;
    body: EstimateRequest;
    response: Valuation | ValuationDryRun;
  };
  /** Value a property by query. GET /api/v1/avm/estimate */
  estimate_value_by_query: {
    path: undefined;
    query: {
      /** Free-form: house number, street, unit, city, state, ZIP. */
      address?: string;
      /** `prop_…` or `fips:apn`. */
      id?: string;
      /** County FIPS code; requires `apn`. */
      fips?: string;
      /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
      apn?: string;
      /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
      latitude?: number;
      longitude?: number;
      /** Living area in square feet. */
      sqft?: number;
      lot_sqft?: number;
      bedrooms?: number;
      bathrooms?: number;
      baths_full?: number;
      baths_half?: number;
      year_built?: number;
      effective_year_built?: number;
      property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other";
      stories?: number;
      units?: number;
      rooms?: number;
      garage_spaces?: number;
      condition?: string;
      quality?: string;
      style?: string;
      exterior?: string;
      zip?: string;
      city?: string;
      neighborhood?: string;
      census_tract?: string;
      /** Value the property using only what was known on this day. */
      as_of?: string;
      interval_level?: number;
      /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
      match?: "standard" | "strict";
      /** Parts of the answer to return as well. */
      include?: "comparables" | "explanation" | "history" | ReadonlyArray<"comparables" | "explanation" | "history">;
      model_version?: string;
      /** Only resolve the property and report what the call would cost. */
      dry_run?: boolean;
    };
    body: undefined;
    response: Valuation | ValuationDryRun;
  };
  /** List valuation models, newest first within a market. GET /api/v1/avm/models */
  list_models: {
    path: undefined;
    query: {
      /** One market. Defaults to every market the key can see. */
      market?: string;
    };
    body: undefined;
    response: ModelPage;
  };
  /** Forecast a home, its other conditions and its land. POST /api/v1/avm/outlook */
  get_outlook: {
    path: undefined;
    query: undefined;
    body: OutlookRequest;
    response: Outlook;
  };
  /** Get evidence of quality for the interagency rule on automated valuation models. GET /api/v1/avm/quality */
  get_quality: {
    path: undefined;
    query: {
      /** The same as a document. */
      format?: "json" | "pdf";
      /** Market id, as listed by /markets. */
      market: string;
    };
    body: undefined;
    response: AvmQuality;
  };
  /** Get a valuation receipt. GET /api/v1/avm/valuations/{id} */
  get_valuation: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: ValuationReceipt;
  };
  /** Prove that a valuation receipt is unchanged. GET /api/v1/avm/valuations/{id}/proof */
  get_valuation_proof: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: ReceiptProof;
  };
  /** Create a batch. POST /api/v1/batches */
  create_batch: {
    path: undefined;
    query: {
      /** Seconds to wait for the batch to finish. */
      wait?: number;
      /** For NDJSON and CSV bodies: any of property, risk, valuation. */
      include?: string;
    };
    body: NewBatch;
    response: BatchWithResults;
  };
  /** List batches, newest first. GET /api/v1/batches */
  list_batches: {
    path: undefined;
    query: {
      status?: "queued" | "running" | "completed" | "failed" | "canceled" | "expired";
      /** Only what happened at or after this time. */
      since?: string;
      /** Only what happened before this time. */
      until?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: BatchPage;
  };
  /** Get a batch’s state, counts and progress. GET /api/v1/batches/{id} */
  get_batch: {
    path: {
      id: string;
    };
    query: {
      /** Seconds to wait for the batch to finish. */
      wait?: number;
    };
    body: undefined;
    response: BatchWithResults;
  };
  /** Delete a finished batch and its results. DELETE /api/v1/batches/{id} */
  delete_batch: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Cancel a batch. POST /api/v1/batches/{id}/cancel */
  cancel_batch: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Batch;
  };
  /** List batch results in input order. GET /api/v1/batches/{id}/results */
  list_batch_results: {
    path: {
      id: string;
    };
    query: {
      format?: "json" | "ndjson" | "csv";
      /** With `format=csv`: name the columns as this provider does, where it has them. */
      names?: "rentcast" | "attom" | "estated";
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
      /** Resume an interrupted NDJSON or CSV stream after this index. */
      after_index?: number;
    };
    body: undefined;
    response: BatchResultPage;
  };
  /** List changes. GET /api/v1/changes */
  list_changes: {
    path: undefined;
    query: {
      /** Two-letter state codes. */
      state?: string | ReadonlyArray<string>;
      /** Market ids, as listed by /markets. */
      market?: string | ReadonlyArray<string>;
      /** Five-digit county FIPS codes. */
      fips?: string | ReadonlyArray<string>;
      /** City names, case-insensitive. */
      city?: string | ReadonlyArray<string>;
      /** Five-digit ZIP codes. */
      zip?: string | ReadonlyArray<string>;
      /** Eleven-digit tract GEOIDs. */
      census_tract?: string | ReadonlyArray<string>;
      /** Center of a circle; requires longitude and radius_miles. */
      latitude?: number;
      /** Center of a circle. */
      longitude?: number;
      /** Radius of the circle. */
      radius_miles?: number;
      /** minLng,minLat,maxLng,maxLat */
      bbox?: string;
      /** Types of property. */
      property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other" | ReadonlyArray<"single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other">;
      /** Minimum value. */
      min_value?: number;
      /** Maximum value. */
      max_value?: number;
      /** Minimum sqft. */
      min_sqft?: number;
      /** Maximum sqft. */
      max_sqft?: number;
      /** Minimum lot_sqft. */
      min_lot_sqft?: number;
      /** Maximum lot_sqft. */
      max_lot_sqft?: number;
      /** Minimum bedrooms. */
      min_bedrooms?: number;
      /** Maximum bedrooms. */
      max_bedrooms?: number;
      /** Minimum bathrooms. */
      min_bathrooms?: number;
      /** Maximum bathrooms. */
      max_bathrooms?: number;
      /** Minimum year_built. */
      min_year_built?: number;
      /** Maximum year_built. */
      max_year_built?: number;
      /** Minimum units. */
      min_units?: number;
      /** Maximum units. */
      max_units?: number;
      /** Minimum assessed_value. */
      min_assessed_value?: number;
      /** Maximum assessed_value. */
      max_assessed_value?: number;
      /** Minimum last_sale_price. */
      min_last_sale_price?: number;
      /** Maximum last_sale_price. */
      max_last_sale_price?: number;
      /** Minimum last_sale_date. */
      min_last_sale_date?: string;
      /** Maximum last_sale_date. */
      max_last_sale_date?: string;
      /** Minimum estimated value per square foot. */
      min_value_per_sqft?: number;
      /** Maximum estimated value per square foot. */
      max_value_per_sqft?: number;
      /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      min_growth?: number;
      /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      max_growth?: number;
      /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
      min_uncertainty?: number;
      /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
      max_uncertainty?: number;
      /** Minimum owned_since. */
      min_owned_since?: string;
      /** Maximum owned_since. */
      max_owned_since?: string;
      /** Minimum open_loans. */
      min_open_loans?: number;
      /** Maximum open_loans. */
      max_open_loans?: number;
      /** Minimum estimated equity in dollars. */
      min_equity?: number;
      /** Maximum estimated equity in dollars. */
      max_equity?: number;
      /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
      min_ltv?: number;
      /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
      max_ltv?: number;
      /** Whether the owner lives at the property. Requires the scope `owners:read`. */
      owner_occupied?: boolean;
      /** Type of owner. Requires the scope `owners:read`. */
      owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
      /** Inside a special flood hazard area. */
      flood_sfha?: boolean;
      /** Inside a designated opportunity zone. */
      opportunity_zone?: boolean;
      /** With at least one open tax lien. */
      has_open_tax_lien?: boolean;
      /** With at least one open code violation. */
      has_open_violation?: boolean;
      /** With a permit issued on or after this date. */
      permit_since?: string;
      /** Where the owner lives, by the mailing address. Requires the scope `owners:read`. */
      occupancy?: "owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee" | ReadonlyArray<"owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee">;
      /** How title is held, by the words of the deed. Requires the scope `owners:read`. */
      vesting?: "sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee" | ReadonlyArray<"sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee">;
      /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
      free_and_clear?: boolean;
      /** The stage of a foreclosure on record. */
      foreclosure_stage?: "none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release" | ReadonlyArray<"none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release">;
      /** Unpaid property taxes: delinquent, a lien, or a lien that was sold. */
      tax_delinquency?: "none" | "delinquent" | "lien" | "lien_sold" | ReadonlyArray<"none" | "delinquent" | "lien" | "lien_sold">;
      /** Conditions on layers loaded by recipe, as `GET /layers` lists them: `layer.field:` with values, or a range with `..`. Several are separated by `;`. */
      layer?: string;
      /** Types of change. */
      type?: "property.created" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | ReadonlyArray<"property.created" | "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed">;
      /** Where to start without a cursor. */
      from?: "earliest" | "now";
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
      /** Page size. */
      limit?: number;
      /** Seconds to wait if there is nothing new yet. */
      wait?: number;
      format?: "json" | "ndjson" | "cloudevents";
    };
    body: undefined;
    response: FeedPage;
  };
  /** List what is loaded: layers, places, periods, sources, licenses. GET /api/v1/coverage */
  describe_coverage: {
    path: undefined;
    query: {
      /** Only this market. */
      market?: string;
    };
    body: undefined;
    response: Coverage;
  };
  /** List which fields are stated, county by county. GET /api/v1/coverage/fields */
  list_field_coverage: {
    path: undefined;
    query: {
      /** Only this market. */
      market?: string;
      /** Only this county. */
      fips?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: CountyFieldsPage;
  };
  /** Get a delivery with its payload and every attempt. GET /api/v1/deliveries/{id} */
  get_delivery: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: WebhookDeliveryWithLog;
  };
  /** Redeliver a delivery. POST /api/v1/deliveries/{id}/redeliver */
  redeliver: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: WebhookDelivery;
  };
  /** What happened in the account, newest first. GET /api/v1/events */
  list_events: {
    path: undefined;
    query: {
      /** Event types. */
      type?: "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping" | ReadonlyArray<"property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping">;
      /** Only what happened at or after this time. */
      since?: string;
      /** Only what happened before this time. */
      until?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: EventPage;
  };
  /** Get an event. GET /api/v1/events/{id} */
  get_event: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Event;
  };
  /** List exports. GET /api/v1/exports */
  list_exports: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ExportPage;
  };
  /** Deliver a dataset as files, once or on a schedule. POST /api/v1/exports */
  create_export: {
    path: undefined;
    query: undefined;
    body: NewExport;
    response: ExportWithRun;
  };
  /** Get an export. GET /api/v1/exports/{id} */
  get_export: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Export;
  };
  /** Update an export’s name or schedule, or pause or resume it. PATCH /api/v1/exports/{id} */
  update_export: {
    path: {
      id: string;
    };
    query: undefined;
    body: ExportPatch;
    response: Export;
  };
  /** Delete an export and the files kept of it; files in a bucket stay. DELETE /api/v1/exports/{id} */
  delete_export: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Run an export now. POST /api/v1/exports/{id}/runs */
  run_export: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: ExportRun;
  };
  /** List an export’s runs, newest first. GET /api/v1/exports/{id}/runs */
  list_export_runs: {
    path: {
      id: string;
    };
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ExportRunPage;
  };
  /** Get an export run. GET /api/v1/exports/{id}/runs/{run_id} */
  get_export_run: {
    path: {
      id: string;
      run_id: string;
    };
    query: undefined;
    body: undefined;
    response: ExportRun;
  };
  /** Download a file of a run that went to a folder. GET /api/v1/exports/{id}/runs/{run_id}/files/{name} */
  get_export_file: {
    path: {
      id: string;
      run_id: string;
      name: string;
    };
    query: undefined;
    body: undefined;
    response: unknown;
  };
  /** Invoices, newest first. GET /api/v1/invoices */
  list_invoices: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: InvoicePage;
  };
  /** One invoice, or its PDF with `.pdf`. GET /api/v1/invoices/{id} */
  get_invoice: {
    path: {
      /** Id or number; with `.pdf` behind it the document. */
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Invoice;
  };
  /** List the keys of the account. GET /api/v1/keys */
  list_keys: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ApiKeyPage;
  };
  /** Create a key. POST /api/v1/keys */
  create_key: {
    path: undefined;
    query: undefined;
    body: NewApiKey;
    response: ApiKeyWithSecret;
  };
  /** Get a key. GET /api/v1/keys/{id} */
  get_key: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: ApiKey;
  };
  /** Change a key’s name, scopes or limits. PATCH /api/v1/keys/{id} */
  update_key: {
    path: {
      id: string;
    };
    query: undefined;
    body: ApiKeyPatch;
    response: ApiKey;
  };
  /** Revoke a key. POST /api/v1/keys/{id}/revoke */
  revoke_key: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: ApiKey;
  };
  /** Rotate a key. POST /api/v1/keys/{id}/rotate */
  rotate_key: {
    path: {
      id: string;
    };
    query: undefined;
    body: KeyRotation;
    response: ApiKeyWithSecret;
  };
  /** List the layers of this server, with their fields. GET /api/v1/layers */
  list_layers: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: LayerPage;
  };
  /** Register a loan to be told what becomes known of it. POST /api/v1/loans */
  register_loan: {
    path: undefined;
    query: undefined;
    body: NewLoan;
    response: Loan;
  };
  /** List registered loans. GET /api/v1/loans */
  list_loans: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: LoanPage;
  };
  /** Register up to 500 loans; a bad row is refused by itself. POST /api/v1/loans/batch */
  register_loans: {
    path: undefined;
    query: undefined;
    body: NewLoans;
    response: RegisteredLoans;
  };
  /** Get a loan and its condition. GET /api/v1/loans/{id} */
  get_loan: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Loan;
  };
  /** Delete a loan and its history. DELETE /api/v1/loans/{id} */
  delete_loan: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** List what became known of a loan, newest first. GET /api/v1/loans/{id}/changes */
  list_loan_changes: {
    path: {
      id: string;
    };
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: LoanChangePage;
  };
  /** Get the condition of a loan as it was known on a day. GET /api/v1/loans/{id}/statement */
  get_loan_statement: {
    path: {
      id: string;
    };
    query: {
      /** What was known by the end of this day, in UTC. Default: today. */
      as_of?: string;
    };
    body: undefined;
    response: LoanStatement;
  };
  /** List the markets this key can see. GET /api/v1/markets */
  list_markets: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: MarketPage;
  };
  /** Get one market. GET /api/v1/markets/{id} */
  get_market: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Market;
  };
  /** OGC API – Features: landing page. GET /api/v1/ogc */
  ogc_landing_page: {
    path: undefined;
    query: {
      /** JSON is the only format. */
      f?: "json";
    };
    body: undefined;
    response: Record<string, unknown>;
  };
  /** OGC API – Features: the layers. GET /api/v1/ogc/collections */
  ogc_collections: {
    path: undefined;
    query: {
      /** JSON is the only format. */
      f?: "json";
    };
    body: undefined;
    response: Record<string, unknown>;
  };
  /** OGC API – Features: one layer. GET /api/v1/ogc/collections/{collection} */
  ogc_collection: {
    path: {
      /** properties, parcels, sales, areas */
      collection: string;
    };
    query: {
      /** JSON is the only format. */
      f?: "json";
    };
    body: undefined;
    response: Record<string, unknown>;
  };
  /** OGC API – Features: the features of a layer, page by page. GET /api/v1/ogc/collections/{collection}/items */
  ogc_items: {
    path: {
      /** properties, parcels, sales, areas */
      collection: string;
    };
    query: {
      /** JSON is the only format. */
      f?: "json";
      /** At most 500 are given. */
      limit?: number;
      /** From the `next` link. */
      cursor?: string;
      /** minLng,minLat,maxLng,maxLat, or in `bbox-crs`. */
      bbox?: string;
      /** One of http://www.opengis.net/def/crs/OGC/1.3/CRS84, http://www.opengis.net/def/crs/EPSG/0/4326, http://www.opengis.net/def/crs/EPSG/0/3857. */
      'bbox-crs'?: string;
      /** A day or a span; for sales, when they were made. */
      datetime?: string;
      /** One of http://www.opengis.net/def/crs/OGC/1.3/CRS84, http://www.opengis.net/def/crs/EPSG/0/4326, http://www.opengis.net/def/crs/EPSG/0/3857. */
      crs?: string;
      /** CQL2 text over the queryables. */
      filter?: string;
      'filter-lang'?: "cql2-text";
      'filter-crs'?: "http://www.opengis.net/def/crs/OGC/1.3/CRS84";
    };
    body: undefined;
    response: unknown;
  };
  /** OGC API – Features: one feature. GET /api/v1/ogc/collections/{collection}/items/{id} */
  ogc_item: {
    path: {
      /** properties, parcels, sales, areas */
      collection: string;
      id: string;
    };
    query: {
      /** JSON is the only format. */
      f?: "json";
      /** One of http://www.opengis.net/def/crs/OGC/1.3/CRS84, http://www.opengis.net/def/crs/EPSG/0/4326, http://www.opengis.net/def/crs/EPSG/0/3857. */
      crs?: string;
    };
    body: undefined;
    response: unknown;
  };
  /** OGC API – Features: what a filter can name. GET /api/v1/ogc/collections/{collection}/queryables */
  ogc_queryables: {
    path: {
      /** properties, parcels, sales, areas */
      collection: string;
    };
    query: {
      /** JSON is the only format. */
      f?: "json";
    };
    body: undefined;
    response: unknown;
  };
  /** OGC API – Features: what is implemented. GET /api/v1/ogc/conformance */
  ogc_conformance: {
    path: undefined;
    query: {
      /** JSON is the only format. */
      f?: "json";
    };
    body: undefined;
    response: Record<string, unknown>;
  };
  /** Find owners and parties to deeds by name or mailing address. POST /api/v1/owners/search */
  search_owners: {
    path: undefined;
    query: undefined;
    body: OwnerSearch;
    response: PartyList;
  };
  /** Get an owner’s properties, their joint value, and related owners. GET /api/v1/owners/{id} */
  get_owner: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: OwnerPortfolio;
  };
  /** Find a place by the name people give it. GET /api/v1/places */
  find_places: {
    path: undefined;
    query: {
      /** `Port Ellowby, ZZ`, `00103`, `Wendemere County`. */
      q: string;
    };
    body: undefined;
    response: PlacePage;
  };
  /** List plans. GET /api/v1/plans */
  list_plans: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: PlanPage;
  };
  /** Suggest addresses while typing. GET /api/v1/properties/autocomplete */
  autocomplete_address: {
    path: undefined;
    query: {
      /** The text typed so far, words in any order. */
      q: string;
      limit?: number;
    };
    body: undefined;
    response: AddressSuggestionPage;
  };
  /** Count the properties that match a search. GET /api/v1/properties/count */
  count_properties: {
    path: undefined;
    query: {
      /** Two-letter state codes. */
      state?: string | ReadonlyArray<string>;
      /** Market ids, as listed by /markets. */
      market?: string | ReadonlyArray<string>;
      /** Five-digit county FIPS codes. */
      fips?: string | ReadonlyArray<string>;
      /** City names, case-insensitive. */
      city?: string | ReadonlyArray<string>;
      /** Five-digit ZIP codes. */
      zip?: string | ReadonlyArray<string>;
      /** Eleven-digit tract GEOIDs. */
      census_tract?: string | ReadonlyArray<string>;
      /** Center of a circle; requires longitude and radius_miles. */
      latitude?: number;
      /** Center of a circle. */
      longitude?: number;
      /** Radius of the circle. */
      radius_miles?: number;
      /** minLng,minLat,maxLng,maxLat */
      bbox?: string;
      /** Types of property. */
      property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other" | ReadonlyArray<"single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other">;
      /** Minimum value. */
      min_value?: number;
      /** Maximum value. */
      max_value?: number;
      /** Minimum sqft. */
      min_sqft?: number;
      /** Maximum sqft. */
      max_sqft?: number;
      /** Minimum lot_sqft. */
      min_lot_sqft?: number;
      /** Maximum lot_sqft. */
      max_lot_sqft?: number;
      /** Minimum bedrooms. */
      min_bedrooms?: number;
      /** Maximum bedrooms. */
      max_bedrooms?: number;
      /** Minimum bathrooms. */
      min_bathrooms?: number;
      /** Maximum bathrooms. */
      max_bathrooms?: number;
      /** Minimum year_built. */
      min_year_built?: number;
      /** Maximum year_built. */
      max_year_built?: number;
      /** Minimum units. */
      min_units?: number;
      /** Maximum units. */
      max_units?: number;
      /** Minimum assessed_value. */
      min_assessed_value?: number;
      /** Maximum assessed_value. */
      max_assessed_value?: number;
      /** Minimum last_sale_price. */
      min_last_sale_price?: number;
      /** Maximum last_sale_price. */
      max_last_sale_price?: number;
      /** Minimum last_sale_date. */
      min_last_sale_date?: string;
      /** Maximum last_sale_date. */
      max_last_sale_date?: string;
      /** Minimum estimated value per square foot. */
      min_value_per_sqft?: number;
      /** Maximum estimated value per square foot. */
      max_value_per_sqft?: number;
      /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      min_growth?: number;
      /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      max_growth?: number;
      /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
      min_uncertainty?: number;
      /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
      max_uncertainty?: number;
      /** Minimum owned_since. */
      min_owned_since?: string;
      /** Maximum owned_since. */
      max_owned_since?: string;
      /** Minimum open_loans. */
      min_open_loans?: number;
      /** Maximum open_loans. */
      max_open_loans?: number;
      /** Minimum estimated equity in dollars. */
      min_equity?: number;
      /** Maximum estimated equity in dollars. */
      max_equity?: number;
      /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
      min_ltv?: number;
      /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
      max_ltv?: number;
      /** Whether the owner lives at the property. Requires the scope `owners:read`. */
      owner_occupied?: boolean;
      /** Type of owner. Requires the scope `owners:read`. */
      owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
      /** Inside a special flood hazard area. */
      flood_sfha?: boolean;
      /** Inside a designated opportunity zone. */
      opportunity_zone?: boolean;
      /** With at least one open tax lien. */
      has_open_tax_lien?: boolean;
      /** With at least one open code violation. */
      has_open_violation?: boolean;
      /** With a permit issued on or after this date. */
      permit_since?: string;
      /** Where the owner lives, by the mailing address. Requires the scope `owners:read`. */
      occupancy?: "owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee" | ReadonlyArray<"owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee">;
      /** How title is held, by the words of the deed. Requires the scope `owners:read`. */
      vesting?: "sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee" | ReadonlyArray<"sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee">;
      /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
      free_and_clear?: boolean;
      /** The stage of a foreclosure on record. */
      foreclosure_stage?: "none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release" | ReadonlyArray<"none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release">;
      /** Unpaid property taxes: delinquent, a lien, or a lien that was sold. */
      tax_delinquency?: "none" | "delinquent" | "lien" | "lien_sold" | ReadonlyArray<"none" | "delinquent" | "lien" | "lien_sold">;
      /** Conditions on layers loaded by recipe, as `GET /layers` lists them: `layer.field:` with values, or a range with `..`. Several are separated by `;`. */
      layer?: string;
      /** Changed at or after this instant or date; use it to keep a copy in sync. */
      updated_since?: string;
    };
    body: undefined;
    response: PropertyCount;
  };
  /** Look up one property by address, id, parcel number or point. GET /api/v1/properties/lookup */
  lookup_property: {
    path: undefined;
    query: {
      /** Free-form: house number, street, unit, city, state, ZIP. */
      address?: string;
      /** `prop_…` or `fips:apn`. */
      id?: string;
      /** County FIPS code; requires `apn`. */
      fips?: string;
      /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
      apn?: string;
      /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
      latitude?: number;
      longitude?: number;
      /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
      match?: "standard" | "strict";
      /** Also return these. `owner` requires the `owners:read` scope. */
      include?: "owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage" | ReadonlyArray<"owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage">;
      /** Members to return. `object` and `id` are always returned. */
      fields?: "object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at" | ReadonlyArray<"object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at">;
    };
    body: undefined;
    response: PropertyLookup;
  };
  /** Search properties. GET /api/v1/properties/search */
  search_properties: {
    path: undefined;
    query: {
      /** Two-letter state codes. */
      state?: string | ReadonlyArray<string>;
      /** Market ids, as listed by /markets. */
      market?: string | ReadonlyArray<string>;
      /** Five-digit county FIPS codes. */
      fips?: string | ReadonlyArray<string>;
      /** City names, case-insensitive. */
      city?: string | ReadonlyArray<string>;
      /** Five-digit ZIP codes. */
      zip?: string | ReadonlyArray<string>;
      /** Eleven-digit tract GEOIDs. */
      census_tract?: string | ReadonlyArray<string>;
      /** Center of a circle; requires longitude and radius_miles. */
      latitude?: number;
      /** Center of a circle. */
      longitude?: number;
      /** Radius of the circle. */
      radius_miles?: number;
      /** minLng,minLat,maxLng,maxLat */
      bbox?: string;
      /** Types of property. */
      property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other" | ReadonlyArray<"single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other">;
      /** Minimum value. */
      min_value?: number;
      /** Maximum value. */
      max_value?: number;
      /** Minimum sqft. */
      min_sqft?: number;
      /** Maximum sqft. */
      max_sqft?: number;
      /** Minimum lot_sqft. */
      min_lot_sqft?: number;
      /** Maximum lot_sqft. */
      max_lot_sqft?: number;
      /** Minimum bedrooms. */
      min_bedrooms?: number;
      /** Maximum bedrooms. */
      max_bedrooms?: number;
      /** Minimum bathrooms. */
      min_bathrooms?: number;
      /** Maximum bathrooms. */
      max_bathrooms?: number;
      /** Minimum year_built. */
      min_year_built?: number;
      /** Maximum year_built. */
      max_year_built?: number;
      /** Minimum units. */
      min_units?: number;
      /** Maximum units. */
      max_units?: number;
      /** Minimum assessed_value. */
      min_assessed_value?: number;
      /** Maximum assessed_value. */
      max_assessed_value?: number;
      /** Minimum last_sale_price. */
      min_last_sale_price?: number;
      /** Maximum last_sale_price. */
      max_last_sale_price?: number;
      /** Minimum last_sale_date. */
      min_last_sale_date?: string;
      /** Maximum last_sale_date. */
      max_last_sale_date?: string;
      /** Minimum estimated value per square foot. */
      min_value_per_sqft?: number;
      /** Maximum estimated value per square foot. */
      max_value_per_sqft?: number;
      /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      min_growth?: number;
      /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      max_growth?: number;
      /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
      min_uncertainty?: number;
      /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
      max_uncertainty?: number;
      /** Minimum owned_since. */
      min_owned_since?: string;
      /** Maximum owned_since. */
      max_owned_since?: string;
      /** Minimum open_loans. */
      min_open_loans?: number;
      /** Maximum open_loans. */
      max_open_loans?: number;
      /** Minimum estimated equity in dollars. */
      min_equity?: number;
      /** Maximum estimated equity in dollars. */
      max_equity?: number;
      /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
      min_ltv?: number;
      /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
      max_ltv?: number;
      /** Whether the owner lives at the property. Requires the scope `owners:read`. */
      owner_occupied?: boolean;
      /** Type of owner. Requires the scope `owners:read`. */
      owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
      /** Inside a special flood hazard area. */
      flood_sfha?: boolean;
      /** Inside a designated opportunity zone. */
      opportunity_zone?: boolean;
      /** With at least one open tax lien. */
      has_open_tax_lien?: boolean;
      /** With at least one open code violation. */
      has_open_violation?: boolean;
      /** With a permit issued on or after this date. */
      permit_since?: string;
      /** Where the owner lives, by the mailing address. Requires the scope `owners:read`. */
      occupancy?: "owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee" | ReadonlyArray<"owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee">;
      /** How title is held, by the words of the deed. Requires the scope `owners:read`. */
      vesting?: "sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee" | ReadonlyArray<"sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee">;
      /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
      free_and_clear?: boolean;
      /** The stage of a foreclosure on record. */
      foreclosure_stage?: "none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release" | ReadonlyArray<"none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release">;
      /** Unpaid property taxes: delinquent, a lien, or a lien that was sold. */
      tax_delinquency?: "none" | "delinquent" | "lien" | "lien_sold" | ReadonlyArray<"none" | "delinquent" | "lien" | "lien_sold">;
      /** Conditions on layers loaded by recipe, as `GET /layers` lists them: `layer.field:` with values, or a range with `..`. Several are separated by `;`. */
      layer?: string;
      /** Changed at or after this instant or date; use it to keep a copy in sync. */
      updated_since?: string;
      /** Sort order; `-` for descending. Properties without the value come last. Default: by id. */
      sort?: "value" | "-value" | "sqft" | "-sqft" | "year_built" | "-year_built" | "last_sale_date" | "-last_sale_date" | "last_sale_price" | "-last_sale_price" | "updated_at" | "-updated_at" | "distance";
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
      /** Also return the total number of matches. */
      include_total?: boolean;
      /** Members to return. `object` and `id` are always returned. */
      fields?: "object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at" | ReadonlyArray<"object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at">;
      /** Also return these. `owner` requires the `owners:read` scope. */
      include?: "owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage" | ReadonlyArray<"owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage">;
      /** Default: json. */
      format?: "json" | "geojson" | "ndjson" | "csv";
    };
    body: undefined;
    response: PropertyPage;
  };
  /** Search properties with a geometry. POST /api/v1/properties/search */
  search_properties_by_body: {
    path: undefined;
    query: undefined;
    body: PropertySearch;
    response: PropertyPage;
  };
  /** Get one property. GET /api/v1/properties/{id} */
  get_property: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: {
      /** Also return these. `owner` requires the `owners:read` scope. */
      include?: "owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage" | ReadonlyArray<"owner" | "assessments" | "taxes" | "transactions" | "risk" | "provenance" | "geometry" | "lineage">;
      /** Members to return. `object` and `id` are always returned. */
      fields?: "object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at" | ReadonlyArray<"object" | "id" | "identifiers" | "address" | "latitude" | "longitude" | "geo_precision" | "property_type" | "sqft" | "bedrooms" | "bathrooms" | "parcel" | "structure" | "owner" | "assessments" | "taxes" | "transactions" | "last_sale" | "valuation" | "tenure" | "equity" | "risk_summary" | "risk" | "provenance" | "geometry" | "lineage" | "distance_miles" | "status" | "updated_at">;
    };
    body: undefined;
    response: Property;
  };
  /** List assessments by year, newest first. GET /api/v1/properties/{id}/assessments */
  list_assessments: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: undefined;
    body: undefined;
    response: AssessmentPage;
  };
  /** List changes to a record, newest first. GET /api/v1/properties/{id}/changes */
  list_property_changes: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ChangePage;
  };
  /** List similar homes sold nearby, adjusted to match this one. GET /api/v1/properties/{id}/comparables */
  list_comparables: {
    path: {
      id: string;
    };
    query: {
      count?: number;
      max_distance_miles?: number;
      max_age_days?: number;
    };
    body: undefined;
    response: ComparablePage;
  };
  /** Get the risk and enrichment layers of a property. GET /api/v1/properties/{id}/risk */
  get_risk: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: {
      /** Layers to return, as `GET /layers` lists them. Default: all. */
      layers?: "flood" | "tax_liens" | "permits" | "code_violations" | "census" | "opportunity_zone" | ReadonlyArray<"flood" | "tax_liens" | "permits" | "code_violations" | "census" | "opportunity_zone">;
    };
    body: undefined;
    response: RiskReport;
  };
  /** Get the chain of title, mortgages, liens and what is open. GET /api/v1/properties/{id}/title */
  get_title: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: undefined;
    body: undefined;
    response: TitleReport;
  };
  /** List deeds, mortgages and releases, newest first. GET /api/v1/properties/{id}/transactions */
  list_transactions: {
    path: {
      /** `prop_…`, or `fips:apn`, for example `99001:12-3456`. */
      id: string;
    };
    query: {
      type?: "deed" | "mortgage" | "release" | "foreclosure" | "other";
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: TransactionPage;
  };
  /** Estimate the rent of a home by query. GET /api/v1/rents/estimate */
  estimate_rent_by_query: {
    path: undefined;
    query: {
      /** Free-form: house number, street, unit, city, state, ZIP. */
      address?: string;
      /** `prop_…` or `fips:apn`. */
      id?: string;
      /** County FIPS code; requires `apn`. */
      fips?: string;
      /** Parcel number; requires `fips`. Dashes and spaces are ignored. */
      apn?: string;
      /** Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m. */
      latitude?: number;
      longitude?: number;
      /** Instead of the number on record. */
      bedrooms?: number;
      /** What the home is worth, instead of the stored value. */
      value?: number;
      /** Yields are then on the price instead of the value. */
      purchase_price?: number;
      /** `standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead. */
      match?: "standard" | "strict";
      /** Property tax a year, instead of the last bill on record. */
      taxes?: number;
      /** Premium a year. Without it there is neither a cap rate nor a DSCR. */
      insurance?: number;
      /** Dues of an owners’ association a year. */
      hoa?: number;
      /** A year. */
      maintenance?: number;
      /** A year. */
      other_expenses?: number;
      /** Part of the year without a tenant: 0.05 is 5%. */
      vacancy?: number;
      /** Fee, as a share of the rent that is collected. */
      management?: number;
      /** The loan, in dollars. */
      loan_amount?: number;
      /** Interest a year: 0.07 is 7%. */
      loan_rate?: number;
      loan_term_years?: number;
      /** Payments are of interest alone. */
      loan_interest_only?: boolean;
    };
    body: undefined;
    response: RentEstimate;
  };
  /** Estimate the rent of a home. POST /api/v1/rents/estimate */
  estimate_rent: {
    path: undefined;
    query: undefined;
    body: RentRequest;
    response: RentEstimate;
  };
  /** Make a lender’s file: value, comparables, title, risk, market, data gaps and decision. POST /api/v1/reports */
  create_report: {
    path: undefined;
    query: undefined;
    body: ReportRequest;
    response: Report;
  };
  /** List reports, newest first. GET /api/v1/reports */
  list_reports: {
    path: undefined;
    query: {
      /** Reports on this property only. */
      property_id?: string;
      /** Only what happened at or after this time. */
      since?: string;
      /** Only what happened before this time. */
      until?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ReportPage;
  };
  /** Get the rules that reports are checked against. GET /api/v1/reports/rules */
  get_report_rules: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: ReportRules;
  };
  /** Replace the rules that reports are checked against. PUT /api/v1/reports/rules */
  set_report_rules: {
    path: undefined;
    query: undefined;
    body: NewReportRules;
    response: ReportRules;
  };
  /** Get a report as it was made. GET /api/v1/reports/{id} */
  get_report: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Report;
  };
  /** Delete a report. DELETE /api/v1/reports/{id} */
  delete_report: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Get a report as a PDF to be filed. GET /api/v1/reports/{id}/pdf */
  get_report_pdf: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: unknown;
  };
  /** List requests, newest first. GET /api/v1/requests */
  list_requests: {
    path: undefined;
    query: {
      /** The `x-request-id` of a response. */
      request_id?: string;
      mode?: "live" | "test";
      status?: number;
      key_id?: string;
      /** Only what happened at or after this time. */
      since?: string;
      /** Only what happened before this time. */
      until?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: RequestPage;
  };
  /** Get one request with what was asked and answered. GET /api/v1/requests/{request_id} */
  get_request: {
    path: {
      /** The `x-request-id` of a response. */
      request_id: string;
    };
    query: undefined;
    body: undefined;
    response: RequestDetail;
  };
  /** List appraisal reviews. GET /api/v1/reviews */
  list_reviews: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: ReviewPage;
  };
  /** Review an appraisal: its comparables, adjustments and value against the records. POST /api/v1/reviews */
  create_review: {
    path: undefined;
    query: undefined;
    body: ReviewRequest;
    response: Review;
  };
  /** Get an appraisal review as it was made. GET /api/v1/reviews/{id} */
  get_review: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Review;
  };
  /** Delete an appraisal review. DELETE /api/v1/reviews/{id} */
  delete_review: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Get an appraisal review as a PDF. GET /api/v1/reviews/{id}/pdf */
  get_review_pdf: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: unknown;
  };
  /** Trigger a sandbox event. POST /api/v1/sandbox/events */
  trigger_sandbox_event: {
    path: undefined;
    query: undefined;
    body: TriggeredEvent;
    response: Event;
  };
  /** List the sandbox’s magic inputs. GET /api/v1/sandbox/fixtures */
  list_sandbox_fixtures: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: SandboxFixtureList;
  };
  /** Make a read-only link to a property, an area, a portfolio or a lender’s file. POST /api/v1/shares */
  create_share: {
    path: undefined;
    query: undefined;
    body: NewShare;
    response: ShareWithLink;
  };
  /** List share links. GET /api/v1/shares */
  list_shares: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: SharePage;
  };
  /** Revoke a share link at once. POST /api/v1/shares/{id}/revoke */
  revoke_share: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Share;
  };
  /** List test clocks. GET /api/v1/test-clocks */
  list_test_clocks: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: TestClockPage;
  };
  /** Create a test clock. POST /api/v1/test-clocks */
  create_test_clock: {
    path: undefined;
    query: undefined;
    body: {
      name: string;
      /** Where it begins, within ten years of the present. Defaults to the present. */
      now?: string;
      plan?: "builder" | "pro" | "scale";
      interval?: "month" | "year";
      /** `tok_test_declined` is on file like any card, and refuses every charge. */
      card?: "tok_test_visa" | "tok_test_declined" | null;
    };
    response: TestClockWithKey;
  };
  /** Get a test clock. GET /api/v1/test-clocks/{id} */
  get_test_clock: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: TestClock;
  };
  /** Change the card or plan of a test clock. PATCH /api/v1/test-clocks/{id} */
  update_test_clock: {
    path: {
      id: string;
    };
    query: undefined;
    body: {
      /** `tok_test_declined` is on file like any card, and refuses every charge. */
      card?: "tok_test_visa" | "tok_test_declined";
      plan?: "builder" | "pro" | "scale";
      interval?: "month" | "year";
      when?: "now" | "trial_end";
      /** True cancels the plan at the end of its term; false resumes it. */
      cancels_at_end?: boolean;
    };
    response: TestClock;
  };
  /** Delete a test clock with all it has. DELETE /api/v1/test-clocks/{id} */
  delete_test_clock: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Advance a test clock. POST /api/v1/test-clocks/{id}/advance */
  advance_test_clock: {
    path: {
      id: string;
    };
    query: undefined;
    body: {
      /** Later than `now`, by 24 months at most. */
      to: string;
    };
    response: TestClock;
  };
  /** List the invoices of a test clock, newest first. GET /api/v1/test-clocks/{id}/invoices */
  list_test_clock_invoices: {
    path: {
      id: string;
    };
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: InvoicePage;
  };
  /** Get the TileJSON of the vector tiles. GET /api/v1/tiles */
  describe_tiles: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: TileJson;
  };
  /** Get one vector tile of boundaries. GET /api/v1/tiles/boundaries/{z}/{x}/{y}.mvt */
  get_boundary_tile: {
    path: {
      /** Zoom. */
      z: number;
      /** Column. */
      x: number;
      /** Row. */
      y: number;
    };
    query: undefined;
    body: undefined;
    response: unknown;
  };
  /** Get one vector tile. GET /api/v1/tiles/{z}/{x}/{y}.mvt */
  get_tile: {
    path: {
      /** Zoom. */
      z: number;
      /** Column. */
      x: number;
      /** Row. */
      y: number;
    };
    query: {
      /** Two-letter state codes. */
      state?: string | ReadonlyArray<string>;
      /** Market ids, as listed by /markets. */
      market?: string | ReadonlyArray<string>;
      /** Five-digit county FIPS codes. */
      fips?: string | ReadonlyArray<string>;
      /** City names, case-insensitive. */
      city?: string | ReadonlyArray<string>;
      /** Five-digit ZIP codes. */
      zip?: string | ReadonlyArray<string>;
      /** Eleven-digit tract GEOIDs. */
      census_tract?: string | ReadonlyArray<string>;
      /** Center of a circle; requires longitude and radius_miles. */
      latitude?: number;
      /** Center of a circle. */
      longitude?: number;
      /** Radius of the circle. */
      radius_miles?: number;
      /** minLng,minLat,maxLng,maxLat */
      bbox?: string;
      /** Types of property. */
      property_type?: "single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other" | ReadonlyArray<"single_family" | "condo" | "townhouse" | "multi_family" | "apartment" | "manufactured" | "land" | "commercial" | "other">;
      /** Minimum value. */
      min_value?: number;
      /** Maximum value. */
      max_value?: number;
      /** Minimum sqft. */
      min_sqft?: number;
      /** Maximum sqft. */
      max_sqft?: number;
      /** Minimum lot_sqft. */
      min_lot_sqft?: number;
      /** Maximum lot_sqft. */
      max_lot_sqft?: number;
      /** Minimum bedrooms. */
      min_bedrooms?: number;
      /** Maximum bedrooms. */
      max_bedrooms?: number;
      /** Minimum bathrooms. */
      min_bathrooms?: number;
      /** Maximum bathrooms. */
      max_bathrooms?: number;
      /** Minimum year_built. */
      min_year_built?: number;
      /** Maximum year_built. */
      max_year_built?: number;
      /** Minimum units. */
      min_units?: number;
      /** Maximum units. */
      max_units?: number;
      /** Minimum assessed_value. */
      min_assessed_value?: number;
      /** Maximum assessed_value. */
      max_assessed_value?: number;
      /** Minimum last_sale_price. */
      min_last_sale_price?: number;
      /** Maximum last_sale_price. */
      max_last_sale_price?: number;
      /** Minimum last_sale_date. */
      min_last_sale_date?: string;
      /** Maximum last_sale_date. */
      max_last_sale_date?: string;
      /** Minimum estimated value per square foot. */
      min_value_per_sqft?: number;
      /** Maximum estimated value per square foot. */
      max_value_per_sqft?: number;
      /** Minimum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      min_growth?: number;
      /** Maximum growth per year from the last sale to the estimated value: 0.05 is 5%. */
      max_growth?: number;
      /** Minimum forecast standard deviation (`fsd`) of the estimated value. */
      min_uncertainty?: number;
      /** Maximum forecast standard deviation (`fsd`) of the estimated value. */
      max_uncertainty?: number;
      /** Minimum owned_since. */
      min_owned_since?: string;
      /** Maximum owned_since. */
      max_owned_since?: string;
      /** Minimum open_loans. */
      min_open_loans?: number;
      /** Maximum open_loans. */
      max_open_loans?: number;
      /** Minimum estimated equity in dollars. */
      min_equity?: number;
      /** Maximum estimated equity in dollars. */
      max_equity?: number;
      /** Minimum balance of the open loans as a share of the value: 0.8 is 80%. */
      min_ltv?: number;
      /** Maximum balance of the open loans as a share of the value: 0.8 is 80%. */
      max_ltv?: number;
      /** Whether the owner lives at the property. Requires the scope `owners:read`. */
      owner_occupied?: boolean;
      /** Type of owner. Requires the scope `owners:read`. */
      owner_type?: "individual" | "company" | "trust" | "government" | "nonprofit" | "bank" | "other";
      /** Inside a special flood hazard area. */
      flood_sfha?: boolean;
      /** Inside a designated opportunity zone. */
      opportunity_zone?: boolean;
      /** With at least one open tax lien. */
      has_open_tax_lien?: boolean;
      /** With at least one open code violation. */
      has_open_violation?: boolean;
      /** With a permit issued on or after this date. */
      permit_since?: string;
      /** Where the owner lives, by the mailing address. Requires the scope `owners:read`. */
      occupancy?: "owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee" | ReadonlyArray<"owner_occupied" | "absentee_in_state" | "absentee_out_of_state" | "absentee">;
      /** How title is held, by the words of the deed. Requires the scope `owners:read`. */
      vesting?: "sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee" | ReadonlyArray<"sole" | "joint_tenants" | "tenants_in_common" | "tenants_by_entirety" | "community_property" | "life_estate" | "trustee">;
      /** Whether no loan or lien is open. Unknown where the records do not reach matches neither. */
      free_and_clear?: boolean;
      /** The stage of a foreclosure on record. */
      foreclosure_stage?: "none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release" | ReadonlyArray<"none" | "notice" | "sale_notice" | "ended_by_deed" | "ended_by_release">;
      /** Unpaid property taxes: delinquent, a lien, or a lien that was sold. */
      tax_delinquency?: "none" | "delinquent" | "lien" | "lien_sold" | ReadonlyArray<"none" | "delinquent" | "lien" | "lien_sold">;
      /** Conditions on layers loaded by recipe, as `GET /layers` lists them: `layer.field:` with values, or a range with `..`. Several are separated by `;`. */
      layer?: string;
      /** Changed at or after this instant or date; use it to keep a copy in sync. */
      updated_since?: string;
      /** Only homes inside this ring: `lng,lat;lng,lat;…`, from three corners up to 1,000. */
      area?: string;
      /** The `figure` of each property, and the `median` of each cell. Default: value. */
      color?: "value" | "last_sale_price" | "assessed_value" | "year_built" | "value_per_sqft" | "growth" | "uncertainty";
    };
    body: undefined;
    response: unknown;
  };
  /** Get current usage and limits. GET /api/v1/usage */
  get_usage: {
    path: undefined;
    query: undefined;
    body: undefined;
    response: Usage;
  };
  /** List usage by day, key and route. GET /api/v1/usage/daily */
  list_daily_usage: {
    path: undefined;
    query: {
      /** First day, in UTC. Defaults to 30 days ago. */
      from?: string;
      /** Last day, in UTC. Defaults to today. */
      to?: string;
    };
    body: undefined;
    response: DailyUsagePage;
  };
  /** List watchlists. GET /api/v1/watchlists */
  list_watchlists: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: WatchlistPage;
  };
  /** Create a watchlist. POST /api/v1/watchlists */
  create_watchlist: {
    path: undefined;
    query: undefined;
    body: NewWatchlist;
    response: Watchlist;
  };
  /** Get a watchlist. GET /api/v1/watchlists/{id} */
  get_watchlist: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Watchlist;
  };
  /** Update a watchlist. PATCH /api/v1/watchlists/{id} */
  update_watchlist: {
    path: {
      id: string;
    };
    query: undefined;
    body: WatchlistPatch;
    response: Watchlist;
  };
  /** Delete a watchlist. DELETE /api/v1/watchlists/{id} */
  delete_watchlist: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** Get the joint value, exposure and changes of a watchlist. GET /api/v1/watchlists/{id}/portfolio */
  get_portfolio: {
    path: {
      id: string;
    };
    query: {
      /** Compare with this day. Default: 30 days ago. */
      since?: string;
      /** Of the joint interval. */
      interval_level?: number;
    };
    body: undefined;
    response: Portfolio;
  };
  /** List the properties on a watchlist. GET /api/v1/watchlists/{id}/properties */
  list_watchlist_properties: {
    path: {
      id: string;
    };
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: WatchlistMemberPage;
  };
  /** Add or remove properties. POST /api/v1/watchlists/{id}/properties */
  change_watchlist_properties: {
    path: {
      id: string;
    };
    query: undefined;
    body: WatchlistMemberChanges;
    response: WatchlistMemberCounts;
  };
  /** List webhooks. GET /api/v1/webhooks */
  list_webhooks: {
    path: undefined;
    query: {
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: WebhookPage;
  };
  /** Create a webhook. POST /api/v1/webhooks */
  create_webhook: {
    path: undefined;
    query: undefined;
    body: NewWebhook;
    response: WebhookWithSecret;
  };
  /** Get a webhook. GET /api/v1/webhooks/{id} */
  get_webhook: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: Webhook;
  };
  /** Update, disable or enable a webhook. PATCH /api/v1/webhooks/{id} */
  update_webhook: {
    path: {
      id: string;
    };
    query: undefined;
    body: WebhookPatch;
    response: Webhook;
  };
  /** Delete a webhook and its delivery log. DELETE /api/v1/webhooks/{id} */
  delete_webhook: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: undefined;
  };
  /** List deliveries, newest first. GET /api/v1/webhooks/{id}/deliveries */
  list_deliveries: {
    path: {
      id: string;
    };
    query: {
      status?: "pending" | "succeeded" | "failed";
      /** Event types. */
      type?: "property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping" | ReadonlyArray<"property.updated" | "property.sale_recorded" | "property.owner_changed" | "property.assessment_updated" | "property.permit_issued" | "property.violation_opened" | "property.violation_closed" | "property.tax_lien_recorded" | "property.tax_lien_released" | "property.flood_zone_changed" | "property.superseded" | "valuation.changed" | "watchlist.property_added" | "watchlist.property_removed" | "watchlist.value_changed" | "loan.changed" | "batch.completed" | "batch.failed" | "export.delivered" | "export.failed" | "usage.threshold_reached" | "usage.quota_exhausted" | "api_key.rotated" | "api_key.expiring" | "invoice.finalized" | "receipts.anchored" | "model.released" | "webhook.failing" | "webhook.disabled" | "ping">;
      /** Only what happened at or after this time. */
      since?: string;
      /** Only what happened before this time. */
      until?: string;
      /** Page size. */
      limit?: number;
      /** Where to continue: `next_cursor` from the previous page, with the same filters. */
      cursor?: string;
    };
    body: undefined;
    response: WebhookDeliveryPage;
  };
  /** Redeliver everything that has not arrived since a given time. POST /api/v1/webhooks/{id}/redeliver */
  redeliver_failed: {
    path: {
      id: string;
    };
    query: undefined;
    body: Redelivery;
    response: RedeliveryCount;
  };
  /** Rotate a webhook’s secret. POST /api/v1/webhooks/{id}/rotate-secret */
  rotate_webhook_secret: {
    path: {
      id: string;
    };
    query: undefined;
    body: SecretRotation;
    response: WebhookWithSecret;
  };
  /** Send a test event. POST /api/v1/webhooks/{id}/test */
  test_webhook: {
    path: {
      id: string;
    };
    query: undefined;
    body: undefined;
    response: WebhookDeliveryWithLog;
  };
}
