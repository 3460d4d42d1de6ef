// Risk: six layers, each with what was found, or that nobody looked.
import { INK } from '../../../base/pdf/colors.ts';
import type { Paper } from '../../../base/pdf/paper.ts';
import { drawTable, type Cell } from '../../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asPercent, DASH } from '../figures.ts';
import type { Report } from '../schema.ts';

type Layers = Report['risk']['layers'];

const STATUS: Record<NonNullable<Layers['flood']>['status'], Cell> = {
  found: { text: 'Found', bold: true },
  none_found: { text: 'None found', color: INK.good },
  not_covered: { text: 'Not covered', color: INK.warn, bold: true },
  temporarily_unavailable: { text: 'Unavailable', color: INK.warn, bold: true },
};

export function drawRiskPage(paper: Paper, { risk }: Report): void {
  paper.heading('Risk', { note: `As loaded on ${asDay(risk.as_of)}`, room: 240 });
  const { layers } = risk;
  const rows = ROWS.flatMap(([name, key, describe]): Cell[][] => {
    const layer = layers[key];
    if (!layer) return [];
    const isKnown = layer.status === 'found' || layer.status === 'none_found';
    const source = layer.source
      ? `${layer.source.name}${layer.source.published_at ? `, ${asDay(layer.source.published_at)}` : ''}`
      : DASH;
    return [
      [
        { text: name, bold: true },
        STATUS[layer.status],
        isKnown ? { text: describe(layers), maxLines: 8 } : 'Nothing is known: this is not a clean result.',
        { text: source, color: INK.soft },
      ],
    ];
  });
  drawTable(
    paper,
    [
      { title: 'Layer', share: 1.5 },
      { title: 'Status', share: 1.2 },
      { title: 'Finding', share: 4.4 },
      { title: 'Source', share: 2.2 },
    ],
    rows,
  );
}

const ROWS: [name: string, key: keyof Layers, describe: (layers: Layers) => string][] = [
  [
    'Flood',
    'flood',
    ({ flood }) =>
      flood?.zone
        ? `Zone ${flood.zone}${flood.zone_subtype ? ` (${flood.zone_subtype.toLowerCase()})` : ''}, ${flood.sfha ? 'in' : 'outside'} the special flood hazard area. Panel ${flood.firm_panel ?? DASH}, effective ${asDay(flood.effective_date)}.`
        : 'In no mapped flood zone.',
  ],
  [
    'Tax liens',
    'tax_liens',
    ({ tax_liens: liens }) =>
      `${asNumber(liens?.open_count)} open, ${asMoney(liens?.open_amount)}; ${liens?.items.length ?? 0} on record.`,
  ],
  [
    'Permits',
    'permits',
    ({ permits }) => {
      const latest = permits?.items[0];
      return `${asNumber(permits?.count)} on record, job value ${asMoney(permits?.total_job_value)}.${latest ? ` Latest: ${latest.type ?? latest.description ?? 'permit'}, ${asDay(latest.issue_date)}.` : ''}`;
    },
  ],
  [
    'Code violations',
    'code_violations',
    ({ code_violations: cases }) => `${asNumber(cases?.open_count)} open; ${cases?.items.length ?? 0} on record.`,
  ],
  [
    'Census tract',
    'census',
    ({ census }) =>
      `Tract ${census?.tract_geoid ?? DASH}, ${census?.vintage ?? DASH}: population ${asNumber(census?.population)}, median household income ${asMoney(census?.median_household_income)}, median home value ${asMoney(census?.median_home_value)}, owner-occupied ${rate(census?.owner_occupied_rate)}, vacant ${rate(census?.vacancy_rate)}. For information: neither the value nor the rules read it.`,
  ],
  [
    'Opportunity zone',
    'opportunity_zone',
    ({ opportunity_zone: zone }) =>
      zone?.is_opportunity_zone
        ? `In a qualified opportunity zone (tract ${zone.tract_geoid ?? DASH}).`
        : 'Not in a qualified opportunity zone.',
  ],
];

const rate = (share: number | null | undefined) => (typeof share === 'number' ? asPercent(share) : DASH);
