// A condition on a field of a layer, as filters, levels and lenders' rules write it: `zone:1,2` or `risk_score:60..`.

export interface FieldCondition {
  field: string;
  /** In lower case; undefined for a range. */
  among?: string[];
  /** As written; the value determines whether they are numbers or days. */
  min?: string;
  max?: string;
}

export interface LayerCondition extends FieldCondition {
  layer: string;
}

export const NAME_PATTERN = '[a-z][a-z0-9_]{1,39}';
const FIELD_CONDITION = new RegExp(`^(${NAME_PATTERN}):(.+)$`);
const LAYER_CONDITION = new RegExp(`^(${NAME_PATTERN})\\.(${NAME_PATTERN}:.+)$`);
/** The pattern of a lender rule's limit. */
export const CONDITION_PATTERN = LAYER_CONDITION;

/** Undefined if it cannot be read. */
export function parseFieldCondition(text: string): FieldCondition | undefined {
  const [, field, wanted] = FIELD_CONDITION.exec(text.trim()) ?? [];
  if (!field) return undefined;
  if (!wanted.includes('..')) {
    const words = wanted.split(',').map((word) => word.trim().toLowerCase());
    // A word may have commas of its own.
    return words.includes('') ? undefined : { field, among: [...new Set([...words, wanted.trim().toLowerCase()])] };
  }
  const [min, max, ...more] = wanted.split('..').map((end) => end.trim() || undefined);
  if (more.length > 0 || (min ?? max) === undefined) return undefined;
  return { field, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function parseLayerCondition(text: string): LayerCondition | undefined {
  const [, layer, rest] = LAYER_CONDITION.exec(text.trim()) ?? [];
  const condition = rest ? parseFieldCondition(rest) : undefined;
  return condition && { layer, ...condition };
}

/** An unknown value meets no condition. A date range accepts years and months as bounds: `2016..2018`. */
export function isMet({ among, min, max }: FieldCondition, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (among) return among.includes(String(value).toLowerCase());
  if (typeof value === 'number')
    return (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max));
  const text = String(value);
  return (min === undefined || text >= min) && (max === undefined || text.slice(0, max.length) <= max);
}
