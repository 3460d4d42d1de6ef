// The risk page: each layer with its finding, or a warning that no source covers it.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawTable, left, type Cell } from '../../../base/pdf/table.ts';
import { asDay, DASH } from '../../../base/lib/figures.ts';
import { loadedLayersOf, type LoadedLayer, type RISK_STATUSES } from '../../../records/risk/schema.ts';
import { LAYER_LIST } from '../../../supply/layers/layers.ts';
import type { Report } from '../schema.ts';

const STATUS: Record<(typeof RISK_STATUSES)[number], Cell> = {
  found: { text: 'Found', bold: true },
  none_found: { text: 'None found', color: INK.good },
  not_covered: { text: 'Not covered', color: INK.warn, bold: true },
  temporarily_unavailable: { text: 'Unavailable', color: INK.warn, bold: true },
};

function rowOf(
  title: string,
  { status, source }: Pick<LoadedLayer, 'status' | 'source'>,
  describe: () => string,
): Cell[] {
  const isKnown = status === 'found' || status === 'none_found';
  const from = source ? `${source.name}${source.published_at ? `, ${asDay(source.published_at)}` : ''}` : DASH;
  return [
    { text: title, bold: true },
    STATUS[status],
    isKnown ? { text: describe(), maxLines: 8 } : 'Nothing is known: this is not a clean result.',
    { text: from, color: INK.soft },
  ];
}

export function drawRiskPage(paper: Paper, { risk }: Report): void {
  paper.heading('Risk', { note: `As loaded on ${asDay(risk.as_of)}`, room: 240 });
  const builtIn = LAYER_LIST.flatMap(({ name, title, describe }): Cell[][] => {
    const layer = risk.layers[name];
    return layer ? [rowOf(title, layer, () => describe(layer))] : [];
  });
  const loaded = loadedLayersOf(risk).map(([, layer]) => rowOf(layer.title, layer, () => layer.summary ?? DASH));
  const rows = [...builtIn, ...loaded];
  drawTable(paper, [left('Layer', 1.5), left('Status', 1.2), left('Finding', 4.4), left('Source', 2.2)], rows);
}
