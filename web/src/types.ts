// API response types, re-exported from the server's schemas.
export type { Property } from '../../src/properties/schema.ts';
export type { Report } from '../../src/reports/schema.ts';
export type { RiskReport } from '../../src/risk/schema.ts';
export type { TitleReport } from '../../src/title/schema.ts';
export type { Quality } from '../../src/quality/schema.ts';
export type { Comparable } from '../../src/valuations/grid/schema.ts';
export type { AccuracyReport, Valuation } from '../../src/valuations/schema.ts';
export type { Suggestion } from '../../src/address/schema.ts';
export type { Portfolio } from '../../src/watchlists/portfolio-schema.ts';
export type { AreaSummary, Ranking } from '../../src/analytics/area-schema.ts';
export type { SalesSeries } from '../../src/analytics/schema.ts';
export type { PriceForecast, PriceIndex } from '../../src/analytics/index-schema.ts';
