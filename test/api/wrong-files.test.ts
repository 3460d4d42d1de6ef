// A cross-section of the wrong files of `npm run bench -- wrong-files`: none is served wrong without a word.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeHomes } from '../../bench/wrong-files/homes.ts';
import { KINDS } from '../../bench/wrong-files/kinds.ts';
import { SHAPES, type Shape } from '../../bench/wrong-files/shapes.ts';
import { appliesTo, tryFile } from '../../bench/wrong-files/try.ts';
import { testDeps } from '../harness.ts';

const { data } = await testDeps();
const folder = mkdtempSync(join(tmpdir(), 'platbook-wrong-'));
const bench = { data, folder, homes: makeHomes(200), usual: new Map<Shape, string[]>() };
for (const shape of SHAPES) bench.usual.set(shape, (await tryFile(bench, { name: 'usual' }, shape)).told);

/** Each by a check of its own. */
const ALWAYS =
  /^(owner and address|value of land and of|no bedrooms|prices of the row above|next: owners|sale dates as month|two prices|degrees, minutes|each home again with the owner|ZIP codes counted|assessed values in hundreds, a fifth|the address of the row|each home with the sales|baths times ten, a|homes called vacant|lots in hectares where|prices cut at|bedrooms and bathrooms one|each sale again|question marks|business days|house number 9999|the average area|values of an older|C\/O in|nan between|house numbers twice|next: parcels of a tenth|next: sales of a tenth|coordinates with three|the letter O for zeros in parcels|the owner's mail within|prices sorted within|prices of every second|quotes (within|escaped)|invisible|sale dates counted|row numbers in|living areas rounded|sale dates on the first of|house numbers (masked|of the block|padded)|GUIDs|line breaks of a workbook|texts in single|two halves|statements of SQL|values of two years|an older tax year|deleted homes|no bathrooms|no value of|CURRENT RESIDENT|longitudes without dec|assessed values at two|the letters S and B|abbreviations for|next: (OAK|the year of a ren|all homes of one|sales of a fifth|a fifth more))/;

describe('a file that was touched by clerks, spreadsheets and exporters', () => {
  // A third of the kinds, each in one shape; the bench tries all of them in all shapes.
  for (const [i, kind] of KINDS.entries()) {
    if (i % 3 !== 0 && !ALWAYS.test(kind.name)) continue;
    const shapes = SHAPES.filter((shape) => appliesTo(kind, shape));
    const shape = shapes[Math.floor(i / 3) % shapes.length];
    it(`${kind.name} (${shape.name})`, async () => {
      const { verdict, wrong, told } = await tryFile(bench, kind, shape);
      assert.notEqual(verdict, 'silent', wrong[0]);
      if (kind.isRight) assert.equal(verdict, 'right', `${told.join(', ')}; ${wrong[0]}`);
    });
  }
});
