// The directory of a ZIP archive: which members it has, and where each begins. Pure.

export interface ZipMember {
  name: string;
  /** 0 for stored, 8 for deflated. */
  method: number;
  compressedSize: number;
  headerAt: number;
}

const END_SIGNATURE = 0x06054b50;
const MEMBER_SIGNATURE = 0x02014b50;
/** The end record with the longest possible comment. */
export const LONGEST_ENDING = 65_557;

/** Locates the directory from the archive's last bytes; undefined if truncated. */
export function findDirectory(tail: Buffer): { at: number; size: number } | undefined {
  const earliest = Math.max(0, tail.length - LONGEST_ENDING);
  for (let end = tail.length - 22; end >= earliest; end--)
    if (tail.readUInt32LE(end) === END_SIGNATURE)
      return { at: tail.readUInt32LE(end + 16), size: tail.readUInt32LE(end + 12) };
  return undefined;
}

export function readDirectory(directory: Buffer, most = Infinity): ZipMember[] {
  const members: ZipMember[] = [];
  for (let at = 0; members.length < most && at + 46 <= directory.length;) {
    if (directory.readUInt32LE(at) !== MEMBER_SIGNATURE) break;
    const nameLength = directory.readUInt16LE(at + 28);
    members.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      headerAt: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return members;
}

/** Where a member's bytes begin, by the 30 bytes of its own header. */
export const contentAt = ({ headerAt }: ZipMember, header: Buffer): number =>
  headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
