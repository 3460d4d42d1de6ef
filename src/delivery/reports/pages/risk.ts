// The risk page: each layer with its finding, or a warning that no source covers it.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawTable, left, type Cell } from '../../../base/pdf/table.ts';
import { asDay, DASH } from '../../../base/lib/figures.ts';
import type { RISK_STATUSES } from '../../../records/risk/schema.ts';
import { LAYER_LIST } from '../../../supply/layers/layers.ts';
import type { Report } from '../schema.ts';

const STATUS: Record<(typeof RISK_STATUSES)[number], Cell> = {
  found: { text: 'Found', bold: true },
  none_found: { text: 'None found', color: INK.good },
  not_covered: { text: 'Not covered', color: INK.warn, bold: true },
  temporarily_unavailable: { text: 'Unavailable', color: INK.warn, bold: true },
};

export function drawRiskPage(paper: Paper, { risk }: Report): void {
  paper.heading('Risk', { note: `As loaded on ${asDay(risk.as_of)}`, room: 240 });
  const rows = LAYER_LIST.flatMap(({ name, title, describe }): Cell[][] => {
    const layer = risk.layers[name];
    if (!layer) return [];
    const isKnown = layer.status === 'found' || layer.status === 'none_found';
    const source = layer.source
      ? `${layer.source.name}${layer.source.published_at ? `, ${asDay(layer.source.published_at)}` : ''}`
      : DASH;
    return [
      [
        { text: title, bold: true },
        STATUS[layer.status],
        isKnown ? { text: describe(layer), maxLines: 8 } : 'Nothing is known: this is not a clean result.',
        { text: source, color: INK.soft },
      ],
    ];
  });
  drawTable(paper, [left('Layer', 1.5), left('Status', 1.2), left('Finding', 4.4), left('Source', 2.2)], rows);
}
