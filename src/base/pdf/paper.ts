// A PDF document for print and for screen readers: letter pages with a header and footer, embedded fonts, and a
// structure of headings, paragraphs and tables.
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import { INK, type Color } from './colors.ts';

type Weight = 'regular' | 'bold';
const FILES: Record<Weight, string> = {
  regular: '400Regular/SourceSans3_400Regular.ttf',
  bold: '600SemiBold/SourceSans3_600SemiBold.ttf',
};

export const PAGE = { width: 612, height: 792, left: 54, right: 558, top: 84, bottom: 730 } as const;
export const WIDTH = PAGE.right - PAGE.left;
/** The height of an empty page. */
export const WHOLE_PAGE = PAGE.bottom - PAGE.top;

export interface TextStyle {
  size?: number;
  weight?: Weight;
  color?: Color;
  align?: 'left' | 'right' | 'center';
  width?: number;
  /** Longer text is truncated with an ellipsis. */
  maxLines?: number;
  /** Points between letters. */
  spacing?: number;
}

/** The brand shown, if not the seller's. */
export interface Brand {
  name: string | null;
  logo: Uint8Array | null;
}

interface PaperOptions {
  title: string;
  author: string;
  subject: string;
  keywords: string;
  createdAt: Date;
  /** PNG or JPEG, before the head. */
  logo?: Uint8Array;
  /** At the top and the bottom of every page; the page's number is added to the foot. */
  head: { left: string; right: string };
  foot: string;
}

export interface Paper {
  pdf: PDFKit.PDFDocument;
  /** Where the next block begins. */
  y: number;
  /** Starts a new page unless this height is left. */
  need(height: number): void;
  nextPage(): void;
  space(height: number): void;
  heightOf(text: string, style?: TextStyle): number;
  widthOf(text: string, style?: TextStyle): number;
  /** At an absolute position; does not move `y`. */
  put(text: string, x: number, y: number, style?: TextStyle): void;
  /** Draws as part of the document's structure: `H1`, `P`, `Table`, `Figure` … */
  mark(tag: string, draw: () => void, alt?: string): void;
  /** Starts on a new page unless `room` is left on this one. */
  heading(text: string, options?: { note?: string; room?: number }): void;
  /** Keeps with the next block; `room` is the height of both. */
  subheading(text: string, room?: number): void;
  paragraph(text: string, style?: TextStyle): void;
  finish(): Promise<Buffer>;
}

type At = [x: number, y: number];

export const drawLine = (
  pdf: PDFKit.PDFDocument,
  from: At,
  to: At,
  { width, color }: { width: number; color: Color },
) =>
  pdf
    .moveTo(...from)
    .lineTo(...to)
    .lineWidth(width)
    .strokeColor(color)
    .stroke();

/** Fonts are read once per document, a few milliseconds. */
async function readFonts(): Promise<Record<Weight, Buffer>> {
  const entries = Object.entries(FILES).map(async ([weight, file]) => {
    const path = fileURLToPath(import.meta.resolve(`@expo-google-fonts/source-sans-3/${file}`));
    return [weight, await readFile(path)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<Weight, Buffer>;
}

/** The typeface's line height is 1.42 times its size, which is too loose for tables. */
const TIGHTER = 0.09;

export async function openPaper(options: PaperOptions): Promise<Paper> {
  const fonts = await readFonts();
  const pdf = new PDFDocument({
    size: 'LETTER',
    // Page breaks are decided here, never by overflowing text.
    margins: { top: 0, bottom: 0, left: 0, right: 0 },
    autoFirstPage: false,
    bufferPages: true,
    tagged: true,
    pdfVersion: '1.7',
    lang: 'en-US',
    displayTitle: true,
    info: {
      Title: options.title,
      Author: options.author,
      Subject: options.subject,
      Keywords: options.keywords,
      CreationDate: options.createdAt,
      ModDate: options.createdAt,
    },
  });
  const bytes = buffer(pdf);
  for (const [weight, font] of Object.entries(fonts)) pdf.registerFont(weight, font);
  const has = glyphTest(pdf);
  const root = pdf.struct('Document');
  pdf.addStructure(root);

  /** Of the font in use. */
  const heightOfLines = (lines: number, size: number) =>
    lines * (pdf.currentLineHeight(true) - TIGHTER * size) + size * 0.2;
  const use = ({ size = 9.5, weight = 'regular', color = INK.text }: TextStyle) =>
    pdf.font(weight).fontSize(size).fillColor(color);
  const layout = ({ align = 'left', width, spacing = 0, maxLines, size = 9.5 }: TextStyle) => ({
    align,
    lineGap: -TIGHTER * size,
    characterSpacing: spacing,
    ...(width === undefined ? { lineBreak: false } : { width }),
    ...(maxLines !== undefined && { height: heightOfLines(maxLines, size), ellipsis: '…' }),
  });

  const paper: Paper = {
    pdf,
    y: PAGE.top,
    need(height) {
      if (paper.y + height > PAGE.bottom) paper.nextPage();
    },
    nextPage() {
      pdf.addPage();
      paper.y = PAGE.top;
    },
    space(height) {
      paper.y += height;
    },
    heightOf(text, style = {}) {
      use(style);
      const { maxLines = Infinity, size = 9.5 } = style;
      return Math.min(pdf.heightOfString(readable(text, has), layout(style)), heightOfLines(maxLines, size));
    },
    widthOf(text, style = {}) {
      use(style);
      return pdf.widthOfString(readable(text, has), { characterSpacing: style.spacing ?? 0 });
    },
    put(text, x, y, style = {}) {
      use(style);
      const shown = readable(text, has);
      const { align, width } = style;
      // Without a width, the position is the end or the middle of the line.
      const shift =
        width !== undefined || align === undefined
          ? 0
          : pdf.widthOfString(shown) * { left: 0, right: 1, center: 0.5 }[align];
      pdf.text(shown, x - shift, y, layout(width === undefined ? { ...style, align: 'left' } : style));
    },
    mark(tag, draw, alt) {
      const content = pdf.markStructureContent(tag);
      draw();
      pdf.endMarkedContent();
      root.add(pdf.struct(tag, alt === undefined ? {} : { alt }, [content]));
    },
    heading(text, { note, room = 90 } = {}) {
      if (paper.y > PAGE.top) paper.space(8);
      paper.need(room);
      paper.mark('H1', () => paper.put(text, PAGE.left, paper.y, { size: 16, weight: 'bold' }));
      if (note !== undefined) {
        paper.mark('P', () =>
          paper.put(note, PAGE.left, paper.y + 6, { size: 8.5, color: INK.faint, align: 'right', width: WIDTH }),
        );
      }
      paper.y += 23;
      drawLine(pdf, [PAGE.left, paper.y], [PAGE.right, paper.y], { width: 1, color: INK.accent });
      paper.y += 10;
    },
    subheading(text, room = 60) {
      paper.need(room);
      paper.mark('H2', () => paper.put(text, PAGE.left, paper.y, { size: 11, weight: 'bold' }));
      paper.y += 17;
    },
    paragraph(text, style = {}) {
      const whole = { width: WIDTH, color: INK.soft, ...style };
      const height = paper.heightOf(text, whole);
      paper.need(height);
      paper.mark('P', () => paper.put(text, PAGE.left, paper.y, whole));
      paper.y += height + 5;
    },
    async finish() {
      const { count } = pdf.bufferedPageRange();
      // Opened once; otherwise every page would embed a copy.
      const logo = options.logo && (pdf as unknown as ImageOpener).openImage(Buffer.from(options.logo));
      for (let page = 0; page < count; page++) {
        pdf.switchToPage(page);
        drawEdges(paper, options, { page: page + 1, count, logo });
      }
      root.end();
      pdf.end();
      return bytes;
    },
  };
  paper.nextPage();
  return paper;
}

/** Room for a logo, and for the name after it. */
const LOGO = { width: 110, height: 26 };

interface ImageOpener {
  openImage(bytes: Buffer): OpenImage;
}

interface OpenImage {
  width: number;
  height: number;
}

/** Draws the logo above the line and returns how far the name moves to the right. */
function drawLogo(pdf: PDFKit.PDFDocument, logo: OpenImage): number {
  const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height);
  pdf.image(logo as never, PAGE.left, 52 - logo.height * scale, { width: logo.width * scale });
  return logo.width * scale + 8;
}

function drawEdges(
  paper: Paper,
  { head, foot }: PaperOptions,
  { page, count, logo }: { page: number; count: number; logo: OpenImage | undefined },
): void {
  const { pdf } = paper;
  const small = { size: 8, color: INK.faint } as const;
  // Hidden from screen readers, because it repeats on every page.
  pdf.markContent('Artifact', { type: 'Pagination' });
  const moved = logo === undefined ? 0 : drawLogo(pdf, logo);
  paper.put(head.left, PAGE.left + moved, 40, { ...small, weight: 'bold', color: INK.accent, width: 150, maxLines: 1 });
  const rest = 150 + moved;
  paper.put(head.right, PAGE.left + rest, 40, { ...small, align: 'right', width: WIDTH - rest, maxLines: 1 });
  for (const y of [56, 748]) drawLine(pdf, [PAGE.left, y], [PAGE.right, y], { width: 0.5, color: INK.line });
  paper.put(foot, PAGE.left, 754, { ...small, width: WIDTH - 80, maxLines: 1 });
  paper.put(`Page ${page} of ${count}`, PAGE.left, 754, { ...small, align: 'right', width: WIDTH });
  pdf.endMarkedContent();
}

/** Strips characters that cannot be printed: controls, line breaks, backquotes, glyphs missing from the typeface. */
function readable(text: string, has: (codePoint: number) => boolean): string {
  const line = text
    .replaceAll('`', '')
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return Array.from(line, (letter) => (has(letter.codePointAt(0)!) ? letter : '\u25a1')).join('');
}

function glyphTest(pdf: PDFKit.PDFDocument): (codePoint: number) => boolean {
  pdf.font('regular');
  const { font } = (pdf as unknown as { _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } } })._font;
  return (codePoint) => font.hasGlyphForCodePoint(codePoint);
}
