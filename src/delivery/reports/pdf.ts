// Renders a report as a PDF for filing: the same figures as its JSON, page by page.
import { titleCase } from '../../base/lib/title-case.ts';
import { openPaper, type Brand } from '../../base/pdf/paper.ts';
import { asDay } from '../../base/lib/figures.ts';
import type { MapDrawing } from './map.ts';
import { drawBasisPages } from './pages/basis.ts';
import { drawGrid } from './pages/grid.ts';
import { drawMarketPage } from './pages/market.ts';
import { drawRent } from './pages/rent.ts';
import { drawRiskPage } from './pages/risk.ts';
import { drawSubjectPage } from './pages/subject.ts';
import { drawSummary } from './pages/summary.ts';
import { drawTitlePage } from './pages/title.ts';
import { drawValuePage } from './pages/value.ts';
import type { Report } from './schema.ts';

interface Content {
  report: Report;
  map: MapDrawing | null;
  author: string;
  brand?: Brand;
}

export async function render({ report, map, author, brand }: Content): Promise<Buffer> {
  const { property, created_at, id, mode, reference } = report;
  const address = titleCase(
    property.address?.formatted ?? `Parcel ${property.identifiers?.apn ?? property.id}`,
  ).replace(/, ([A-Z][a-z])\b/, (_, state: string) => `, ${state.toUpperCase()}`);
  const madeOn = asDay(created_at.slice(0, 10));
  const paper = await openPaper({
    title: `Lender’s file: ${address}`,
    author,
    subject: `Automated valuation, title, risk and market as of ${report.as_of}`,
    keywords: [id, report.receipt.id, property.id, ...(reference === null ? [] : [reference])].join(', '),
    ...(brand?.logo && { logo: brand.logo }),
    createdAt: new Date(created_at),
    head: {
      left: `${brand?.name ?? author}${mode === 'test' ? '  ·  SANDBOX' : ''}`,
      right: [address, ...(reference === null ? [] : [reference])].join('  ·  '),
    },
    foot: `${id}  ·  ${madeOn}  ·  receipt ${report.receipt.id}  ·  sha256 ${report.sha256.slice(0, 12)}…`,
  });
  drawSummary(paper, report, address);
  drawSubjectPage(paper, report, map);
  drawGrid(paper, report);
  drawValuePage(paper, report);
  drawMarketPage(paper, report);
  drawRent(paper, report);
  drawTitlePage(paper, report);
  drawRiskPage(paper, report);
  drawBasisPages(paper, report);
  return paper.finish();
}
