// The parts of the npm package parse-address that the benchmark uses.
declare module 'parse-address' {
  type Parts = Record<
    'number' | 'prefix' | 'street' | 'type' | 'suffix' | 'sec_unit_type' | 'sec_unit_num' | 'city' | 'state' | 'zip',
    string | undefined
  >;
  const parser: { parseLocation(text: string): Parts | null };
  export default parser;
}
