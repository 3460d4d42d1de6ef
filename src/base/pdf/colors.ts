// Colors of printed pages: dark enough to read on paper and to tell apart in gray.

export const INK = {
  text: '#18201d',
  soft: '#46514c',
  faint: '#5f6a65',
  line: '#d9d5c9',
  wash: '#f4f2ec',
  paper: '#ffffff',
  accent: '#0f6b52',
  accentWash: '#dcebe5',
  good: '#15693f',
  goodWash: '#e2f2e8',
  warn: '#7f4d00',
  warnWash: '#faeed6',
  bad: '#a1231b',
  badWash: '#fbe6e3',
  second: '#a05608',
  water: '#cfe0ec',
} as const;
export type Color = (typeof INK)[keyof typeof INK];
