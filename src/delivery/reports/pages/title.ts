// The title: coverage, the chain of deeds, mortgages with their outcome, and open items.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawFacts, drawList, drawTable, left, leftOf, right, rightOf, type Cell } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asPercent, asTitle, asWords, DASH } from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

type Title = Report['title'];
const MOST_ROWS = 25;

export function drawTitlePage(paper: Paper, { title }: Report): void {
  const { coverage, ownership, open } = title;
  paper.heading('Title', { note: `Records up to ${asDay(coverage.records_to)}`, room: 320 });
  paper.paragraph(coverage.note, coverage.status === 'covered' ? {} : { color: INK.warn });
  drawFacts(
    paper,
    [
      ['No known gap since', asDay(coverage.complete_from)],
      ['Parties agree since', asDay(coverage.verified_from)],
      [
        'Owned since',
        ownership?.since
          ? `${asDay(ownership.since)}${ownership.years === null ? '' : ` (${ownership.years} years)`}`
          : DASH,
      ],
      ['Open mortgages', asNumber(open.mortgages)],
      ['Original amount', asMoney(open.original_amount)],
      ['Estimated balance', asMoney(open.estimated_balance)],
      ['Open tax liens', asNumber(open.tax_liens)],
      ['Other open liens', asNumber(open.other_liens)],
      ['Open permits / violations', `${asNumber(open.permits)} / ${asNumber(open.violations)}`],
      ...(ownership?.owners && ownership.owners.length > 0
        ? [['Owner of record', ownership.owners.join('; ')] as [string, string]]
        : []),
    ],
    3,
  );
  drawFlags(paper, title);
  drawChain(paper, title);
  drawMortgages(paper, title);
  drawLiens(paper, title);
  drawDocuments(paper, title);
  paper.paragraph(title.notice, { size: 8, color: INK.faint });
}

function drawFlags(paper: Paper, { flags }: Title): void {
  if (flags.length === 0) return;
  paper.subheading('Flags');
  drawList(paper, flags.slice(0, MOST_ROWS), [
    leftOf('Flag', 1.4, ({ code }) => ({ text: asTitle(code), bold: true, color: INK.warn })),
    leftOf('Reason', 5, ({ reason }) => reason),
  ]);
}

/** The age of a rate from another month than the loan's; older files do not have it. */
const ageOf = (months: number | undefined) => (months ? `, ${months} ${months === 1 ? 'month' : 'months'} older` : '');

const documentOf = (each: { document_number: string | null; book: string | null; page: string | null }) =>
  each.document_number ?? (each.book && each.page ? `Book ${each.book}, page ${each.page}` : DASH);

function drawChain(paper: Paper, { chain, coverage }: Title): void {
  paper.subheading(coverage.status === 'sales_only' ? 'Sales on record' : 'Chain of title, newest first');
  const isNamed = chain.some(({ grantors = [], grantees = [] }) => grantors.length + grantees.length > 0);
  const isChain = coverage.status === 'covered';
  drawTable(
    paper,
    [
      left('Date', 1.35),
      left('Instrument', 1.7),
      left('Recorded as', 1.5),
      right('Price', 1.1),
      ...(isNamed ? [left('Grantor to grantee', 3)] : []),
      ...(isChain ? [left('Link to the deed before', 1.6)] : []),
    ],
    chain.slice(0, MOST_ROWS).map((link): Cell[] => [
      {
        text: asDay(link.sold_on ?? link.recorded_on),
        ...(link.recorded_on && link.sold_on !== link.recorded_on && { note: `rec. ${asDay(link.recorded_on)}` }),
      },
      { text: asTitle(link.instrument), ...(link.arms_length === false && { note: 'not at arm’s length' }) },
      documentOf(link),
      asMoney(link.price),
      ...(isNamed ? [{ text: `${namesOf(link.grantors)} → ${namesOf(link.grantees)}`, maxLines: 5 }] : []),
      ...(isChain ? [connectionOf(link)] : []),
    ]),
    { size: 8, empty: isChain ? 'No deeds are on record.' : 'No sales are on record.' },
  );
  saysMore(paper, chain.length, 'deeds');
}

function connectionOf({ connection, flags }: Title['chain'][number]): Cell {
  const note = flags.map(({ code }) => asWords(code)).join(', ');
  return { text: asTitle(connection), ...(connection === 'broken' && { color: INK.bad, bold: true }), note };
}

const namesOf = (names: string[] | undefined) => (names && names.length > 0 ? names.join('; ') : DASH);

function drawMortgages(paper: Paper, { mortgages, coverage }: Title): void {
  paper.subheading('Mortgages');
  drawList(
    paper,
    mortgages.slice(0, MOST_ROWS),
    [
      leftOf('Recorded', 1.3, ({ recorded_on }) => asDay(recorded_on)),
      leftOf('Recorded as', 1.5, documentOf),
      leftOf('Lender', 2.4, ({ lender, holder }) => ({
        text: lender ?? 'not shown',
        ...(holder && holder !== lender && { note: `held by ${holder}` }),
      })),
      rightOf('Amount', 1.1, ({ amount }) => asMoney(amount)),
      leftOf('Status', 1.4, ({ status, releases }) => ({
        text: asTitle(status),
        bold: status !== 'released',
        ...(releases.length > 0 && { note: releases.map(describeRelease).join('; ') }),
      })),
      rightOf('Est. balance', 1.5, ({ estimated_balance: balance, balance_reason }) => ({
        text: asMoney(balance?.amount),
        note: balance
          ? `at ${asPercent(balance.rate)} of ${balance.rate_month}${ageOf(balance.rate_months_old)}`
          : asWords(balance_reason),
      })),
    ],
    { size: 8, empty: 'No mortgages are on record.' },
  );
  saysMore(paper, mortgages.length, 'mortgages');
  const { status, note } = coverage.mortgages;
  paper.paragraph(`${asTitle(status)}. ${note}`, { size: 8.5, color: status === 'covered' ? INK.soft : INK.warn });
}

const describeRelease = ({ recorded_on, matched_by }: Title['unmatched'][number]) =>
  `${asDay(recorded_on)}${matched_by.length > 0 ? `, by ${matched_by.join(', ')}` : ''}`;

function drawLiens(paper: Paper, { other_liens: liens, tax_liens, permits, violations }: Title): void {
  const rows: Cell[][] = [
    ...liens.map((each): Cell[] => [
      asTitle(each.document_type ?? 'lien'),
      asDay(each.recorded_on),
      documentOf(each),
      asMoney(each.amount),
      asTitle(each.status),
    ]),
    ...tax_liens.items.map((each): Cell[] => [
      `${asTitle(each.type)}${each.tax_year === null ? '' : ` ${each.tax_year}`}`,
      asDay(each.filing_date),
      each.document_number ?? DASH,
      asMoney(each.amount),
      asTitle(each.status),
    ]),
    ...permits.open.map((each): Cell[] => [
      { text: `Permit: ${each.type ?? each.description ?? DASH}`, maxLines: 3 },
      asDay(each.issue_date),
      each.number ?? DASH,
      asMoney(each.job_value),
      asTitle(each.status),
    ]),
    ...violations.open.map((each): Cell[] => [
      { text: `Violation: ${each.description ?? each.code_section ?? DASH}`, maxLines: 3 },
      asDay(each.opened_date),
      each.case_number ?? DASH,
      DASH,
      asTitle(each.status),
    ]),
  ];
  paper.subheading('Liens, open permits and open violations');
  const uncovered = [
    ['tax liens', tax_liens.status],
    ['permits', permits.status],
    ['violations', violations.status],
  ].flatMap(([name, status]) => (status === 'not_covered' || status === 'temporarily_unavailable' ? [name] : []));
  drawTable(
    paper,
    [left('What', 3.4), left('Date', 1.3), left('Number', 1.6), right('Amount', 1.1), left('Status', 1.2)],
    rows.slice(0, MOST_ROWS),
    { size: 8, empty: uncovered.length === 3 ? 'Not covered here.' : 'None on record.' },
  );
  saysMore(paper, rows.length, 'entries');
  if (uncovered.length > 0) paper.paragraph(`Not known here: ${uncovered.join(', ')}.`, { size: 8.5, color: INK.warn });
}

function drawDocuments(paper: Paper, { other_documents: documents }: Title): void {
  if (documents.length === 0) return;
  paper.subheading('Other recorded documents');
  drawList(
    paper,
    documents.slice(0, MOST_ROWS),
    [
      leftOf('What', 3.4, ({ document_type, instrument }) => asTitle(document_type ?? instrument)),
      leftOf('Recorded', 1.3, ({ recorded_on }) => asDay(recorded_on)),
      leftOf('Recorded as', 1.6, documentOf),
      leftOf('Refers to', 2.3, ({ refers_to }) => refers_to.join(', ') || DASH),
    ],
    { size: 8 },
  );
  saysMore(paper, documents.length, 'documents');
}

function saysMore(paper: Paper, count: number, what: string): void {
  if (count > MOST_ROWS)
    paper.paragraph(`The first ${MOST_ROWS} of ${count} ${what}; the JSON of the report has all of them.`, {
      size: 8.5,
      color: INK.faint,
    });
}
