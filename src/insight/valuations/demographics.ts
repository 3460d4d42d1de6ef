// Keeps demographics out of the model: attributes with demographic names are dropped, from any source.

const WORDS = new Set(
  `income incomes poverty race racial ethnic ethnicity hispanic latino latina black white asian african minority minorities
   population demographic demographics religion nationality language immigrant immigrants citizenship disability
   household households unemployment employment internet vacancy renters svi`.split(/\s+/),
);

export const isDemographic = (name: string): boolean =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => WORDS.has(word));
