// The dictionary of a property's fields: where the API shows each, which layer brings it, and what it says.
import written from './stated-fields.json' with { type: 'json' };

interface StatedField {
  /** The member of a property. */
  name: string;
  /** The coverage that tells its source and its newest day. */
  layer: 'properties' | 'owners' | 'assessments' | 'transactions' | 'flood' | 'census';
  says: string;
}

/** By the column of `properties`. */
export const STATED_FIELDS = written as Record<keyof typeof written, StatedField>;

/** Before the name of a layer by recipe, where its homes are counted. */
export const LAYER_FIELD = 'risk.';

/** Of a county's properties: how many state a field, and the source of most of them. */
export type FieldCounts = Record<string, { stated: number; source: string | null }>;
