// Downloads the current search as CSV, up to one page of API results.
import { send, type Credential } from '../api.ts';

const MAX_ROWS = 500;

export async function downloadCsv(credential: Credential | undefined, body: Record<string, unknown>): Promise<void> {
  const { include_total: _total, fields: _fields, ...search } = body;
  const response = await send(credential, 'properties/search', { body: { ...search, format: 'csv', limit: MAX_ROWS } });
  saveFile(await response.blob(), 'properties.csv');
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
