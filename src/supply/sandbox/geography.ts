// The codes of the sandbox market: its state and two counties.
export const MARKET = 'sandbox';
export const STATE = 'ZZ';
export const WENDEMERE = 99001;
export const QUILLMOOR = 99003;

export const COUNTIES: readonly { fips: number; name: string }[] = [
  { fips: WENDEMERE, name: 'Wendemere County' },
  { fips: QUILLMOOR, name: 'Quillmoor County' },
];
