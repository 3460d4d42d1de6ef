// What a valuation says of itself: nothing from after its day, and the truth about what it does not know.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/avm/model.ts';
import { hashOf, pack, unpack } from '../../src/avm/pack.ts';
import { publishModels } from '../../src/valuations/model-store.ts';
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
  await publishModels(client.deps, [{ ...row, version, bytes, hash: hashOf(bytes), createdAt: client.deps.clock() }]);
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

describe('a valuation as of a day', () => {
  it('is the same to the byte when every sale that became known later is removed', async () => {
    // It knows no errors of later sales, follows them itself, and only a few of them calibrate at a time.
    const { trainedOn, version } = await publishCopy('follows', (model) => {
      const { knownDay, sigma, score, type, logValue, isLater } = model.scores;
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
          isLater: isLater.slice(0, own),
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
      models.forget();
      assert.deepEqual(await answers(day), before.get(day));
    }
  });
});
