// Colors of printed pages: dark enough to read on paper and to tell apart in gray.
import written from './colors.json' with { type: 'json' };

export const INK = written;
export type Color = (typeof INK)[keyof typeof INK];
