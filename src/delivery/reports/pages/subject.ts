// The home: its record, and the map with its comparables.
import { titleCase } from '../../../base/lib/title-case.ts';
import { INK } from '../../../base/pdf/colors.ts';
import { PAGE, WHOLE_PAGE, type Paper } from '../../../base/pdf/paper.ts';
import { drawFacts, drawList, leftOf, rightOf } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asText, asTitle, DASH } from '../../../base/lib/figures.ts';
import { FRAME, lengthOf, type MapDrawing, scaleOf, type Street } from '../map.ts';
import type { Report } from '../schema.ts';

export function drawSubjectPage(paper: Paper, report: Report, map: MapDrawing | null): void {
  const { property, valuation } = report;
  paper.heading('Property', { room: WHOLE_PAGE });
  drawFacts(paper, factsOf(property), 4);
  const legal = property.parcel?.legal_description;
  if (legal) paper.paragraph(`Legal description: ${legal}`, { size: 8.5, maxLines: 4 });
  drawAssessments(paper, property);
  paper.subheading('Location and comparables', map === null ? 60 : FRAME.height + 50);
  if (map === null) return paper.paragraph('The record has no coordinates, so there is no map.');
  drawMapFigure(paper, map, valuation.comparables?.length ?? 0);
}

function factsOf(property: Report['property']): [string, string][] {
  const { structure, parcel, last_sale, owner } = property;
  const lot = parcel?.lot_sqft;
  return [
    ['Type', asTitle(property.property_type)],
    ['Living area', property.sqft ? `${asNumber(property.sqft)} sq ft` : DASH],
    ['Bedrooms', asNumber(property.bedrooms)],
    ['Bathrooms', asNumber(property.bathrooms)],
    ['Lot', lot ? `${asNumber(lot)} sq ft` : DASH],
    ['Year built', structure?.year_built ? String(structure.year_built) : DASH],
    ['Stories', asNumber(structure?.stories)],
    ['Units', asNumber(structure?.units)],
    ['Condition', asTitle(structure?.condition)],
    ['Quality', asTitle(structure?.quality)],
    ['Exterior', asTitle(structure?.exterior)],
    ['Zoning', asText(parcel?.zoning)],
    ['Last sale', last_sale ? `${asMoney(last_sale.price)}, ${asDay(last_sale.date)}` : DASH],
    ['Neighborhood', parcel?.neighborhood ? titleCase(parcel.neighborhood) : DASH],
    ['Census tract', asText(parcel?.census_tract)],
    ...(owner && owner.names.length > 0 ? [['Owner of record', owner.names.join('; ')] as [string, string]] : []),
  ];
}

function drawAssessments(paper: Paper, { assessments = [], taxes = [] }: Report['property']): void {
  if (assessments.length === 0) return;
  const taxOf = new Map(taxes.map(({ year, amount }) => [year, amount]));
  drawList(paper, assessments.slice(0, 3), [
    leftOf('Assessment', 1, ({ year }) => String(year)),
    rightOf('Land', 1, ({ land }) => asMoney(land)),
    rightOf('Improvements', 1, ({ improvements }) => asMoney(improvements)),
    rightOf('Total', 1, ({ total }) => asMoney(total)),
    rightOf('Tax', 1, ({ year }) => asMoney(taxOf.get(year))),
    leftOf('Source', 1.4, ({ source }) => source),
  ]);
}

function drawMapFigure(paper: Paper, map: MapDrawing, count: number): void {
  const { pdf } = paper;
  const top = paper.y;
  paper.mark(
    'Figure',
    () => {
      pdf
        .save()
        .rect(PAGE.left, top, FRAME.width, FRAME.height)
        .clip()
        .rect(PAGE.left, top, FRAME.width, FRAME.height)
        .fill('#fbfaf6');
      pdf.translate(PAGE.left, top);
      drawGround(pdf, map);
      drawStreets(paper, map);
      drawHomes(paper, map);
      drawScaleBar(paper, map.metersPerPoint);
      pdf.restore();
      pdf.rect(PAGE.left, top, FRAME.width, FRAME.height).lineWidth(0.6).strokeColor(INK.line).stroke();
    },
    `Map of the property and ${count} comparables, north up`,
  );
  paper.y = top + FRAME.height + 5;
  const notes = [
    'S: the property; numbers: comparables, with their distances in the grid.',
    ...(map.parcels.length > 0 ? ['Outlines: parcels on record.'] : []),
    ...(map.homes.length > 0 ? ['Dots: other homes on record.'] : []),
    ...(map.streets.length > 0 ? ['Street names are placed by the addresses along them.'] : []),
    ...(map.boundaries.length > 0 ? ['Dashed: census tracts and neighborhoods.'] : []),
    ...(map.hazards.length > 0 ? ['Blue: special flood hazard area.'] : []),
  ];
  paper.paragraph(notes.join(' '), { size: 8, color: INK.faint });
}

function trace(pdf: PDFKit.PDFDocument, path: readonly number[]): PDFKit.PDFDocument {
  pdf.moveTo(path[0] / 10, path[1] / 10);
  for (let i = 2; i < path.length; i += 2) pdf.lineTo(path[i] / 10, path[i + 1] / 10);
  return pdf.closePath();
}

function drawGround(pdf: PDFKit.PDFDocument, { parcels, homes, hazards, boundaries, lot }: MapDrawing): void {
  for (const path of hazards) trace(pdf, path);
  if (hazards.length > 0) pdf.fill(INK.water, 'even-odd');
  for (const path of parcels) trace(pdf, path);
  if (parcels.length > 0) pdf.lineWidth(0.35).strokeColor('#c2bdad').stroke();
  for (let i = 0; i < homes.length; i += 2) pdf.circle(homes[i] / 10, homes[i + 1] / 10, 0.9);
  if (homes.length > 0) pdf.fill('#c9c3b2');
  for (const path of boundaries) trace(pdf, path);
  if (boundaries.length > 0) pdf.dash(4, { space: 3 }).lineWidth(0.5).strokeColor('#a9b3a4').stroke().undash();
  for (const path of lot) trace(pdf, path);
  if (lot.length > 0) pdf.lineWidth(1).fillAndStroke(INK.accentWash, INK.accent);
}

const LABEL = 6.2;

/** Names along their streets, longest first; overlapping ones are omitted. */
function drawStreets(paper: Paper, { streets, parcels, comparables, subject }: MapDrawing): void {
  const { pdf } = paper;
  if (parcels.length === 0) {
    for (const { path } of streets) for (const [i, at] of path.entries()) pdf[i === 0 ? 'moveTo' : 'lineTo'](...at);
    if (streets.length > 0) pdf.lineWidth(1.4).lineCap('round').strokeColor('#e6e1d3').stroke();
  }
  const taken: [number, number, number][] = [
    [...subject, 14],
    ...comparables.map(({ x, y }): [number, number, number] => [x, y, 11]),
  ];
  for (const street of streets) drawStreetName(paper, street, taken);
}

function drawStreetName(paper: Paper, street: Street, taken: [x: number, y: number, reach: number][]): void {
  const { name, path } = street;
  const width = paper.widthOf(name, { size: LABEL });
  if (lengthOf(street) < width) return;
  for (const share of [0.5, 0.3, 0.7, 0.15, 0.85]) {
    const at = Math.floor(share * (path.length - 1));
    const [[x1, y1], [x2, y2]] = [path[at], path[at + 1]];
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    let angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    if (angle > 90) angle -= 180;
    if (angle <= -90) angle += 180;
    const dots = Array.from({ length: 5 }, (_, i): [number, number, number] => {
      const along = ((i - 2) / 4) * width;
      return [
        x + along * Math.cos((angle * Math.PI) / 180),
        y + along * Math.sin((angle * Math.PI) / 180),
        width / 8 + 2,
      ];
    });
    const isInside = dots.every(([a, b]) => a > 4 && b > 4 && a < FRAME.width - 4 && b < FRAME.height - 4);
    const isFree = dots.every(([a, b, r]) => taken.every(([c, d, q]) => Math.hypot(a - c, b - d) > r + q));
    if (!isInside || !isFree) continue;
    taken.push(...dots);
    paper.pdf.save().rotate(angle, { origin: [x, y] });
    paper.put(name, x, y - LABEL * 0.62, { size: LABEL, color: INK.faint, align: 'center' });
    paper.pdf.restore();
    return;
  }
}

function drawHomes(paper: Paper, { subject: [x, y], comparables }: MapDrawing): void {
  const { pdf } = paper;
  const signs = spread(comparables, { x, y });
  for (const [i, sign] of signs.entries()) {
    const place = comparables[i];
    if (Math.hypot(sign.x - place.x, sign.y - place.y) < 2) continue;
    pdf.moveTo(sign.x, sign.y).lineTo(place.x, place.y).lineWidth(0.8).strokeColor(INK.second).stroke();
    pdf.circle(place.x, place.y, 1.8).fill(INK.second);
  }
  for (const each of signs.toReversed()) {
    pdf.circle(each.x, each.y, 7.5).lineWidth(0.9).fillAndStroke(INK.paper, INK.second);
    const style = { size: 8, weight: 'bold', color: INK.second, align: 'center' } as const;
    paper.put(String(each.number), each.x, each.y - 5.2, style);
  }
  pdf.circle(x, y, 9).lineWidth(1.2).fillAndStroke(INK.accent, INK.paper);
  paper.put('S', x, y - 6.2, { size: 10, weight: 'bold', color: INK.paper, align: 'center' });
}

type Sign = { number: number; x: number; y: number };

/** Spreads markers that would cover each other or the home; a leader line connects a moved one to its location. */
function spread(places: readonly Sign[], home: { x: number; y: number }): Sign[] {
  const signs = places.map((place) => ({ ...place }));
  const apart = (sign: Sign, other: { x: number; y: number }, distance: number, angle: number) => {
    const [dx, dy] = [sign.x - other.x, sign.y - other.y];
    const now = Math.hypot(dx, dy);
    if (now >= distance) return;
    const direction = now < 0.5 ? angle : Math.atan2(dy, dx);
    sign.x = Math.min(Math.max(other.x + distance * Math.cos(direction), 10), FRAME.width - 10);
    sign.y = Math.min(Math.max(other.y + distance * Math.sin(direction), 10), FRAME.height - 34);
  };
  for (let round = 0; round < 30; round++) {
    for (const [i, sign] of signs.entries()) {
      const angle = (i / signs.length) * 2 * Math.PI;
      for (const other of signs) if (other !== sign) apart(sign, other, 16, angle);
      apart(sign, home, 19, angle);
    }
  }
  return signs;
}

function drawScaleBar(paper: Paper, metersPerPoint: number): void {
  const { points, label } = scaleOf(metersPerPoint);
  const { pdf } = paper;
  const [x, y] = [10, FRAME.height - 12];
  pdf
    .rect(4, FRAME.height - 26, points + 46, 22)
    .fillOpacity(0.88)
    .fill(INK.paper)
    .fillOpacity(1);
  pdf
    .moveTo(x, y - 4)
    .lineTo(x, y)
    .lineTo(x + points, y)
    .lineTo(x + points, y - 4)
    .lineWidth(1)
    .strokeColor(INK.text)
    .stroke();
  paper.put(label, x + points + 5, y - 8, { size: 8 });
  const [nx, ny] = [FRAME.width - 18, 16];
  pdf
    .moveTo(nx, ny - 8)
    .lineTo(nx + 4, ny + 4)
    .lineTo(nx, ny + 1)
    .lineTo(nx - 4, ny + 4)
    .closePath()
    .fill(INK.text);
  paper.put('N', nx, ny + 5, { size: 8, weight: 'bold', align: 'center' });
}
