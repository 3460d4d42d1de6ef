// Settings from files, and those that would send secrets over a network in the clear.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listUnencrypted, readConfig } from '../../src/base/config.ts';

describe('a setting', () => {
  test('may come from a file that a vault wrote, and is overruled by the environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-config-'));
    try {
      const path = join(folder, 'secret');
      writeFileSync(path, `${'s'.repeat(40)}\n`);
      assert.equal(readConfig({ PLATBOOK_SECRET_FILE: path }).secret, 's'.repeat(40));
      assert.equal(readConfig({ PLATBOOK_SECRET_FILE: path, PLATBOOK_SECRET: 'e'.repeat(40) }).secret, 'e'.repeat(40));
      assert.throws(() => readConfig({ STRIPE_SECRET_KEY_FILE: join(folder, 'none') }), /STRIPE_SECRET_KEY_FILE names/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a connection without encryption', () => {
  for (const [name, url, isTold] of [
    ['DATABASE_URL', 'postgres://u:p@db.example.com/x', true],
    ['DATABASE_URL', 'postgres://u:p@10.0.0.5:5432/x?sslmode=prefer', true],
    ['DATABASE_URL', 'postgres://u:p@db.example.com/x?sslmode=verify-full', false],
    ['DATABASE_URL', 'postgres://u:p@127.0.0.1/x', false],
    ['DATABASE_URL', 'postgres:///x?host=/var/run/postgresql', false],
    ['DATABASE_REPLICA_URL', 'postgres://u:p@replica/x', true],
    ['SMTP_URL', 'smtp://mail.example.com:587', true],
    ['SMTP_URL', 'smtp://mail.example.com:587?requireTLS=true', false],
    ['SMTP_URL', 'smtps://mail.example.com', false],
    ['SMTP_URL', 'smtp://localhost:25', false],
  ] as const) {
    test(`${url} is ${isTold ? 'told' : 'fine'}`, () => {
      assert.deepEqual(listUnencrypted(readConfig({ [name]: url })), isTold ? [name] : []);
    });
  }
});
