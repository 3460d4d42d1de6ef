// A property with everything known about it: its history, layers and changes.
import type { Assessment, Tax } from './assessments.ts';
import type { Home } from './homes.ts';
import type { Layers } from './layers.ts';
import type { Provenance } from './provenance.ts';
import type { Life } from './sales.ts';
import type { SourceId } from './sources.ts';

export type Estate = {
  home: Home;
  isRetired: boolean;
  life: Life;
  assessments: Assessment[];
  taxes: Tax[];
  layers: Layers;
  tract2020: string | null;
  tract2010: string | null;
  blockGroup: string | null;
  isOpportunityZone: boolean;
  provenance: Provenance;
  changes: Change[];
};

export type Lineage = { propertyId: string; successorId: string; kind: 'merged' | 'split'; happenedOn: string };
export type Change = {
  kind: string;
  op: 'insert' | 'update' | 'retire';
  fields: string[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  source: SourceId;
  loadDay: string;
};
