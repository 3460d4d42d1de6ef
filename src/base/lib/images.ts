// Untrusted logo uploads: PNG or JPEG by content, within limits, stripped of metadata. Pure.
import { inflateSync } from 'node:zlib';
import { fail } from './errors.ts';

export const MAX_IMAGE_BYTES = 200_000;
const MAX_SIDE = 1_000;

interface Image {
  type: 'image/png' | 'image/jpeg';
  /** The image data without comments, locations and dates. */
  bytes: Buffer;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bytes per pixel at eight bits, by the color type of a PNG. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export function readImage(bytes: Buffer): Image {
  if (bytes.length > MAX_IMAGE_BYTES) refuse(`is larger than ${MAX_IMAGE_BYTES / 1000} kB`);
  if (bytes.subarray(0, 8).equals(PNG)) return { type: 'image/png', bytes: readPng(bytes) };
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return { type: 'image/jpeg', bytes: readJpeg(bytes) };
  return refuse('is neither a PNG nor a JPEG');
}

const refuse = (what: string): never =>
  fail('invalid_request', `The image ${what}.`, { errors: [{ pointer: '/body/logo', code: 'format', detail: what }] });

function checkSides(width: number, height: number): void {
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    refuse(`must be at most ${MAX_SIDE} pixels wide and high`);
}

function readPng(bytes: Buffer): Buffer {
  const kept: Buffer[] = [PNG];
  const data: Buffer[] = [];
  let last = '';
  for (let at = 8; at + 12 <= bytes.length && last !== 'IEND';) {
    const end = at + 12 + bytes.readUInt32BE(at);
    last = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length || (kept.length === 1 && last !== 'IHDR')) refuse('is not whole');
    if (['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].includes(last)) kept.push(bytes.subarray(at, end));
    if (last === 'IDAT') data.push(bytes.subarray(at + 8, end - 4));
    at = end;
  }
  if (last !== 'IEND' || kept[1].length !== 25) refuse('is not whole');
  const [width, height] = [kept[1].readUInt32BE(8), kept[1].readUInt32BE(12)];
  const [depth, color, , , interlace] = kept[1].subarray(16);
  checkSides(width, height);
  if (depth !== 8 || CHANNELS[color] === undefined || interlace !== 0)
    refuse('must be a PNG of 8 bits per color, not interlaced');
  // Each row is a filter byte, 0 to 4, and its pixels. No decoder may be made to unpack more than the dimensions imply.
  const stride = 1 + width * CHANNELS[color];
  const pixels = inflated(Buffer.concat(data), height * stride);
  for (let row = 0; row < height; row++) if (!(pixels[row * stride] <= 4)) refuse('is not whole');
  return Buffer.concat(kept);
}

function inflated(data: Buffer, size: number): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: size });
  } catch {
    return refuse('is not whole');
  }
}

function readJpeg(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 2)];
  const closing = bytes.lastIndexOf(Buffer.from('ffd9', 'hex'));
  let hasFrame = false;
  for (let at = 2; at + 10 < closing;) {
    const [start, marker] = bytes.subarray(at);
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (start !== 0xff || end >= closing) break;
    if (marker === 0xda && hasFrame) return Buffer.concat([...kept, bytes.subarray(at, closing + 2)]);
    if (marker >= 0xc0 && marker <= 0xc2) {
      checkSides(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
      hasFrame = bytes[at + 4] === 8 && [1, 3, 4].includes(bytes[at + 9]);
    }
    // EXIF reveals where and when a picture was taken; APP14 defines the color transform and is kept.
    if (marker !== 0xe1 && marker !== 0xfe) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return refuse('is not whole');
}

export const dataUrlOf = (type: string | null, bytes: Buffer | null): string | null =>
  bytes && `data:${type};base64,${bytes.toString('base64')}`;
