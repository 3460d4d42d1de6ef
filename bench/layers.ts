// What layers by recipe cost: a record with `include=risk` and a page of 500, with the six layers of every server and with
// fourteen more. Twenty may cost at most half as much again as six.
import type { Config } from '../src/base/config.ts';
import { writeJson } from '../src/base/lib/written-once.ts';
import { open } from '../src/operate/open.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { readFilter } from '../src/records/properties/filter.ts';
import { presentProperties } from '../src/records/properties/properties.ts';
import { searchProperties } from '../src/records/properties/search.ts';
import { readRiskReports } from '../src/records/risk/risk.ts';
import { LAYER_NAMES } from '../src/supply/layers/layers.ts';
import { measureInTurns, ms, printTable } from './measure.ts';

const MORE = Array.from({ length: 14 }, (_, at) => `bench_${String(at).padStart(2, '0')}`);
const MOST_RATIO = 1.5;

const DEFINITION = {
  title: 'Bench',
  description: 'Invented for a bench.',
  join: 'tract',
  headline: 'risk_rating',
  sentence: 'Risk {risk_rating}, index {risk_score}.',
  fields: {
    risk_score: { type: 'decimal', label: 'Risk index' },
    risk_rating: { type: 'text', label: 'Risk' },
    hail: { type: 'text', label: 'Hail' },
    drought: { type: 'text', label: 'Drought' },
  },
};

export async function run(_args: string[], config: Config): Promise<void> {
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, config.sandboxProperties);
  try {
    // The invented hazards of the sandbox under other names, half of them as stamps of homes.
    for (const [at, name] of MORE.entries()) {
      const definition = { ...DEFINITION, join: at % 2 === 0 ? 'tract' : 'parcel' };
      await deps.data.query(
        `insert into layer_definitions select $1, $2, 'sandbox/hazards', 0, now() on conflict (name) do nothing`,
        [name, definition],
      );
      await deps.data.query(
        at % 2 === 0
          ? `insert into layer_values select fips, $1, kind, key, latitude, longitude, vals, source_id, load_id, loaded_at
             from layer_values where layer = 'hazards' on conflict do nothing`
          : `insert into layer_stamps select p.fips, p.id, $1, jsonb_build_object('risk_score', v.vals->'risk_score', 'risk_rating', v.vals->'risk_rating'), v.source_id, v.load_id, v.loaded_at
             from layer_values v join properties p on p.fips = v.fips and p.census_tract = v.key
             where v.layer = 'hazards' on conflict do nothing`,
        [name],
      );
      await deps.data.query(
        `insert into coverage select fips, market, $1, source_id, covers_from, covers_to, published_on, loaded_at, record_count
         from coverage where layer = 'hazards' on conflict do nothing`,
        [name],
      );
    }
    await deps.data.query('analyze layer_values, layer_stamps');
    deps.catalog.forget();
    const twenty = [...LAYER_NAMES, ...MORE];
    const read = (limit: number, names: readonly string[]) => async () => {
      const search = { filter: readFilter({ state: 'ZZ' }), sort: undefined, limit, cursor: undefined };
      const { rows } = await searchProperties(deps, 'test', search);
      const shape = {
        includes: ['risk'] as const,
        fields: undefined,
        readRisk: (some: Parameters<typeof readRiskReports>[1]) => readRiskReports(deps, some, names),
      };
      const page = await presentProperties(deps, { mode: 'test', mayReadOwners: false }, rows, shape);
      return writeJson(() => JSON.stringify(page));
    };
    const rows: (string | number)[][] = [];
    for (const [what, limit, count] of [
      ['one home', 1, 200],
      ['a page of 500', 500, 30],
    ] as const) {
      const [few, many] = await measureInTurns([read(limit, LAYER_NAMES), read(limit, twenty)], count);
      const ratio = many.p50Ms / few.p50Ms;
      rows.push([what, ms(few.p50Ms), ms(many.p50Ms), ratio.toFixed(2), ratio <= MOST_RATIO ? 'yes' : 'NO']);
    }
    printTable('include=risk, p50 in ms', ['', 'six layers', 'twenty', 'ratio', `at most ${MOST_RATIO}`], rows);
  } finally {
    for (const table of ['layer_definitions', 'layer_values', 'layer_stamps', 'coverage'])
      await deps.data.query(
        `delete from ${table} where ${table === 'layer_definitions' ? 'name' : 'layer'} like 'bench\\_%'`,
      );
    await close();
  }
}
