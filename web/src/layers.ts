// How the dashboard words and draws the risk layers: search flags, exposure, a lender's rules, and areas on the map.
// The server's table of layers is src/supply/layers/layers.ts.
import type { ExpressionSpecification } from 'maplibre-gl';
import type { LayerName, LayerRuleName } from '../../src/supply/layers/layers.ts';

/** Filters that are yes or no. */
export const LAYER_FLAGS: [name: string, label: string][] = [
  ['flood_sfha', 'In a flood hazard area'],
  ['opportunity_zone', 'In an opportunity zone'],
  ['has_open_tax_lien', 'Open tax lien'],
  ['has_open_violation', 'Open code violation'],
];

/** Layers without a label go by their title. */
export const EXPOSURE_LABELS: Partial<Record<string, string>> & Partial<Record<LayerName, string>> = {
  flood: 'Flood hazard area',
  opportunity_zone: 'Opportunity zone',
  tax_liens: 'Open tax lien',
  code_violations: 'Open code violation',
};

export type RuleUnit = 'percent' | 'number' | 'level' | 'words' | 'none';

export const LAYER_RULE_LABELS: Record<LayerRuleName, [label: string, unit: RuleUnit, example: string]> = {
  flood_zone_in: ['Flood zone is one of', 'words', 'AE, VE'],
  flood_hazard_area: ['In a special flood hazard area', 'none', ''],
};

/** How a layer by recipe reads, in the colors of the design system. */
export const LEVEL_COLORS = { bad: '--bad', fair: '--warn', good: '--good' } as const;

interface AreaStyle {
  /** From this zoom on the tiles have them. */
  fromZoom: number;
  /** A color of the design system, or an expression over those. */
  color(colorOf: (name: string) => string): string | ExpressionSpecification;
  opacity: number;
  outline?: string;
  filter?: ExpressionSpecification;
}

/** Areas of a layer on the map, by the layer of the tile; the last is drawn first. */
export const LAYER_AREAS = [
  [
    'flood',
    'Flood zones',
    {
      fromZoom: 10,
      color: (colorOf) => ['case', ['get', 'sfha'], colorOf('--map-flood'), colorOf('--map-flood-low')],
      opacity: 0.6,
      filter: ['!', ['get', 'minimal']],
    },
  ],
  [
    'zones',
    'Opportunity zones',
    { fromZoom: 8, color: (colorOf) => colorOf('--map-zone'), opacity: 0.28, outline: '--map-zone' },
  ],
] as const satisfies readonly [id: string, label: string, style: AreaStyle][];
export const AREA_STYLES: readonly (readonly [id: string, label: string, style: AreaStyle])[] = LAYER_AREAS;
