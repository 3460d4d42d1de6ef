// Merges two sources' claims about a property: the value of each field, and the other source's value.
import { PROPERTY_FIELDS } from '../map/targets.ts';
import { BUILDING_FIELDS, extrasThatFit, isRebuilt } from '../same-building.ts';

interface FieldProvenance {
  source: string;
  known_on?: string | null;
  others?: { source: string; value: unknown }[];
}

export interface Provenance {
  default: string;
  fields?: Record<string, FieldProvenance>;
}

interface Claim {
  source: string;
  authority: number;
  knownOn: string;
  values: Record<string, unknown>;
}

export interface Existing {
  values: Record<string, unknown>;
  provenance: Provenance;
  /** When the default source's row became known. */
  defaultKnownOn: string | null;
}

/** A field goes to the higher authority, or among equals to the one known later; building fields, which change, go to
    the one known later and then to the higher authority. The other value is kept with it. Two buildings are never
    mixed. With `fillsOnly`, other sources' values are left unchanged. */
export function mergeClaim(
  existing: Existing,
  claim: Claim,
  authorityOf: (source: string) => number,
  fillsOnly = false,
) {
  const values = { ...existing.values };
  const fields: Record<string, FieldProvenance> = structuredClone(existing.provenance.fields ?? {});
  const fallback = existing.provenance.default;
  const changedFields: string[] = [];
  const heldBy = (name: string): Held => {
    const stated = fields[name];
    return {
      holder: stated?.source ?? fallback,
      knownOn: stated ? (stated.known_on ?? null) : existing.defaultKnownOn,
    };
  };
  const winsField = (name: string): boolean =>
    heldBy(name).holder === claim.source || wins(name, claim, heldBy(name), authorityOf);
  const builtKnownOn = heldBy('year_built').knownOn ?? '';
  const isNewBuilding = winsField('year_built') && isRebuilt(existing.values, builtKnownOn, claim.values);
  const isFormerBuilding = !winsField('year_built') && isRebuilt(claim.values, claim.knownOn, existing.values);
  const isAreaWon = winsField('sqft');

  for (const name of PROPERTY_FIELDS) {
    if (name === 'apn') continue;
    const incoming = claim.values[name] ?? null;
    const stated = fields[name];
    const { holder } = heldBy(name);
    const present = isUnstated(name, existing, claim, authorityOf) ? null : (existing.values[name] ?? null);
    if (fillsOnly && present !== null && holder !== claim.source) continue;
    if (name === 'extras') {
      const [before, now] = [existing.values, claim.values];
      const kept = isAreaWon ? extrasThatFit(present as Extras, before, now) : (present as Extras);
      const added = isAreaWon ? (incoming as Extras) : extrasThatFit(incoming as Extras, now, before);
      const merged = isNewBuilding ? { ...(incoming as Extras) } : { ...kept, ...(isFormerBuilding ? {} : added) };
      if (isSame(merged, present)) continue;
      values.extras = merged;
      changedFields.push('extras');
      continue;
    }
    if (isFormerBuilding && BUILDING_FIELDS.has(name) && present === null) continue;
    if (holder === claim.source) {
      if (isSame(incoming, present)) continue;
      // When a source stops providing a value, it becomes null only if no other source provides it.
      const other = incoming === null ? stated?.others?.[0] : undefined;
      values[name] = other ? other.value : incoming;
      if (other) fields[name] = provenanceOf(other.source, null, withoutSource(stated?.others, other.source));
      else if (holder !== fallback) fields[name] = { ...stated, known_on: claim.knownOn };
      changedFields.push(name);
      continue;
    }
    const others = withoutSource(stated?.others, claim.source);
    const take = () => {
      const beside = present === null ? others : [...others, { source: holder, value: present }];
      values[name] = incoming;
      fields[name] = provenanceOf(claim.source, claim.knownOn, beside);
      changedFields.push(name);
    };
    const isOfBuilding = BUILDING_FIELDS.has(name) && (isNewBuilding || isFormerBuilding);
    if (incoming === null && isNewBuilding && isOfBuilding && present !== null) take();
    else if (incoming === null || isSame(incoming, present)) {
      if (stated && others.length !== (stated.others?.length ?? 0)) fields[name] = { ...stated, others };
    } else if (present === null || (isOfBuilding ? isNewBuilding : winsField(name))) take();
    else {
      const kept = stated ?? provenanceOf(holder, existing.defaultKnownOn, []);
      fields[name] = { ...kept, others: [...others, { source: claim.source, value: incoming }] };
    }
  }
  const provenance: Provenance = { default: fallback, ...(Object.keys(fields).length > 0 && { fields }) };
  return { values, provenance, changedFields, isProvenanceChanged: !isSame(provenance, existing.provenance) };
}

/** A property has type `other` from its first row on, even if that row has no type. Another source's type is then new
    information, not a contradiction. */
const isUnstated = (
  name: string,
  { values, provenance }: Existing,
  claim: Claim,
  authorityOf: (source: string) => number,
): boolean =>
  name === 'property_type' &&
  values[name] === 'other' &&
  provenance.fields?.[name] === undefined &&
  provenance.default !== claim.source &&
  (claim.values[name] ?? 'other') !== 'other' &&
  claim.authority >= authorityOf(provenance.default);

/** Below this authority, a dataset is a fallback for the place's own records, and never overrides them by being newer. */
const OWN_RECORDS = 1;

function wins(
  field: string,
  claim: Claim,
  { holder, knownOn }: Held,
  authorityOf: (source: string) => number,
): boolean {
  const held = authorityOf(holder);
  const isByTime = BUILDING_FIELDS.has(field) && Math.min(claim.authority, held) >= OWN_RECORDS;
  if (isByTime && knownOn !== null && claim.knownOn !== knownOn) return claim.knownOn > knownOn;
  return claim.authority !== held ? claim.authority > held : claim.knownOn > (knownOn ?? '');
}

/** The source whose value a field has, and when that was known. */
type Held = { holder: string; knownOn: string | null };
type Extras = Record<string, unknown> | null;

const provenanceOf = (
  source: string,
  knownOn: string | null,
  others: { source: string; value: unknown }[],
): FieldProvenance => ({ source, known_on: knownOn, ...(others.length > 0 && { others }) });

const withoutSource = (others: FieldProvenance['others'], source: string) =>
  (others ?? []).filter((other) => other.source !== source);

/** PostgreSQL returns a `real` with fewer digits than it was given. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'number' && typeof b === 'number') return !Number.isInteger(a) && Math.fround(a) === Math.fround(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return canonical(a) === canonical(b);
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

export const pick = (values: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
