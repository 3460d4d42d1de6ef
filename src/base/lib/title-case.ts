// Converts all-caps names from records to title case.

/** `N 27TH ST NW` → `N 27th St NW`, `12B OAK` → `12B Oak`, `MCKINLEY` → `McKinley`; text with any lowercase is left alone. */
export function titleCase(text: string): string {
  if (/[a-z]/.test(text)) return text;
  return text
    .toLowerCase()
    .replace(/(^|[\s,/(-]|\b[a-z]')([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\b(Ne|Nw|Se|Sw|Us|Po)\b/g, (word) => word.toUpperCase())
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/\b\d+[a-z]\b/g, (number) => number.toUpperCase());
}
