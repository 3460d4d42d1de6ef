// The dictionary of a property's fields: each field's place in the API, its layer, and its description.
import written from './stated-fields.json' with { type: 'json' };

interface StatedField {
  /** The member of a property. */
  name: string;
  /** The layer whose coverage has its source and newest date. */
  layer: 'properties' | 'owners' | 'assessments' | 'transactions' | 'flood' | 'census';
  says: string;
}

/** By the column of `properties`. */
export const STATED_FIELDS = written as Record<keyof typeof written, StatedField>;

/** Prefix of loaded layers in the counts. */
export const LAYER_FIELD = 'risk.';

/** For a county's properties: how many have a field, and its main source. */
export type FieldCounts = Record<string, { stated: number; source: string | null }>;
