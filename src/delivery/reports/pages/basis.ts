// The last pages: gaps, sources, and how to verify the file.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawList, drawTable, left, leftOf, type Cell } from '../../../base/pdf/table.ts';
import { asDay, asTitle, DASH } from '../../../base/lib/figures.ts';
import type { Report } from '../schema.ts';

export function drawBasisPages(paper: Paper, report: Report): void {
  paper.heading('Data gaps', { note: `${report.gaps.length} noted`, room: 200 });
  drawList(
    paper,
    report.gaps,
    [
      leftOf('Part', 1, ({ part }) => asTitle(part)),
      leftOf('Kind', 1.2, ({ kind }) => ({ text: kind === 'stale' ? 'Not current' : asTitle(kind), color: INK.warn })),
      leftOf('What', 6, ({ detail }) => detail),
    ],
    { empty: 'Nothing is known to be missing, filled in or out of date.' },
  );
  drawSources(paper, report);
  drawReceipt(paper, report);
}

function drawSources(paper: Paper, { sources }: Report): void {
  paper.heading('Sources', { room: 160 });
  const describe = ({ name, publisher, url }: Report['sources'][number]): Cell => ({
    text: name,
    note: [publisher, url].filter(Boolean).join(' · '),
    maxLines: 3,
  });
  drawList(
    paper,
    sources,
    [
      leftOf('Source', 3, describe),
      leftOf('Used for', 2.4, ({ used_for }) => ({ text: used_for.join(', ') || DASH, maxLines: 5 })),
      leftOf('Published', 1.15, ({ published_on }) => asDay(published_on)),
      leftOf('Loaded', 1.15, ({ loaded_at }) => asDay(loaded_at?.slice(0, 10))),
      leftOf('Covers to', 1.15, ({ covers_to }) => asDay(covers_to)),
      leftOf('License', 1.2, ({ licence }) => ({ text: licence || DASH, maxLines: 3 })),
    ],
    { size: 8 },
  );
}

function drawReceipt(paper: Paper, { id, sha256, receipt, notice, created_at, property }: Report): void {
  paper.heading('Receipt', { room: 200 });
  paper.paragraph(
    'The receipt holds everything that the model read and reproduces the value from it. The report is stored as it was made; its hash is of all its members as JSON with sorted names, and was entered in the audit log of the account when it was made.',
    { size: 8.5 },
  );
  const rows: [string, string][] = [
    ['Report', id],
    ['Made at', created_at],
    ['SHA-256 of the report', sha256],
    ['Property', property.id],
    ['Valuation receipt', receipt.id],
    ['SHA-256 of the receipt', receipt.sha256],
    ['Model', receipt.model_version],
    ['SHA-256 of the model', receipt.model_hash],
    ['Data snapshot', receipt.data_snapshot],
  ];
  drawTable(paper, [left('', 1.6), left('', 5)], rows, { size: 8 });
  paper.paragraph(notice, { size: 8, color: INK.faint });
}
