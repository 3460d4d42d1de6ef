// New models by night: which markets are due, within which budget, and that none is released that is worse than the one
// that serves or while that is pinned.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayNumber } from '../../src/base/lib/clock.ts';
import { compareWithServing } from '../../src/insight/training/comparison.ts';
import { findObjection, trainMarket } from '../../src/insight/training/training.ts';
import { listDueMarkets, queueRetraining } from '../../src/insight/training/retraining.ts';
import { pinModel, unpinModel } from '../../src/insight/valuations/model-sql.ts';
import { findServing, readServing } from '../../src/insight/valuations/model-store.ts';
import { modelFor, readSales } from '../../src/insight/valuations/open-models.ts';
import { MARKET } from '../../src/supply/sandbox/geography.ts';
import { testDeps } from '../harness.ts';

const deps = await testDeps({ TRAINING: 'tiny' });
const { control, models } = deps;
const withMinutes = (retrainMinutes: number) => ({ ...deps, config: { ...deps.config, retrainMinutes } });
const markets = (due: { market: string }[]) => due.map(({ market }) => market);

/** As if nothing had been trained since the model of the first generation, a year ago. */
async function serveEarlier(): Promise<string> {
  await control.query('delete from jobs');
  const { rows } = await control.query(
    `select version from models where market = $1 and state <> 'refused' order by trained_on, version limit 1`,
    [MARKET],
  );
  await pinModel(deps.control, rows[0].version);
  await control.query('delete from models where market = $1 and version <> $2', [MARKET, rows[0].version]);
  await unpinModel(deps.control, MARKET);
  models.forget();
  return rows[0].version;
}

describe('a market is due', () => {
  it('when sales have become known since its model was trained, and not before', async () => {
    assert.deepEqual(await listDueMarkets(deps), []);
    await serveEarlier();
    const [due, ...others] = await listDueMarkets(deps);
    assert.deepEqual([due.market, others.length], [MARKET, 0]);
    assert.match(due.why, /^\d+ sales became known after 20\d\d-\d\d-\d\d, the last day of \d+/);
  });

  it('once a night, within the minutes that the operator allows', async () => {
    await serveEarlier();
    assert.deepEqual(await queueRetraining(withMinutes(0)), []);
    assert.deepEqual(markets(await queueRetraining(withMinutes(240))), [MARKET]);
    assert.deepEqual(await queueRetraining(withMinutes(240)), [], 'it is queued already');
    const { rows } = await control.query(`select name, subject, state, payload from jobs where name = 'train'`);
    assert.deepEqual(rows, [{ name: 'train', subject: MARKET, state: 'queued', payload: {} }]);
  });

  it('not while its training has just failed, and not while its model is pinned', async () => {
    const version = await serveEarlier();
    await queueRetraining(withMinutes(240));
    await control.query(`update jobs set state = 'failed', finished_at = $1 where name = 'train'`, [deps.clock()]);
    assert.deepEqual(await listDueMarkets(deps), []);
    await control.query('delete from jobs');
    await pinModel(deps.control, version);
    assert.deepEqual(await listDueMarkets(deps), []);
    await unpinModel(deps.control, MARKET);
    assert.deepEqual(markets(await listDueMarkets(deps)), [MARKET]);
  });
});

describe('a new model', () => {
  it('is compared with the serving one on the same later sales, and says how it did', async () => {
    const earlier = await serveEarlier();
    const serving = (await readServing(deps, MARKET))!;
    const { card, made } = await trainMarket(deps, MARKET, { isForced: true });
    const { comparison } = card;
    assert.ok(comparison && comparison.n >= 100, JSON.stringify(comparison));
    assert.equal(dayNumber(comparison.since), serving.trainedOn + 1);
    const row = (await findServing(deps, MARKET))!;
    assert.notEqual(row.version, earlier);
    assert.deepEqual(row.card.comparison, comparison);

    const sales = await readSales(deps, MARKET);
    const tested = made.tested.filter(({ sale }) => sale.soldDay > serving.trainedOn);
    const compare = (factor: number) =>
      compareWithServing(
        serving,
        sales,
        tested.map((each) => ({ ...each, value: each.sale.priceUsd * factor })),
        Infinity,
      )!;
    assert.deepEqual([compare(1.02).isWorse, compare(1.6).isWorse], [false, true]);
    const objectionTo = (factor: number) =>
      findObjection({ ...card, baselines: [], comparison: compare(factor) }, row.card);
    assert.equal(objectionTo(1.02), undefined);
    assert.match(objectionTo(1.6)!, /it is worse: its median error on \d+ sales since 20/);
    assert.equal(compareWithServing(serving, sales, tested.slice(0, 50), Infinity), undefined);
  });

  it('does not replace one that is pinned, for as long as it is', async () => {
    const version = await serveEarlier();
    await pinModel(deps.control, version);
    const { decision, isPublished } = await trainMarket(deps, MARKET, { isForced: true });
    assert.deepEqual([decision, isPublished], [`refused: ${version} is pinned`, false]);
    models.forget();
    assert.equal(modelFor(await models.list(), MARKET, dayNumber('2030-01-01'))?.version, version);
    await unpinModel(deps.control, MARKET);
    assert.equal((await trainMarket(deps, MARKET, { isForced: true })).isPublished, true);
    assert.equal(await pinModel(deps.control, 'no-such-model'), false);
  });
});
