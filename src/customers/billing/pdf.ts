// An invoice as a PDF page.
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { Seller } from '../../base/config.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { formatUsd } from './money.ts';
import type { InvoiceRow } from './sql.ts';

const MARGIN = 56;
const RIGHT = 556;
const COLUMNS = { quantity: 330, unit: 400, amount: 480 };

export async function renderInvoice(invoice: InvoiceRow, accountName: string, seller: Seller): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    info: {
      Title: `Invoice ${invoice.number}`,
      Author: seller.name,
      CreationDate: invoice.issued_at,
      ModDate: invoice.issued_at,
    },
  });
  const bytes = buffer(pdf);

  pdf.font('Helvetica-Bold').fontSize(20).text(seller.name);
  pdf.font('Helvetica').fontSize(9).fillColor('#555');
  for (const line of [...seller.address, ...(seller.taxId ? [`Tax ID ${seller.taxId}`] : [])]) pdf.text(line);
  pdf.moveDown(1.5).fillColor('#000').font('Helvetica-Bold').fontSize(14).text(`Invoice ${invoice.number}`);
  pdf.font('Helvetica').fontSize(10).moveDown(0.5);
  pdf.text(`Issued ${isoDate(invoice.issued_at)}    Due ${isoDate(invoice.due_at)}    Status: ${invoice.status}`);
  pdf.text(`Period ${isoDate(invoice.period_start)} to ${isoDate(invoice.period_end)} (UTC)`).moveDown(1);
  pdf.font('Helvetica-Bold').text('Bill to').font('Helvetica');
  for (const line of billToLines(invoice, accountName)) pdf.text(line);
  pdf.moveDown(1.5);

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
  pdf.moveDown(1).font('Helvetica').fontSize(10);
  if (invoice.paid_at) pdf.text(`Paid on ${isoDate(invoice.paid_at)}.`, MARGIN);
  else if (invoice.status === 'open') writePayment(pdf, invoice, seller);
  pdf.end();
  return bytes;
}

function billToLines({ bill_to: to }: InvoiceRow, accountName: string): string[] {
  if (!to) return [accountName];
  const place = to.region === null ? to.country : `${to.region}, ${to.country}`;
  return [to.name, ...to.lines, place, ...(to.tax_id ? [`Tax ID ${to.tax_id}`] : [])];
}

function writePayment(pdf: PDFKit.PDFDocument, invoice: InvoiceRow, { paymentDetails }: Seller): void {
  pdf.font('Helvetica-Bold').text('How to pay', MARGIN).font('Helvetica');
  if (paymentDetails.length === 0) pdf.text('The card on file is charged, or pay in the dashboard under Billing.');
  for (const line of paymentDetails) pdf.text(line);
  pdf.text(`Reference: ${invoice.number}`);
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
