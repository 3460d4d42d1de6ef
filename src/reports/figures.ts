// How figures are written in sentences, tables and on the pages of a report. Pure.

export const asPercent = (share: number): string => `${(share * 100).toFixed(Math.abs(share) < 0.0995 ? 2 : 1)}%`;
