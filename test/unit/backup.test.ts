// The file format of backups: what goes in comes out, and a file that was touched in any way does not open.
import assert from 'node:assert/strict';
import { randomBytes, type ScryptOptions } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pack, unpack, type Entry } from '../../src/operate/backup/entries.ts';
import { newHeader, seal, unseal } from '../../src/operate/backup/seal.ts';

const FRAME = 1024 * 1024;
/** Only the test of passphrases pays the full cost of one. */
const CHEAP = { N: 2 };
const folder = mkdtempSync(join(tmpdir(), 'platbook-seal-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function* chunksOf(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function gather(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const about = { version: '1.0.0', created_at: '2026-11-16T00:00:00.000Z', postgres: 18 };
const make = (content: Buffer, passphrase?: string, cost: ScryptOptions | undefined = CHEAP) =>
  gather(seal(chunksOf(content, 100_000), newHeader(about, passphrase !== undefined), passphrase, cost));
const open = async (file: Buffer, passphrase?: string, cost: ScryptOptions | undefined = CHEAP) =>
  gather((await unseal(chunksOf(file, 70_001), passphrase, cost)).content);

for (const passphrase of [undefined, 'correct horse']) {
  describe(passphrase ? 'an encrypted backup' : 'a plain backup', () => {
    it('opens to the original content, whatever its size', async () => {
      for (const bytes of [0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME + 17]) {
        const content = randomBytes(bytes);
        assert.ok((await open(await make(content, passphrase), passphrase)).equals(content), String(bytes));
      }
    });

    it('does not open when cut anywhere, also between two frames', async () => {
      const file = await make(randomBytes(2 * FRAME + 17), passphrase);
      const proof = passphrase ? 16 : 32;
      const header = 20 + file.readUInt32BE(16);
      const frame = 4 + FRAME + proof;
      const places = [0, 10, 18, header - 1, header, header + 2, header + frame, header + 2 * frame, file.length - 1];
      for (const at of places) await assert.rejects(open(file.subarray(0, at), passphrase), /cut short|not a Platbook/);
    });

    it('does not open when cut between two frames, with the mark of the last forged', async () => {
      const file = await make(randomBytes(2 * FRAME + 17), passphrase);
      const header = 20 + file.readUInt32BE(16);
      const frame = 4 + FRAME + (passphrase ? 16 : 32);
      const cut = Buffer.from(file.subarray(0, header + 2 * frame));
      cut[header + frame] |= 0x80;
      await assert.rejects(open(cut, passphrase), /changed/);
    });

    it('does not open when a bit was turned, frames were exchanged or left out, or more was added', async () => {
      const file = await make(randomBytes(2 * FRAME + 17), passphrase);
      const header = 20 + file.readUInt32BE(16);
      const frame = 4 + FRAME + (passphrase ? 16 : 32);
      const [first, second] = [header, header + frame];
      const third = second + frame;
      for (const at of [30, header - 3, first, first + 9, second + 5, second + frame - 1, third + 1, file.length - 1]) {
        const turned = Buffer.from(file);
        turned[at] ^= 1;
        await assert.rejects(open(turned, passphrase), /changed|cut short/, String(at));
      }
      const part = (from: number, to?: number) => file.subarray(from, to);
      const wrong = [
        [part(0, first), part(second, third), part(first, second), part(third)],
        [part(0, first), part(second)],
        [part(0, second), part(third)],
        [file, Buffer.from('x')],
      ];
      for (const parts of wrong) await assert.rejects(open(Buffer.concat(parts), passphrase), /changed/);
    });
  });
}

it('an encrypted backup opens with its passphrase only, and shows nothing of its content', async () => {
  const content = Buffer.alloc(10_000, 'sk_live_secret');
  const file = await gather(seal(chunksOf(content, 100_000), newHeader(about, true), 'correct horse'));
  const openInEarnest = async (passphrase?: string) =>
    gather((await unseal(chunksOf(file, 70_001), passphrase)).content);
  assert.equal(file.includes('sk_live'), false);
  assert.ok((await openInEarnest('correct horse')).equals(content));
  await assert.rejects(open(file, 'correct horse'), /passphrase is wrong/, 'a cheaper key is another key');
  await assert.rejects(openInEarnest('battery staple'), /passphrase is wrong/);
  await assert.rejects(openInEarnest(), /encrypted. Set BACKUP_PASSPHRASE_FILE/);
});

describe('packed contents', () => {
  const unpackInto = (entries: Entry[], place: string) =>
    unpack(
      pack(
        (async function* () {
          yield* entries;
        })(),
      ),
      (path) => join(folder, place, path),
    );

  it('comes out with empty files and folders too', async () => {
    const large = randomBytes(700_000);
    await unpackInto(
      [
        { kind: 'folder', path: 'empty' },
        { kind: 'file', path: 'none', content: [Buffer.alloc(0)] },
        { kind: 'file', path: 'a/b/large', content: chunksOf(large, 4_096) },
        { kind: 'file', path: 'last', content: [Buffer.from('end')] },
      ],
      'out',
    );
    assert.ok(statSync(join(folder, 'out/empty')).isDirectory());
    assert.equal(statSync(join(folder, 'out/none')).size, 0);
    assert.ok(readFileSync(join(folder, 'out/a/b/large')).equals(large));
    assert.equal(readFileSync(join(folder, 'out/last'), 'utf8'), 'end');
  });

  it('stays inside', async () => {
    for (const path of ['../up', '/etc/passwd', 'a/../../up']) {
      await assert.rejects(unpackInto([{ kind: 'file', path, content: [] }], 'inside'), /outside of itself/);
    }
  });
});
