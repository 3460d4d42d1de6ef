// The table of risk layers: every row is consistent, and the usual readers tell found, none and unknown apart.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnTypeOf, count, day, emptyOf, flag, words } from '../../src/supply/layers/layer.ts';
import { LAYER_LIST, LAYERS } from '../../src/supply/layers/layers.ts';

describe('every layer', () => {
  for (const layer of LAYER_LIST) {
    it(`${layer.name} refers to columns and members that it has`, () => {
      const columns = Object.keys(layer.columns);
      const named = [
        ...Object.values(layer.filters).map(({ column }) => column),
        ...Object.values(layer.pointAttributes).map(({ column }) => column),
        ...Object.keys(layer.events?.summaries ?? {}),
        ...Object.keys(layer.polygons?.columns([]) ?? {}),
        ...(layer.exposure ? [layer.exposure.column] : []),
        ...(layer.tracts ? [layer.tracts.column] : []),
      ];
      assert.deepEqual(
        named.filter((name) => !columns.includes(name)),
        [],
      );
      assert.deepEqual(
        Object.values(layer.exports).filter((member) => !(member in layer.members)),
        [],
      );
      assert.deepEqual(
        layer.batchColumns.filter((name) => !(name in layer.exports)),
        [],
      );
    });

    it(`${layer.name} can be described when nothing is known`, () => {
      assert.match(layer.describe(emptyOf(layer.members)), /\S/);
    });
  }

  it('has columns, filters, rules and export columns of its own', () => {
    const names = (of: (layer: (typeof LAYER_LIST)[number]) => object) =>
      LAYER_LIST.flatMap((layer) => Object.keys(of(layer)));
    for (const list of [
      names((l) => l.columns),
      names((l) => l.filters),
      names((l) => l.rules),
      names((l) => l.exports),
    ])
      assert.equal(new Set(list).size, list.length, list.join(' '));
  });

  it('goes by its key in the table', () => {
    assert.deepEqual(
      Object.values(LAYERS).map(({ name }) => name),
      Object.keys(LAYERS),
    );
  });
});

it('a shape is exported as the type it holds', () => {
  assert.deepEqual([words(), flag(), count(), day()].map(columnTypeOf), ['text', 'boolean', 'integer', 'date']);
});
