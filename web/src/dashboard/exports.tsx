// Exports: whole datasets to storage.
export function ExportsSection() {
  return null;
}
