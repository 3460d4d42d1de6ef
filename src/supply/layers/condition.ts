// A condition on a field of a layer, as filters, levels and lenders' rules write it: `zone:1,2` or `risk_score:60..`.

export interface FieldCondition {
  field: string;
  /** In lower case; undefined for a range. */
  among?: string[];
  min?: number | string;
  max?: number | string;
}

export interface LayerCondition extends FieldCondition {
  layer: string;
}

export const NAME_PATTERN = '[a-z][a-z0-9_]{1,39}';
const FIELD_CONDITION = new RegExp(`^(${NAME_PATTERN}):(.+)$`);
const LAYER_CONDITION = new RegExp(`^(${NAME_PATTERN})\\.(${NAME_PATTERN}:.+)$`);
/** What a rule of a lender's account can be given. */
export const CONDITION_PATTERN = LAYER_CONDITION;

const isNumeric = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/** Undefined if it cannot be read. */
export function parseFieldCondition(text: string): FieldCondition | undefined {
  const [, field, wanted] = FIELD_CONDITION.exec(text.trim()) ?? [];
  if (!field) return undefined;
  if (!wanted.includes('..')) {
    const among = wanted.split(',').map((word) => word.trim().toLowerCase());
    return among.includes('') ? undefined : { field, among };
  }
  const ends = wanted.split('..').map((end) => end.trim());
  const given = ends.filter((end) => end !== '');
  if (ends.length !== 2 || given.length === 0) return undefined;
  const areNumbers = given.every(isNumeric);
  const [min, max] = ends.map((end) => (end === '' ? undefined : areNumbers ? Number(end) : end));
  return { field, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function parseLayerCondition(text: string): LayerCondition | undefined {
  const [, layer, rest] = LAYER_CONDITION.exec(text.trim()) ?? [];
  const condition = rest ? parseFieldCondition(rest) : undefined;
  return condition && { layer, ...condition };
}

/** An unknown value meets no condition. */
export function isMet({ among, min, max }: FieldCondition, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (among) return among.includes(String(value).toLowerCase());
  if (typeof value !== typeof (min ?? max)) return false;
  const amount = value as number | string;
  return (min === undefined || amount >= min) && (max === undefined || amount <= max);
}
