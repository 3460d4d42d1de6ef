// Icons of an operator's basemap, drawn when its style first asks for one by name. Their colors are seen on light and on
// dark ground, since an icon stays as it is when the colors change.
import type { Map as MapLibre } from 'maplibre-gl';

const PIXEL_RATIO = 2;
const INK = '#6b7671';
const PAPER = '#fdfdfb';
const SHIELD = /-(\d)char$/;

export function drawIcons(map: MapLibre): void {
  map.setMissingStyleImageResolver((name) => {
    if (name !== '' && !map.hasImage(name)) map.addImage(name, iconOf(name), { pixelRatio: PIXEL_RATIO });
  });
}

function iconOf(name: string): ImageData {
  const letters = SHIELD.exec(name)?.[1];
  if (letters) return draw(10 + 6 * Number(letters), 16, shield);
  if (name === 'arrow') return draw(12, 12, arrow);
  return draw(10, 10, (pen, width) => dot(pen, width, name === 'capital'));
}

type Pen = CanvasRenderingContext2D;

/** Sizes are in pixels of the page. */
function draw(width: number, height: number, paint: (pen: Pen, width: number, height: number) => void): ImageData {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * PIXEL_RATIO, height * PIXEL_RATIO];
  const pen = canvas.getContext('2d')!;
  pen.scale(PIXEL_RATIO, PIXEL_RATIO);
  pen.fillStyle = INK;
  pen.strokeStyle = INK;
  paint(pen, width, height);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}

/** What a road's number is written on. */
function shield(pen: Pen, width: number, height: number): void {
  pen.beginPath();
  pen.roundRect(1, 1, width - 2, height - 2, 4);
  pen.fillStyle = PAPER;
  pen.fill();
  pen.stroke();
}

/** The way of a one-way street. */
function arrow(pen: Pen, width: number, height: number): void {
  pen.beginPath();
  pen.moveTo(2, height / 2);
  pen.lineTo(width - 3, height / 2);
  pen.moveTo(width - 6, height / 2 - 3);
  pen.lineTo(width - 3, height / 2);
  pen.lineTo(width - 6, height / 2 + 3);
  pen.stroke();
}

/** A place; a capital has a ring around it. */
function dot(pen: Pen, size: number, hasRing: boolean): void {
  const circle = (radius: number) => {
    pen.beginPath();
    pen.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
  };
  circle(4.5);
  pen.fillStyle = PAPER;
  pen.fill();
  if (hasRing) pen.stroke();
  circle(3);
  pen.fillStyle = INK;
  pen.fill();
}
