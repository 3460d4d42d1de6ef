// Detects a file's type from its first bytes, and rejects one that does not match its recipe.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../../base/lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import type { ZipMember } from '../../../base/lib/zip-directory.ts';
import { listZip } from '../../../base/lib/zip-file.ts';
import known from './kinds.json' with { type: 'json' };
import { readBytes } from './rows.ts';

/** File kinds, and the kinds each format accepts: for example, a workbook with the same columns in place of a table. */
const { kinds, wanted } = known;

export type Kind = keyof typeof kinds;

const PEEKED = 4096;
const MOST_ZEROS = 0.05;
/** Random bytes have 11 %; separators of odd exporters stay below one per cell. */
const MOST_CONTROLS = 0.08;
/** Tab, line feed, form feed, carriage return, and zero, which is checked separately. */
const LAYOUT_BYTES = new Set([0, 9, 10, 12, 13]);

/** A geodatabase is a folder with a file `gdb` in it. */
async function look(path: string): Promise<{ kind: Kind; head: Buffer }> {
  if (statSync(path).isDirectory())
    return { kind: existsSync(join(path, 'gdb')) ? 'geodatabase' : 'folder', head: Buffer.alloc(0) };
  const head = await peek(path);
  return { kind: kindOf(head), head };
}

/** The first bytes, decompressed; none of a file that cannot be. */
async function peek(path: string): Promise<Buffer> {
  try {
    for await (const chunk of readBytes(path)) return chunk.subarray(0, PEEKED);
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
  }
  return Buffer.alloc(0);
}

function kindOf(head: Buffer): Kind {
  if (head.length === 0) return 'empty';
  const latin = head.toString('latin1');
  if (latin.startsWith('\u00d0\u00cf\u0011\u00e0')) return 'xls';
  if (['Standard Jet DB', 'Standard ACE DB'].some((name) => latin.startsWith(name, 4))) return 'access';
  if (latin.startsWith('PK\u0003\u0004') || latin.startsWith('PK\u0005\u0006')) return 'zip';
  if (latin.startsWith('SQLite format 3')) return 'sqlite';
  if (latin.startsWith('PAR1')) return 'parquet';
  if (latin.startsWith('%PDF')) return 'pdf';
  if (head.length >= 4 && head.readInt32BE(0) === 9994) return 'shp';
  if (isDbf(head)) return 'dbf';
  const text = latin.replace(/^(\u00ef\u00bb\u00bf|\s)+/, '');
  if (/^<(!doctype html|html|head|\?xml|body|script)/i.test(text)) return 'html';
  if (/^[[{]/.test(text)) return 'json';
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  // A few zero bytes in text are an export error.
  const zeros = head.reduce((sum, byte) => sum + Number(byte === 0), 0);
  const controls = head.reduce((sum, byte) => sum + Number(byte < 32 && !LAYOUT_BYTES.has(byte)), 0);
  const isBinary = zeros > head.length * MOST_ZEROS || controls > head.length * MOST_CONTROLS;
  return !isWide && isBinary ? 'binary' : 'text';
}

/** A dBASE table begins with its version, the day of its last change and the length of its header. */
function isDbf(head: Buffer): boolean {
  if (head.length < 33 || ![0x03, 0x30, 0x83, 0x8b, 0xf5].includes(head[0])) return false;
  const isDay = head[2] >= 1 && head[2] <= 12 && head[3] >= 1 && head[3] <= 31;
  return isDay && head.readUInt16LE(8) >= 65 && head.readUInt16LE(10) > 1;
}

/** A one-sentence error with the file's name, instead of a parser error about its first character. */
export async function refuseOtherKind(path: string, name: string, type: FileFormat['type']): Promise<Kind> {
  const { kind } = await look(path);
  if (wanted[type].includes(kind)) return kind;
  throw new CommandError(
    `${name} is ${kinds[kind].name}, not ${type === 'xlsx' ? 'an XLSX workbook' : `a ${type} file`}.${kinds[kind].hint}`,
  );
}

/** The one table in an archive, if it holds nothing else of interest. */
export async function findZippedTable(path: string): Promise<ZipMember | undefined> {
  const members = await listZip(path);
  const tables = members.filter(({ name }) => /\.(csv|txt|tsv)$/i.test(name) && !/(^|\/)(\.|__MACOSX)/.test(name));
  return tables.length === 1 && !members.some(({ name }) => /\.shp$|^xl\//i.test(name)) ? tables[0] : undefined;
}

/** The one GeoJSON file in an archive. */
export async function findZippedFeatures(path: string): Promise<ZipMember | undefined> {
  const members = (await listZip(path)).filter(({ name }) => /\.(geo)?jsonl?$/i.test(name) && !/__MACOSX/.test(name));
  return members.length === 1 ? members[0] : undefined;
}

/** The format of a file, detected from its contents. `guessLayout` detects a text's separator. */
export async function guessFormat(path: string, name = path): Promise<FileFormat['type']> {
  const { kind, head } = await look(path);
  if (kind === 'sqlite') return 'geopackage';
  if (kind === 'parquet') return 'parquet';
  if (kind === 'shp') return 'shapefile';
  if (kind === 'dbf' || kind === 'geodatabase') return kind;
  if (kind === 'xls') return 'xlsx';
  if (kind === 'zip') {
    const members = (await listZip(path)).map((member) => member.name.toLowerCase());
    if (members.includes('xl/workbook.xml')) return 'xlsx';
    if (members.some((member) => member.endsWith('.gdbtable'))) return 'geodatabase';
    if (members.some((member) => member.endsWith('.shp'))) return 'shapefile';
    const table = await findZippedTable(path);
    if (table) return 'csv';
    const several = members.filter((member) => /\.(csv|txt|tsv)$/.test(member)).length > 1;
    throw new CommandError(
      `${name} is a ZIP archive with ${several ? 'several tables' : 'no table, shapefile or workbook'} in it: ` +
        `${members.slice(0, 5).join(', ')}. Unpack it and name ${several ? 'those of this place, all at once' : 'the file'}.`,
    );
  }
  if (kind === 'json') {
    const text = head.toString('utf8');
    if (/"type"\s*:\s*"Topology"/.test(text)) return 'topojson';
    return /^\s*\[\s*\[/.test(text) ? 'json' : 'geojson';
  }
  if (kind === 'text') return 'csv';
  throw new CommandError(`${name} is ${kinds[kind].name}; it holds no table that can be read.${kinds[kind].hint}`);
}
