// The names that other providers of property data have for our fields: we accept their CSV files, can write ours with
// their names, and list them in the docs. The mapping is in import-map.json.
import written from './import-map.json' with { type: 'json' };

export const PROVIDER_IDS = ['rentcast', 'attom', 'estated'] as const;
export type ProviderId = (typeof PROVIDER_IDS)[number];

export interface ImportedField {
  theirs: string;
  /** Its path in our property record or valuation; null if there is none. */
  ours: string | null;
  /** The member of a batch item that the field fills. */
  locates?: string;
  note?: string;
}

export interface Provider {
  name: string;
  documentation: string;
  record: ImportedField[];
  valuation: ImportedField[];
}

export const PROVIDERS: Record<ProviderId, Provider> = written;

/** Their name for a path of a batch result, such as `property.structure.year_built`. */
export function theirNames(id: ProviderId): Map<string, string> {
  const { record, valuation } = PROVIDERS[id];
  const under = (part: string, fields: ImportedField[]) =>
    fields.flatMap(({ theirs, ours }): [string, string][] => (ours === null ? [] : [[`${part}.${ours}`, theirs]]));
  return new Map([...under('valuation', valuation), ...under('property', record)]);
}
