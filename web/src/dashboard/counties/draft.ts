// A county draft as the session routes return it, and what its page derives from it.
import type { Static } from 'typebox';
import type { Finding } from '../../../../src/supply/examination/finding.ts';
import type { Draft as DraftSchema, StepShape } from '../../../../src/operate/counties/schema.ts';
import { words } from '../../format.ts';
import type { Property } from '../../types.ts';
import type { Tone } from '../../ui/parts.tsx';

export type Draft = Static<typeof DraftSchema>;
export type DraftSummary = Pick<Draft, 'id' | 'place' | 'file' | 'steps' | 'created_at' | 'updated_at'>;
export type Step = Static<typeof StepShape>;
export type StepKind = Step['kind'];
export type Column = Draft['columns'][number];

export type { Finding };

export interface Report {
  source: string;
  outcome: 'completed' | 'unchanged';
  rows: number;
  skipped: number;
  quarantined: number;
  quarantined_by_reason: Record<string, number>;
  join_rate: number | null;
  seconds: number;
  targets: Record<string, { inserted: number; updated: number; unchanged: number; duplicates: number }>;
  findings: Finding[] | null;
}

export interface PreviewResult {
  market: string;
  reports: Report[];
  samples: Property[];
  properties: number;
  filled: Record<string, number>;
}

export interface LoadResult {
  market: string;
  reports: Report[];
}

export interface TrainResult {
  market: string;
  version: string;
  is_published: boolean;
  decision: string;
  sales: number;
  accuracy: {
    tested: number;
    median_error: number;
    within_10: number;
    coverage_80: number;
    from: string;
    to: string;
  };
  valued: number;
}

/** The ids of findings in the message of a load that they stopped. */
export const stopsIn = (error: string | null | undefined): string[] =>
  [...(error ?? '').matchAll(/--accept (\S+)/g)].map(([, id]) => id);

export const findingsOf = (reports: Report[]): Finding[] | null =>
  reports.every(({ findings }) => findings === null) ? null : reports.flatMap(({ findings }) => findings ?? []);

export const stepOf = ({ steps }: Pick<Draft, 'steps'>, kind: StepKind) => steps.find((step) => step.kind === kind);
export const isActive = (step: Step | undefined) => step?.state === 'queued' || step?.state === 'running';
export const activeStep = ({ steps }: Pick<Draft, 'steps'>) => steps.find(isActive);
export const isUploaded = ({ file }: Pick<Draft, 'file'>) => file.url !== null || file.received_bytes === file.bytes;

/** A finished preview or load counts only for the recipe it was made with. */
export function doneFor(draft: Draft, kind: StepKind): Step | undefined {
  const step = stepOf(draft, kind);
  return step?.state === 'done' && step.recipe_version === draft.recipe_version ? step : undefined;
}

export const TONES: Record<Step['state'], Tone> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  canceled: 'warn',
};

const LABELS: Record<string, string> = {
  parcel: 'Parcel number',
  address_line1: 'Street address',
  address_unit: 'Unit',
  zip: 'ZIP code',
  sqft: 'Living area (sq ft)',
  lot_sqft: 'Lot size (sq ft)',
  lot_acres: 'Lot size (acres)',
  baths_full: 'Full bathrooms',
  baths_half: 'Half bathrooms',
  land_use: 'Property type or land use',
  land_use_code: 'Property type code',
  sale_validity: 'Whether the sale was on the open market',
  owner2: 'Second owner',
};
export const labelOf = (meaning: string) => LABELS[meaning] ?? words(meaning);
