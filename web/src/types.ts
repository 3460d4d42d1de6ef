// API response types, re-exported from the server's schemas.
export type { Property } from '../../src/records/properties/schema.ts';
export type { Report } from '../../src/delivery/reports/schema.ts';
export type { RiskReport } from '../../src/records/risk/schema.ts';
export type { TitleReport } from '../../src/records/title/schema.ts';
export type { Quality } from '../../src/insight/quality/schema.ts';
export type { Comparable } from '../../src/insight/valuations/grid/schema.ts';
export type { AccuracyReport, Valuation } from '../../src/insight/valuations/schema.ts';
export type { RentEstimate } from '../../src/insight/rents/schema.ts';
export type { Suggestion } from '../../src/records/address/schema.ts';
export type { Portfolio } from '../../src/delivery/watchlists/portfolio-schema.ts';
export type { AreaSummary, Ranking } from '../../src/insight/analytics/area-schema.ts';
export type { SalesSeries } from '../../src/insight/analytics/schema.ts';
export type { PriceForecast, PriceIndex } from '../../src/insight/analytics/index-schema.ts';
