// How the name of a place is read.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keyOf, readPlaceName } from '../../src/base/lib/place-name.ts';

it('a place is read as people say it', () => {
  const cases: [text: string, expected: object][] = [
    ['98101', { zip: '98101', fips: '98101', name: '', isCounty: false }],
    ['98101-4321', { zip: '98101', fips: '98101', name: '', isCounty: false }],
    ['Seattle, WA 98101', { zip: '98101', fips: '98101', name: '', isCounty: false }],
    ['53033000100', { tract: '53033000100', name: '', isCounty: false }],
    ['Seattle', { state: undefined, name: 'SEATTLE', isCounty: false }],
    ['seattle, wa', { state: 'WA', name: 'SEATTLE', isCounty: false }],
    ['Seattle WA', { state: 'WA', name: 'SEATTLE', isCounty: false }],
    ['Seattle, Washington, USA', { state: 'WA', name: 'SEATTLE', isCounty: false }],
    ['City of Milwaukee', { state: undefined, name: 'MILWAUKEE', isCounty: false }],
    ['King County', { state: undefined, name: 'KING', isCounty: true }],
    ['King Co., WA', { state: 'WA', name: 'KING', isCounty: true }],
    ['County of King, Washington', { state: 'WA', name: 'KING', isCounty: true }],
    ['Orleans Parish, Louisiana', { state: 'LA', name: 'ORLEANS', isCounty: true }],
    ['Boulder CO', { state: 'CO', name: 'BOULDER', isCounty: false }],
    ['New York, New York', { state: 'NY', name: 'NEW YORK', isCounty: false }],
    ['West Virginia', { state: 'WV', name: '', isCounty: false }],
    ['WA', { state: 'WA', name: '', isCounty: false }],
    ['St. Paul, MN', { state: 'MN', name: 'ST PAUL', isCounty: false }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(readPlaceName(text), expected, text);
  assert.equal(keyOf('St. Paul'), keyOf('SAINT PAUL'));
  assert.equal(keyOf('Coeur d’Alene'), keyOf("COEUR D'ALENE"));
});
