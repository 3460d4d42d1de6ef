// What a valuation says of itself: nothing from after its day, and the truth about what it does not know.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/insight/avm/model.ts';
import { hashOf, pack, unpack } from '../../src/insight/avm/pack.ts';
import { insertModels } from '../../src/insight/valuations/model-sql.ts';
import { testClient } from '../harness.ts';

const client = await testClient();
client.deps.travel('2026-11-20T12:00:00Z');
const { data, control, models } = client.deps;
const estimate = (body: object) => client.post('/avm/estimate', body);

/** Homes of every fifth parcel or so, sold and unsold. */
const { rows: homes } = await data.query<{ id: string; fips: number }>(
  `select id, fips from properties where property_type = 'single_family' and status = 'active' and latitude is not null
     and hashtext(id) % 97 = 0 order by id limit 12`,
);

/** Publishes a changed copy of the market's earlier model. */
async function publishCopy(version: string, change: (model: Model) => Model): Promise<Model> {
  const { rows } = await control.query(`select * from models where state = 'earlier' order by trained_on limit 1`);
  const { created_at: _, ...row } = rows[0];
  const model: Model = { ...change(unpack<Model>(row.bytes)), version };
  const bytes = pack(model);
  await insertModels(client.deps.control, [
    { ...row, version, bytes, hash: hashOf(bytes), createdAt: client.deps.clock() },
  ]);
  models.forget();
  return model;
}

describe('a model', () => {
  it('is opened once by ten first calls', async () => {
    models.forget();
    const [row] = await models.list();
    const opened = await Promise.all(Array.from({ length: 10 }, () => models.open(row)));
    assert.equal(new Set(opened).size, 1);
    // A call that comes while the sales are read again joins as well.
    models.forget();
    const first = models.open(row);
    await new Promise((done) => setImmediate(done));
    const second = models.open(row);
    assert.equal(await first, await second);
    assert.notEqual(await first, opened[0]);
  });
});

describe('an implausible attribute on record', () => {
  const [, home] = homes;
  const set = (column: string, value: number | null) =>
    data.query(`update properties set ${column} = $2 where id = $1`, [home.id, value]);

  const cases: Array<[string, number]> = [
    ['lot_sqft', 1],
    ['sqft', 12],
    ['bedrooms', 49],
    ['year_built', 2090],
    ['stories', 140],
  ];
  for (const [column, value] of cases) {
    it(`counts as unknown and is named: ${column} ${value}`, async () => {
      const { rows } = await data.query(`select ${column} as value from properties where id = $1`, [home.id]);
      try {
        await set(column, null);
        const { body: unknown } = await estimate({ property: { id: home.id } });
        await set(column, value);
        const { status, body } = await estimate({ property: { id: home.id } });
        assert.equal(status, 200, JSON.stringify(body));
        const { estimated_value, confidence_interval } = unknown;
        assert.deepEqual(
          { value: body.estimated_value, interval: body.confidence_interval },
          { value: estimated_value, interval: confidence_interval },
        );
        const warning = body.warnings.find(({ code }: { code: string }) => code === 'implausible_value');
        assert.equal(warning.field, column);
        assert.match(warning.detail, new RegExp(`${column} is ${value} on record`));
        const { body: record } = await client.get(`/properties/${home.id}`);
        assert.ok(JSON.stringify(record).includes(`"${column}":${value}`), 'the record says what its source says');
      } finally {
        await set(column, rows[0].value);
      }
    });
  }

  it('is refused when the caller says it, or used with a warning where it is merely unusual', async () => {
    for (const [column, value] of [
      ['lot_sqft', 1],
      ['sqft', 12],
      ['year_built', 2090],
    ] as const)
      assert.equal((await estimate({ property: { id: home.id, [column]: value } })).status, 400, column);
    const { body } = await estimate({ property: { id: home.id, bedrooms: 30, sqft: 20_000 } });
    const codes = body.warnings.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`);
    assert.ok(codes.includes('unusual_value bedrooms') && codes.includes('unusual_value sqft'), String(codes));
    assert.ok(!codes.some((each: string) => each.startsWith('implausible')), String(codes));
  });
});

describe('the stated error', () => {
  it('grows with what is unknown about the home, and says how that was measured', async () => {
    const answers = await Promise.all(homes.map(({ id }) => estimate({ property: { id } })));
    const at = answers.findIndex(({ body }) => body.error_basis.missing.length === 0);
    const [home, whole] = [homes[at], answers[at].body];
    const { rows } = await data.query('select sqft, year_built, quality from properties where id = $1', [home.id]);
    const told = [whole.median_error_rate];
    try {
      for (const columns of [['sqft'], ['sqft', 'quality'], ['sqft', 'quality', 'year_built']]) {
        const nulls = columns.map((column) => `${column} = null`).join();
        await data.query(`update properties set ${nulls}, effective_year_built = null where id = $1`, [home.id]);
        const { body } = await estimate({ property: { id: home.id } });
        for (const column of columns) assert.ok(body.error_basis.missing.includes(column), JSON.stringify(body));
        for (const name of body.error_basis.missing)
          assert.ok(body.error_basis.measured_without.includes(name), JSON.stringify(body.error_basis));
        assert.ok(body.error_basis.missing_sample_size >= 0);
        assert.equal(typeof body.error_basis.has_earlier_sale, 'boolean');
        told.push(body.median_error_rate);
      }
    } finally {
      const { sqft, year_built, quality } = rows[0];
      await data.query(
        'update properties set sqft = $2, year_built = $3, effective_year_built = $3, quality = $4 where id = $1',
        [home.id, sqft, year_built, quality],
      );
    }
    assert.ok(
      told.slice(1).every((error) => error > told[0]),
      String(told),
    );
  });
});

describe('a valuation as of a day', () => {
  it('is the same to the byte when every sale that became known later is removed', async () => {
    // It knows no errors of later sales, follows them itself, and only a few of them calibrate at a time.
    const { trainedOn, version } = await publishCopy('follows', (model) => {
      const { knownDay, sigma, score, type, logValue, isSold, isUnusual, isOutOfTime } = model.scores;
      const own = knownDay.filter((day) => day <= model.trainedOn).length;
      return {
        ...model,
        calibration: { ...model.calibration, sales: 80 },
        scores: {
          knownDay: knownDay.slice(0, own),
          sigma: sigma.slice(0, own),
          score: score.slice(0, own),
          type: type.slice(0, own),
          logValue: logValue.slice(0, own),
          isSold: isSold.slice(0, own),
          isUnusual: isUnusual.slice(0, own),
          isOutOfTime: isOutOfTime.slice(0, own),
        },
      };
    });
    const days = [200, 120, 60].map((after) => new Date((trainedOn + after) * 86_400_000).toISOString().slice(0, 10));
    const answers = async (as_of: string) => {
      const each = await Promise.all(
        homes.map(({ id }) => estimate({ property: { id }, options: { as_of, model_version: version } })),
      );
      return each.map(({ status, body }) => {
        assert.equal(status, 200, JSON.stringify(body));
        const { id: _, ...told } = body;
        return JSON.stringify(told);
      });
    };
    const before = new Map<string, string[]>();
    for (const day of days) before.set(day, await answers(day));
    assert.equal(new Set([...before.values()].map(String)).size, days.length);
    for (const day of days) {
      // A sale counts from fourteen days after it, or from its recording.
      const { rowCount } = await data.query(
        `delete from transactions where greatest(sale_date + 14, known_on) >= $1::date`,
        [day],
      );
      assert.ok(rowCount! > 20, `${day}: ${rowCount}`);
      // No load has told the books of it.
      await control.query('delete from model_books');
      models.forget();
      assert.deepEqual(await answers(day), before.get(day));
    }
  });
});

describe('insufficient_data names its cause', () => {
  const refuse = async (property: object, reason: string, detail: RegExp, options?: object) => {
    const { status, body, headers } = await estimate({ property, ...(options && { options }) });
    assert.equal(status, 422, JSON.stringify(body));
    assert.deepEqual([body.code, body.reason], ['insufficient_data', reason], body.detail);
    assert.match(body.detail, detail);
    assert.equal(headers['x-usage-units'] ?? '0', '0');
  };
  const [home] = homes;
  const withRecord = async (changes: string, work: () => Promise<void>) => {
    const { rows } = await data.query('select * from properties where id = $1', [home.id]);
    await data.query(`update properties set ${changes} where id = $1`, [home.id]);
    try {
      await work();
    } finally {
      const { latitude, longitude, property_type } = rows[0];
      await data.query('update properties set latitude = $2, longitude = $3, property_type = $4 where id = $1', [
        home.id,
        latitude,
        longitude,
        property_type,
      ]);
    }
  };

  it('where the record has no coordinates', () =>
    withRecord('latitude = null, longitude = null', () =>
      refuse({ id: home.id }, 'no_coordinates', /no coordinates.*`latitude`, `longitude`, `sqft`/),
    ));

  it('where no sale is in reach', () =>
    withRecord('latitude = latitude + 1', () =>
      refuse({ id: home.id }, 'few_sales_nearby', /^No sale of homes within 9 miles .* needs 3/),
    ));

  it('where the record says no type, which the caller can say instead', () =>
    withRecord(`property_type = 'other'`, async () => {
      await refuse({ id: home.id }, 'unknown_property_type', /Send its `property_type`/);
      const { status } = await estimate({ property: { id: home.id, property_type: 'single_family' } });
      assert.equal(status, 200);
    }));

  it('where the market is mapped by neighborhood, and the home has none that is known', async () => {
    await publishCopy('by-neighborhood', (model) => ({
      ...model,
      features: { ...model.features, places: { 'Nowhere|Atlantis': 0 } },
    }));
    await refuse({ id: home.id }, 'unknown_neighborhood', /Send `neighborhood`/, { model_version: 'by-neighborhood' });
  });

  it('where no model has been trained', async () => {
    await control.query('delete from models');
    models.forget();
    await refuse({ id: home.id }, 'no_model', /No valuation model has been trained for the market `sandbox`/);
  });
});
