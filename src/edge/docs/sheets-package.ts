// The spreadsheet functions as files: one script for Google Sheets, and an add-in for Excel, made of the same core.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../base/version.ts';
import { makeZip } from './zip.ts';

const readSheetFile = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../../sdk/sheets/${name}`, import.meta.url)));

interface SheetFile {
  type: string;
  /** The files of `sdk/sheets` that it is made of. */
  from: string[];
  /** In the archive, the folder of its spreadsheet. */
  folder: 'google' | 'excel';
}

const script = 'text/javascript; charset=utf-8';
const FILES: Record<string, SheetFile> = {
  'platbook.gs': { type: script, from: ['core.js', 'google.js'], folder: 'google' },
  'appsscript.json': { type: 'application/json', from: ['appsscript.json'], folder: 'google' },
  'manifest.xml': { type: 'application/xml', from: ['manifest.xml'], folder: 'excel' },
  'functions.js': { type: script, from: ['core.js', 'excel.js'], folder: 'excel' },
  'functions.json': { type: 'application/json', from: ['functions.json'], folder: 'excel' },
  'taskpane.html': { type: 'text/html; charset=utf-8', from: ['taskpane.html'], folder: 'excel' },
  'taskpane.css': { type: 'text/css; charset=utf-8', from: ['taskpane.css'], folder: 'excel' },
  'icon-16.png': { type: 'image/png', from: ['icon-16.png'], folder: 'excel' },
  'icon-32.png': { type: 'image/png', from: ['icon-32.png'], folder: 'excel' },
  'icon-80.png': { type: 'image/png', from: ['icon-80.png'], folder: 'excel' },
};

/** Excel shows the pane in a frame of its own, and its library may come from Microsoft alone. */
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
