// An invoice as a page of PDF: the same bytes whenever it is asked for.
import PDFDocument from 'pdfkit';
import { formatUsd } from './money.ts';
import type { InvoiceRow } from './sql.ts';

const MARGIN = 56;
const RIGHT = 556;
const COLUMNS = { quantity: 330, unit: 400, amount: 480 };

export async function renderInvoice(invoice: InvoiceRow, accountName: string): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    info: {
      Title: `Invoice ${invoice.number}`,
      Author: 'Platbook',
      CreationDate: invoice.issued_at,
      ModDate: invoice.issued_at,
    },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => pdf.on('end', () => resolve()));

  pdf.font('Helvetica-Bold').fontSize(20).text('Platbook');
  pdf.font('Helvetica').fontSize(10).fillColor('#555').text('Property intelligence for the United States');
  pdf.moveDown(1.5).fillColor('#000').font('Helvetica-Bold').fontSize(14).text(`Invoice ${invoice.number}`);
  pdf.font('Helvetica').fontSize(10).moveDown(0.5);
  pdf.text(`To: ${accountName}`);
  pdf.text(`Issued: ${day(invoice.issued_at)}    Due: ${day(invoice.due_at)}    Status: ${invoice.status}`);
  pdf.text(`Period: ${day(invoice.period_start)} to ${day(invoice.period_end)} (UTC)`).moveDown(1.5);

  writeRow(pdf, ['Description', 'Quantity', 'Unit', 'Amount'], true);
  rule(pdf);
  for (const line of invoice.lines) {
    if (pdf.y > 680) pdf.addPage();
    writeRow(pdf, [
      line.description,
      line.quantity.toLocaleString('en-US'),
      formatUsd(line.unit_cents),
      formatUsd(line.amount_cents),
    ]);
  }
  rule(pdf);
  writeRow(pdf, ['Total, US dollars', '', '', formatUsd(invoice.total_cents)], true);
  if (invoice.paid_at) pdf.moveDown(1).text(`Paid on ${day(invoice.paid_at)}.`, MARGIN);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

function writeRow(pdf: PDFKit.PDFDocument, cells: [string, string, string, string], isBold = false): void {
  pdf.font(isBold ? 'Helvetica-Bold' : 'Helvetica').fontSize(10);
  const top = pdf.y;
  pdf.text(cells[1], COLUMNS.quantity, top, { width: 60, align: 'right' });
  pdf.text(cells[2], COLUMNS.unit, top, { width: 70, align: 'right' });
  pdf.text(cells[3], COLUMNS.amount, top, { width: RIGHT - COLUMNS.amount, align: 'right' });
  pdf.text(cells[0], MARGIN, top, { width: COLUMNS.quantity - MARGIN - 10 });
  pdf.moveDown(0.4);
}

function rule(pdf: PDFKit.PDFDocument): void {
  pdf.moveTo(MARGIN, pdf.y).lineTo(RIGHT, pdf.y).strokeColor('#999').stroke();
  pdf.moveDown(0.4);
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
