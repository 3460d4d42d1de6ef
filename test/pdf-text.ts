// Reads the text of a PDF page by page, through the fonts' glyph-to-letter maps, as a text search does.
import { inflateSync } from 'node:zlib';

interface PdfObject {
  dictionary: string;
  stream: string | undefined;
}

export function readPdf(bytes: Buffer): { pages: string[]; objects: Map<number, PdfObject> } {
  const objects = new Map<number, PdfObject>();
  const raw = bytes.toString('latin1');
  for (const [, id, body] of raw.matchAll(/(\d+) 0 obj\s(.*?)endobj/gs)) {
    const [dictionary, rest] = body.split(/stream\r?\n/, 2);
    const data = rest === undefined ? undefined : Buffer.from(rest.replace(/\r?\nendstream\s*$/, ''), 'latin1');
    const isPacked = dictionary.includes('/FlateDecode');
    const stream = data && (isPacked ? inflateSync(data) : data).toString('latin1');
    objects.set(Number(id), { dictionary, stream });
  }
  const refer = (text: string, name: string) => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(text)?.[1]);
  const lettersOf = new Map<number, Map<number, string>>();
  for (const [id, { dictionary }] of objects) {
    if (dictionary.includes('/ToUnicode'))
      lettersOf.set(id, readMap(objects.get(refer(dictionary, 'ToUnicode'))!.stream!));
  }
  const pages = [...objects.values()]
    .filter(({ dictionary }) => /\/Type \/Page\b(?!s)/.test(dictionary))
    .map(({ dictionary }) => {
      const resources = objects.get(refer(dictionary, 'Resources'))?.dictionary ?? dictionary;
      const fonts = new Map(
        [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => [name, lettersOf.get(Number(id))!]),
      );
      return readContent(objects.get(refer(dictionary, 'Contents'))!.stream!, fonts);
    });
  return { pages, objects };
}

function readMap(map: string): Map<number, string> {
  const letters = new Map<number, string>();
  const decode = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, first, list] of map.matchAll(/<(\w+)> <\w+> \[(.*?)\]/gs)) {
    // A ligature stands for several letters.
    for (const [i, [, hex]] of [...list.matchAll(/<([^>]*)>/g)].entries()) {
      letters.set(parseInt(first, 16) + i, decode(hex.replaceAll(' ', '')));
    }
  }
  return letters;
}

function readContent(content: string, fonts: Map<string, Map<number, string>>): string {
  let letters = new Map<number, string>();
  const lines: string[] = [];
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font) letters = fonts.get(font)!;
    else {
      const codes = [...shown.matchAll(/<(\w*)>/g)].flatMap(([, hex]) => hex.match(/.{4}/g) ?? []);
      lines.push(codes.map((code) => letters.get(parseInt(code, 16)) ?? '?').join(''));
    }
  }
  return lines.join('\n');
}
