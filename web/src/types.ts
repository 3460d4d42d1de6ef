// The answers of the API as the server itself describes them, plus small shapes that have no schema of their own.
export type { Property } from '../../src/properties/schema.ts';
export type { RiskReport } from '../../src/risk/schema.ts';

export interface Suggestion {
  property_id: string;
  address: string;
}

export type { AccuracyReport, Comparable, Valuation } from '../../src/valuations/schema.ts';
