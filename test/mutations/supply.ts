// Ways to break loads and the sandbox.
import { group, type Group } from './group.ts';

export const SUPPLY: Group[] = [
  group(
    'src/supply/examination/finding.ts',
    ['test/api/examination.test.ts'],
    [
      ["severity === 'stop' && accepted_by === null", 'false', 'a severe finding stops nothing'],
      ['acceptance?.ids.includes(finding.id)', 'acceptance', 'accepting one finding accepts them all'],
    ],
  ),
  group(
    'src/records/address/filing.ts',
    ['test/api/examination.test.ts'],
    [
      ["const isShared = found.outcome === 'ambiguous';", 'const isShared = true;', 'homes that are not found pass'],
      ['areas.has(zip.slice(0, 3))', 'true', 'a city with the ZIP code of another passes'],
    ],
  ),
  group(
    'src/supply/examination/keys.ts',
    ['test/api/examination.test.ts'],
    [['this.clashes++ < 3', 'this.clashes < 3', 'homes that share a parcel number go unnoticed']],
  ),
  group(
    'src/supply/catalog/find.ts',
    ['test/unit/catalog.test.ts'],
    [
      ['candidates.length === 1 ?', 'candidates.length > 0 ?', 'the first of several counties of a name is taken'],
      ['if (here.length === 1) return settled(here);', '', 'Washington, DC is not found'],
    ],
  ),
  group(
    'src/supply/ingest/fetch/arcgis.ts',
    ['test/unit/arcgis.test.ts'],
    [
      ['fs.truncateSync(part, begun.bytes);', '', 'rows after the last checkpoint come twice'],
      [
        'if (ids.length === 1) return this.missOne(first);',
        'if (ids.length > 0) return;',
        'rows of a cut page are lost',
      ],
      ['ids = (now ?? []).filter((id) => !asked.has(id));', 'ids = [];', 'rows added while a layer is read are lost'],
    ],
  ),
  group(
    'src/supply/ingest/fetch/socrata.ts',
    ['test/unit/portals.test.ts'],
    [
      ['fs.truncateSync(part, begun.bytes);', 'fs.truncateSync(part, 0);', 'a resumed table lacks its first pages'],
      ["isQuoted || !text.endsWith('\\n') ?", 'isQuoted ?', 'a page that is cut off counts as whole'],
      ['|| begun.rows !== stamp.total', '', 'rows deleted while a table is read leave a gap'],
    ],
  ),
  group(
    'src/supply/ingest/related.ts',
    ['test/unit/related-tables.test.ts'],
    [
      ['known + value;', 'known;', 'of several parties of a document only the first is kept'],
      ["throw new BadValue('too_few_cells')", 'return bad', 'a cut row of a related table ends its reading unsaid'],
      ['all.map(({ sha256 }) => sha256)', '[]', 'a table is not joined anew when a related one changes'],
    ],
  ),
  group(
    'src/supply/ingest/cadence.ts',
    ['test/unit/ingest-sources.test.ts', 'test/api/refresh.test.ts'],
    [
      ['isDue: nextDueAt <= now,', 'isDue: nextDueAt > now,', 'data is looked for when it is not due'],
      [
        'Math.min(HOUR_MS * 2 ** (failures - 1), DAY_MS)',
        'HOUR_MS * 2 ** (failures - 1)',
        'a publisher that was down for long is never asked again',
      ],
    ],
  ),
  group(
    'src/supply/ingest/map/arms-length.ts',
    ['test/unit/ingest-deciding.test.ts'],
    [
      ['if (deed.priceUsd < TOKEN_PRICE_USD) return no(', 'if (deed.priceUsd < 0) return no(', 'fees count as sales'],
      ["if (sharesParty(deed)) return no('same_party');", '', 'a sale to oneself counts as one'],
      ['return deed.priceUsd < deed.priceFloorUsd ?', 'return false ?', 'prices below the floor count as sales'],
      [
        "if (deed.stated === true) return { armsLength: true, reason: 'stated_by_source' };",
        '',
        'a sale that the publisher has reviewed is judged again',
      ],
    ],
  ),
  group(
    'src/supply/ingest/map/fields.ts',
    ['test/unit/ingest-reading.test.ts', 'test/unit/ingest-deciding.test.ts'],
    [
      [
        'value === null || value < min || value > max ? null : Math.round(value)',
        'value === null ? null : Math.round(value)',
        'numbers out of range are loaded',
      ],
      ["found.padStart(5, '0')", 'found', 'ZIP codes of New England lose their zero'],
    ],
  ),
  group(
    'src/supply/ingest/map/words.ts',
    ['test/unit/ingest-deciding.test.ts', 'test/unit/ingest-reading.test.ts'],
    [["(names.length > 0 ? 'individual' : 'other')", "'other'", 'people are no longer told from companies']],
  ),
  group(
    'src/supply/ingest/read/csv.ts',
    ['test/unit/ingest-reading.test.ts', 'test/unit/ingest-formats.test.ts'],
    [["if (record[at] !== '\"') break;", 'break;', 'a doubled quote ends a cell']],
  ),
  group(
    'src/supply/ingest/read/gdal.ts',
    ['test/unit/ingest-old-formats.test.ts'],
    [["'-resolveDomains', ", '', 'codes of a geodatabase stay without their labels']],
  ),
  group(
    'src/supply/ingest/states.ts',
    ['test/unit/recipes.test.ts', 'test/unit/ingest-sources.test.ts', 'test/api/national.test.ts'],
    [["if (text.toLowerCase() === 'all') return STATES;", '', 'a nation cannot be loaded by one word']],
  ),
  group(
    'src/supply/layers/tax-liens.ts',
    ['test/api/risk.test.ts'],
    [
      [
        "const open = items.filter(({ status }) => status === 'open');",
        'const open = items;',
        'liens that were paid count as open',
      ],
    ],
  ),
  group(
    'src/supply/layers/code-violations.ts',
    ['test/api/risk.test.ts'],
    [
      [
        '(items) => ({ ...countOpen(items), items })',
        '(items) => ({ open_count: items.length, status_unknown: 0, items })',
        'violations that were mended count as open',
      ],
    ],
  ),
  group(
    'src/supply/layers/condition.ts',
    ['test/api/layers-by-recipe.test.ts'],
    [['value <= Number(max)', 'value < Number(max)', 'a range leaves out its end']],
  ),
  group(
    'src/supply/ingest/write/layers.ts',
    ['test/api/layers-by-recipe.test.ts'],
    [
      ['nearest.miles > within', 'nearest.miles < within', 'a site out of reach is the nearest'],
      ["layer.covers === 'country' || records > 0", 'true', 'a county without records is covered'],
    ],
  ),
  group(
    'src/supply/layers/flood.ts',
    ['test/api/risk.test.ts', 'test/unit/ingest-deciding.test.ts', 'test/api/ingest.test.ts'],
    [
      [
        'severityOf(b) - severityOf(a) ||',
        'severityOf(a) - severityOf(b) ||',
        'a home in two zones is told the milder one',
      ],
      [
        'return elevation <= -9999 ? null : elevation;',
        'return elevation;',
        'an elevation that FEMA does not know is told as -9999 feet',
      ],
    ],
  ),
  group(
    'src/supply/map-aggregates/figures.ts',
    ['test/api/squares.test.ts', 'test/api/tiles.test.ts'],
    [
      [
        'p.last_sale_price >= 10000 and p.valued_on - p.last_sale_date >= 365',
        'p.last_sale_price >= 0 and p.valued_on - p.last_sale_date >= 0',
        'token prices make growth on the map',
      ],
    ],
  ),
  group(
    'src/supply/map-aggregates/squares.ts',
    ['test/api/squares.test.ts', 'test/api/tiles.test.ts'],
    [
      [
        'const widerSteps = (zoom: number): number => (zoom > 5 ? 0 : 6 - zoom);',
        'const widerSteps = (zoom: number): number => (zoom > 5 ? 0 : 5 - zoom);',
        'squares of the whole country are too small',
      ],
      [
        'EXACT_ZOOMS.filter((zoom) => zoom <= finestZoom)',
        'EXACT_ZOOMS.filter((zoom) => zoom > finestZoom)',
        'a city has no squares',
      ],
    ],
  ),
  group(
    'src/supply/sandbox/fixtures.ts',
    ['test/api/errors.test.ts', 'test/api/valuations.test.ts', 'test/unit/sandbox.test.ts'],
    [
      ['[`${WENDEMERE}:${apn}`, outcome],', '', 'magic parcel numbers do nothing'],
      [
        "outcome?.kind === 'layer_unavailable' && outcome.layer === layer",
        "outcome?.kind === 'layer_unavailable'",
        'the sandbox cannot show one layer that is away',
      ],
    ],
  ),
];
