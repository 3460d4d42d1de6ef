// Recipes: what they can say, how mistakes in them are told, and what a new one looks like.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { stringify } from 'yaml';
import { fileURLToPath } from 'node:url';
import { formatOpenApi } from '../../tools/openapi.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { compileField } from '../../src/supply/ingest/recipe/compile.ts';
import { type FieldSpec, Recipe as RECIPE_SCHEMA } from '../../src/supply/ingest/recipe/schema.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { readSources } from '../../sources/sources.ts';

const MINIMAL = {
  id: 'elmville-zy',
  market: { name: 'Elmville', state: 'ZY', description: 'Invented' },
  counties: [{ fips: 99_701, name: 'Elm County', state: 'ZY' }],
  datasets: {
    roll: {
      publisher: 'Elm County',
      license: 'CC0',
      published_on: '2026-01-31',
      format: { type: 'csv' },
      files: ['roll.csv'],
      key: { parcel: { text: 'pin' } },
      records: [{ into: 'properties', fields: { sqft: { positive: 'area' } as FieldSpec } }],
      layers: ['properties'],
    },
  },
};

const read = (spec: FieldSpec, ...cells: string[]) => compileField(spec, []).read(cells);

describe('a recipe', () => {
  it('is published as it is checked', () => {
    const published = readFileSync(
      fileURLToPath(new URL('../../docs/site/recipe.schema.json', import.meta.url)),
      'utf8',
    );
    assert.equal(published, formatOpenApi(RECIPE_SCHEMA));
  });

  it('can be YAML or JSON, with defaults for what it leaves out', () => {
    const yaml = parseRecipe(stringify(MINIMAL), 'elmville.yaml');
    const json = parseRecipe(JSON.stringify(MINIMAL), 'elmville.json');
    assert.deepEqual(JSON.stringify(yaml), JSON.stringify(json));
    assert.deepEqual(
      [yaml.market?.id, yaml.datasets[0].id, yaml.datasets[0].key?.fips, yaml.datasets[0].attribution],
      ['elmville-zy', 'elmville-zy/roll', 99_701, 'Elm County'],
    );
  });

  it('covers every place that comes with the program', () => {
    assert.equal(readSources().length, 21);
    for (const source of readSources()) for (const { id } of source.datasets) assert.ok(id.startsWith(`${source.id}/`));
  });

  const mistakes: [what: string, change: (text: string) => string, message: RegExp][] = [
    [
      'an unknown word',
      (text) => text.replace('published_on', 'publishd_on'),
      /line \d+, datasets\.roll\.publishd_on: unknown word `publishd_on`; did you mean `published_on`\?/,
    ],
    [
      'an unknown way to read',
      (text) => text.replace('positive: area', 'positiv: area'),
      /line \d+, datasets\.roll\.records\.0\.fields\.sqft\.positiv: .*did you mean `positive`\?/,
    ],
    [
      'an unknown field',
      (text) => text.replace('sqft:', 'sqfeet:'),
      /line \d+, .*sqfeet: properties has no field `sqfeet`; did you mean `sqft`\?/,
    ],
    [
      'an unknown kind of record',
      (text) => text.replace('into: properties', 'into: property'),
      /`property` is not known; did you mean `properties`\?/,
    ],
    ['a missing part', (text) => text.replace('license: CC0', 'note: x'), /line \d+, datasets\.roll: needs `license`/],
    [
      'two ways at once',
      (text) =>
        text
          .replace('positive: area', 'positive: area, text: area')
          .replace(/(\n\s*)positive: area, /, '$1positive: area$1'),
      /exactly one way/,
    ],
    [
      'a wrong type',
      (text) => text.replace('fips: 99701', 'fips: many'),
      /line \d+, counties\.0\.fips: must be integer, not "many"/,
    ],
    [
      'an expression that is none',
      (text) => text.replace('positive: area', 'expression: area +'),
      /line \d+, .*the expression `area \+` cannot be used/,
    ],
    ['text that is no YAML', (text) => `${text}\n  - [`, /is not a valid recipe/],
  ];
  for (const [what, change, message] of mistakes) {
    it(`is refused with its line and the nearest word: ${what}`, () => {
      assert.throws(() => parseRecipe(change(stringify(MINIMAL)), 'elmville.yaml'), message);
    });
  }
});

describe('a field of a recipe', () => {
  it('is read in one of many ways', () => {
    const cases: [FieldSpec, string[], unknown][] = [
      [{ text: 'a' }, ['  two   words '], 'two words'],
      [{ text: 'a', max: 3 }, ['longer'], 'lon'],
      [{ title: 'a' }, ['LOWER EAST-SIDE'], 'Lower East-Side'],
      [{ digits: 'a', length: 5 }, ['42'], '00042'],
      [{ times: 'a', by: 43_560 }, ['0.5'], 21_780],
      [{ date: 'a', after: '1900-01-02' }, ['1900-01-01'], null],
      [{ join: ['a', 'b', 'c'], with: ' ' }, ['12', '', 'ELM ST'], '12 ELM ST'],
      [{ join: ['a', 'b'] }, ['', 'NULL'], null],
      [{ code: 'a', table: { 1: 'x' }, otherwise: 'y' }, ['2'], 'y'],
      [{ code: 'a', table: { 1: 'x' } }, ['constructor'], null],
      [{ match: 'a', patterns: { '^10': 'ten', '^1': 'one' } }, ['102'], 'ten'],
      [{ match: 'a', patterns: { '^10': 'ten' } }, ['2'], null],
      [{ object: { x: { whole: 'a' }, y: { text: 'b' } } }, ['7', ''], { x: 7 }],
      [{ constant: ['a', 'b'] }, [], ['a', 'b']],
    ];
    for (const [spec, cells, expected] of cases) assert.deepEqual(read(spec, ...cells), expected, JSON.stringify(spec));
  });
});

describe('an expression', () => {
  const evaluate = (expression: string, ...cells: string[]) => read({ expression }, ...cells);

  it('computes with the cells it names', () => {
    assert.deepEqual(compileField({ expression: 'upper(b) + a + item.c' }, []).columns, ['b', 'a', '.c']);
    assert.equal(evaluate('nonzero(number(full, 0) + number(half, 0) / 2)', '2', '1'), 2.5);
    assert.equal(evaluate('nonzero(number(full, 0) + number(half, 0) / 2)', '', ''), null);
    assert.equal(evaluate('pad(replace(pin, r"\\D", ""), 8)', '12-345'), '00012345');
    assert.equal(evaluate('part(place, "#", 1)', '12 ELM ST #4'), '4');
    assert.equal(evaluate('a == "" ? nothing : a + "!"', ''), null);
    assert.deepEqual(evaluate('a == "Y" ? ["homestead"] : []', 'Y'), ['homestead']);
    assert.equal(evaluate('round(number(a) * 100) / 10000', '12.345'), 0.1235);
    assert.equal(evaluate('joined([a, b].filter(x, x != "-"), "/")', 'p', '-'), 'p');
  });

  it('turns a failure into a bad row, not into a crash', () => {
    assert.throws(() => evaluate('number(a) + 1', 'x'), /expression_failed/);
  });

  it('reaches nothing but the row, and cannot run long', () => {
    for (const text of [
      'process.exit(1)',
      'constructor.constructor("x")()',
      'a.matches("(a+)+$")',
      'a.matches("(?=x)")',
      'replace(a, b, "")',
      'a.matches("a*a*a*a*a*b")',
      'x'.repeat(10) + '('.repeat(200),
    ]) {
      assert.throws(
        () => evaluate(text, 'aaaa')!.toString(),
        (error: Error) => /cannot be used|expression_failed|null/.test(error.message),
        text,
      );
    }
  });
});

describe('documents in a list', () => {
  const deeds = {
    ...MINIMAL.datasets.roll,
    records: [
      {
        into: 'transactions',
        each: 'deeds',
        only_if: { expression: 'item.kind == "sale"' },
        fields: {
          id: { text: '.number' },
          sale_date: { date: '.day' },
          price: { dollars: '.price' },
          arms_length: { code: '.fair', table: { yes: true, no: false } },
          arms_length_reason: { text: '.why' },
        },
      },
    ],
  };
  const source = parseRecipe(stringify({ ...MINIMAL, datasets: { deeds } }), 'elmville.yaml');
  const [dataset] = source.datasets;
  const context = {
    source,
    dataset,
    stamper: undefined,
    file: 'f',
    publishedOn: dataset.publishedOn,
    fileRank: 1,
    lookup: undefined,
  };
  const map = (list: object[]) =>
    compileMap(
      ['pin', 'deeds'],
      context,
    )({ line: 2, cells: ['12-1', JSON.stringify(list)] }).records.map(({ values }) =>
      Object.fromEntries(stagedColumns(dataset, 'transactions').map((name, i) => [name, values[i]])),
    );

  it('are chosen by a member that no field reads', () => {
    const listed = [
      { number: '1', kind: 'sale', day: '2025-03-01', price: 300_000 },
      { number: '2', kind: 'easement', day: '2025-03-02' },
    ];
    assert.deepEqual(
      map(listed).map(({ price }) => price),
      [300_000],
    );
  });

  it('keep the verdict that their publisher states, whatever the price says', () => {
    const [{ arms_length, arms_length_reason }] = map([
      { number: '1', kind: 'sale', day: '2025-03-01', price: 300_000, fair: 'no', why: 'bank_owned' },
    ]);
    assert.deepEqual([arms_length, arms_length_reason], [false, 'bank_owned']);
  });
});
