// A secret in a file, asked for by many at the same moment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

const ASKERS = 6;
const ROUNDS = 15;

/** Waits for the others, so that all of them ask at once, round after round. */
const ASKER = `
const { workerData, parentPort } = require('node:worker_threads');
import(workerData.module).then(({ readOrMakeSecret }) => {
  const secrets = [];
  for (let round = 1; round <= workerData.rounds; round++) {
    Atomics.add(workerData.arrived, 0, 1);
    while (Atomics.load(workerData.arrived, 0) < round * workerData.askers);
    secrets.push(readOrMakeSecret(workerData.folder + '/' + round, 24));
  }
  parentPort.postMessage(secrets);
});`;

describe('a secret file', () => {
  it('gives everyone who asks at once the same secret, and leaves nothing beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-secret-'));
    const workerData = {
      module: new URL('../../src/base/lib/secret-file.ts', import.meta.url).href,
      folder,
      rounds: ROUNDS,
      askers: ASKERS,
      arrived: new Int32Array(new SharedArrayBuffer(4)),
    };
    const answers = await Promise.all(
      Array.from({ length: ASKERS }, async () => {
        const [secrets] = (await once(new Worker(ASKER, { eval: true, workerData }), 'message')) as [string[]];
        return secrets;
      }),
    );
    for (const secrets of answers) assert.deepEqual(secrets, answers[0]);
    assert.equal(new Set(answers[0]).size, ROUNDS);
    assert.ok(answers[0].every((secret) => /^[0-9a-f]{48}$/.test(secret)));
    assert.equal(readdirSync(folder).length, ROUNDS);
    assert.equal(statSync(join(folder, '1')).mode & 0o777, 0o600);
    rmSync(folder, { recursive: true });
  });
});
