// The spreadsheet functions as files: one script for Google Sheets, and an add-in for Excel, built from the same core.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import files from '../../../sdk/sheets/files.json' with { type: 'json' };
import { VERSION } from '../../base/version.ts';
import { makeZip } from './zip.ts';

const readSheetFile = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../../sdk/sheets/${name}`, import.meta.url)));

/** By name: source files, type, and folder in the archive. */
const FILES: Record<string, { type: string; from: string[]; folder: string }> = files;

/** Excel shows the pane in its own frame and requires that its library come from Microsoft. */
export const PANE_POLICY = [
  `default-src 'none'`,
  `script-src 'self' https://appsforoffice.microsoft.com`,
  `style-src 'self'`,
  `connect-src 'self' https://appsforoffice.microsoft.com`,
  `frame-ancestors https://*.officeapps.live.com https://*.office.com https://*.sharepoint.com`,
  `base-uri 'none'`,
  `form-action 'self'`,
].join('; ');

export function makeSheetFile(name: string, baseUrl: string): { type: string; body: Buffer } | undefined {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (!file) return undefined;
  const bytes = Buffer.concat(file.from.map(readSheetFile));
  if (file.type === 'image/png') return { type: file.type, body: bytes };
  const body = bytes.toString().replaceAll('__BASE_URL__', baseUrl).replaceAll('__VERSION__', VERSION);
  return { type: file.type, body: Buffer.from(body) };
}

export const packSheets = (baseUrl: string): Buffer =>
  makeZip(Object.entries(FILES).map(([name, { folder }]) => [`${folder}/${name}`, makeSheetFile(name, baseUrl)!.body]));
