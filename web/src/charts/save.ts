// Saves a chart as a picture and its figures as a table.
import { saveFile } from '../save-file.ts';
import { csvOf, type Cell } from './csv.ts';

const PIXELS_PER_POINT = 2;
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
  'text-anchor',
];
const [MARGIN, HEAD, LEGEND] = [20, 58, 22];

interface Picture {
  title: string;
  subtitle: string;
  legend: { name: string; color: string }[];
}

/** The chart as it looks now, with its title and legend: a picture has no page around it. */
export async function savePng(svg: SVGSVGElement, { title, subtitle, legend }: Picture, name: string): Promise<void> {
  const [, , width, height] = svg.viewBox.baseVal
    ? [0, 0, svg.viewBox.baseVal.width, svg.viewBox.baseVal.height]
    : [0, 0, svg.clientWidth, svg.clientHeight];
  const page = getComputedStyle(document.documentElement);
  const surface = getComputedStyle(svg.closest('.card') ?? svg).backgroundColor;
  const [ink, quiet] = [colorIn(svg, 'var(--ink)'), colorIn(svg, 'var(--ink-3)')];
  const drawn = copyWithStyles(svg);
  drawn.setAttribute('width', String(width));
  drawn.setAttribute('height', String(height));
  const picture = await load(
    new Blob([new XMLSerializer().serializeToString(drawn)], { type: 'image/svg+xml;charset=utf-8' }),
  );
  const canvas = document.createElement('canvas');
  const total = { width: width + 2 * MARGIN, height: height + HEAD + LEGEND * legend.length + 2 * MARGIN };
  canvas.width = total.width * PIXELS_PER_POINT;
  canvas.height = total.height * PIXELS_PER_POINT;
  const pen = canvas.getContext('2d')!;
  pen.scale(PIXELS_PER_POINT, PIXELS_PER_POINT);
  pen.fillStyle = surface;
  pen.fillRect(0, 0, total.width, total.height);
  const font = page.getPropertyValue('--font');
  const write = (text: string, at: [number, number], color: string, style: string) => {
    pen.fillStyle = color;
    pen.font = `${style} ${font}`;
    pen.fillText(text, ...at, total.width - at[0] - MARGIN);
  };
  write(title, [MARGIN, MARGIN + 16], ink, '600 17px');
  write(subtitle, [MARGIN, MARGIN + 38], quiet, '12px');
  pen.drawImage(picture, MARGIN, HEAD + MARGIN, width, height);
  for (const [index, { name: line, color }] of legend.entries()) {
    const y = HEAD + MARGIN + height + LEGEND * (index + 1);
    pen.fillStyle = colorIn(svg, color);
    pen.fillRect(MARGIN, y - 9, 10, 10);
    write(line, [MARGIN + 18, y], ink, '13px');
  }
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob) saveFile(blob, name);
}

/** Colors of the page are variables that a picture on its own does not know. */
function copyWithStyles(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [originals, copies] = [svg.querySelectorAll<SVGElement>('*'), copy.querySelectorAll<SVGElement>('*')];
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original);
    for (const name of STYLES) copies[index].style.setProperty(name, style.getPropertyValue(name));
  }
  return copy;
}

function colorIn(element: Element, color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  element.parentElement!.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

async function load(blob: Blob): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  return image;
}

export function saveCsv(head: string[], rows: Cell[][], name: string): void {
  saveFile(new Blob([csvOf([head, ...rows])], { type: 'text/csv' }), name);
}
