// Wording particular to a lender's file: rules for comparables, and areas within a text. Pure.

const RULE_WORDS: Record<string, string> = {
  same_property_type: 'property type',
  max_distance_miles: 'distance',
  max_age_days: 'age of the sale',
  max_area_difference: 'living area',
};

/** Rules for comparables by their subject. */
export const asRules = (rules: readonly string[]): string => rules.map((rule) => RULE_WORDS[rule] ?? rule).join(', ');

/** In plain words, with areas rounded because an imputed one may be fractional: `1191.5 sqft` as `1,192 sq ft`,
    `very_good` as `very good`. */
export const withAreas = (text: string): string =>
  text
    .replaceAll('_', ' ')
    .replace(/(\d+(?:\.\d+)?) sqft/g, (_all, area) => `${Math.round(Number(area)).toLocaleString('en-US')} sq ft`);
