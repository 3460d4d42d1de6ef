// Reads the first sheet of an XLSX workbook from memory. The unpacked size is bounded.
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { contentAt, findDirectory, readDirectory, type ZipMember } from '../../base/lib/zip-directory.ts';
import { MAX_CELLS, MAX_PARTS, refuse, refuseMoreParts, refuseMoreRows } from './size.ts';
import {
  findSheetPath,
  readDateStyles,
  readSharedStrings,
  readSheetRows,
  type SheetRow,
} from '../../base/lib/workbook.ts';

const inflate = promisify(inflateRaw) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const MAX_MEMBERS = 10_000;

export const isZip = (bytes: Buffer): boolean => bytes.length > 4 && bytes.readUInt32LE(0) === 0x04034b50;

export async function readWorkbook(bytes: Buffer): Promise<SheetRow[]> {
  try {
    const part = openParts(bytes);
    const workbook = await part('xl/workbook.xml');
    const path = findSheetPath(workbook, await part('xl/_rels/workbook.xml.rels'));
    const sheet = path === undefined ? '' : await part(path);
    if (sheet === '') return refuse('This ZIP file is not an XLSX workbook.');
    const texts = await part('xl/sharedStrings.xml');
    refuseMoreParts(texts.split('<si', MAX_PARTS + 2).length, 'texts');
    const shared = readSharedStrings(texts);
    const dateStyles = readDateStyles(await part('xl/styles.xml'));
    return takeRows(readSheetRows(sheet, { shared, dateStyles }));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_BUFFER_TOO_LARGE') return refuse('The workbook unpacks to more than 64 MB. Send fewer rows.');
    if (error instanceof RangeError || code?.startsWith('Z_')) return refuse('The workbook is damaged. Save it again.');
    throw error;
  }
}

/** A value far to the right takes a few bytes in the file but thousands of empty cells here. */
function takeRows(sheet: Iterable<SheetRow>): SheetRow[] {
  const rows: SheetRow[] = [];
  let cells = 0;
  for (const row of sheet) {
    cells += row.cells.length;
    if (cells > MAX_CELLS)
      refuse(`Line ${row.line}: The workbook has more than 5 million cells up to here. Send fewer rows or columns.`);
    rows.push(row);
    refuseMoreRows(rows.length);
  }
  return rows;
}

type ReadPart = (name: string) => Promise<string>;

/** Parts are unpacked one by one and share one size bound. A missing part is empty. */
function openParts(bytes: Buffer): ReadPart {
  const members = listMembers(bytes);
  let room = MAX_UNPACKED_BYTES;
  return async (name) => {
    const member = members.get(name);
    if (!member) return '';
    const start = contentAt(member, bytes.subarray(member.headerAt));
    const packed = bytes.subarray(start, start + member.compressedSize);
    const unpacked = member.method !== 0 ? await inflate(packed, { maxOutputLength: room }) : packed;
    // zlib treats 0 as unlimited.
    room = Math.max(1, room - unpacked.length);
    // Some programs write every name with a prefix: <x:row>.
    return unpacked.toString('utf8').replace(/<(\/?)\w+:(?=\w)/g, '<$1');
  };
}

function listMembers(bytes: Buffer): Map<string, ZipMember> {
  const { at } = findDirectory(bytes) ?? refuse('The workbook is cut off. Send the whole file.');
  return new Map(readDirectory(bytes.subarray(at), MAX_MEMBERS).map((member) => [member.name, member]));
}
