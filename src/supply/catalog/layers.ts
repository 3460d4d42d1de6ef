// The list of layers as a file: a line for each, tabs between the columns, and the day on its first line.
export interface Layer {
  /** Two digits of a state, or five of a county. */
  area: string;
  kind: 'parcels' | 'addresses' | 'buildings';
  /** The city it is limited to, or its name if it has one. */
  name: string;
  /** `page`: the publisher offers only manual downloads. */
  format: string;
  parcelField: string;
  /** As stated; empty if none is. */
  license: string;
  url: string;
}

export interface LayerList {
  day: string;
  layers: Layer[];
}

const COLUMNS = ['area', 'kind', 'name', 'format', 'parcelField', 'license', 'url'] as const;
const LETTERS = { parcels: 'p', addresses: 'a', buildings: 'b' } as const;
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as Layer['kind']]));

/** URL prefixes shared by hundreds of services, abbreviated by characters that no URL starts with. */
const PREFIXES = [
  ['~a', '/arcgis/rest/services/'],
  ['~A', '/ArcGIS/rest/services/'],
  ['~f', '/FeatureServer/'],
  ['~m', '/MapServer/'],
] as const;

export function readLayers(text: string): LayerList {
  const [head, ...lines] = text.trimEnd().split('\n');
  const day = /\d{4}-\d{2}-\d{2}/.exec(head)?.[0] ?? '';
  const layers = lines
    .filter((line) => !line.startsWith('#'))
    .map((line): Layer => {
      const [area, letter, name, format, parcelField, license, url] = line.split('\t');
      return { area, kind: KINDS.get(letter as 'p')!, name, format, parcelField, license, url: unfold(url) };
    });
  return { day, layers };
}

export function formatLayers({ day, layers }: LayerList, note: string): string {
  const rows = layers.map((layer) =>
    COLUMNS.map((column) => {
      if (column === 'kind') return LETTERS[layer.kind];
      return column === 'url' ? fold(layer.url) : layer[column].replace(/\s+/g, ' ').trim();
    }).join('\t'),
  );
  return `# Layers as of ${day}. ${note}\n# ${COLUMNS.join(', ')}\n${rows.toSorted().join('\n')}\n`;
}

const fold = (url: string) => PREFIXES.reduce((text, [sign, part]) => text.replace(part, sign), url);
const unfold = (url: string) => PREFIXES.reduce((text, [sign, part]) => text.replace(sign, part), url);
