// The handwritten core of the Python client, against servers that fail and deliveries that nobody signed.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../sdk/python', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

const run = async (code: string, ...args: string[]): Promise<unknown> => {
  const env = { ...process.env, PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)('python3', ['-c', code, ...args], { env });
  return JSON.parse(stdout);
};

describe('the Python client', { skip: !hasPython && 'no python3 here' }, () => {
  it('asks again, under the same key, when an answer breaks off', async (context) => {
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 20 });
      if (keys.length > 1) response.end('{"object":"answer"} ');
      else response.write('{"obj', () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const answer = await run(
      `import json, sys
from core import Platbook
print(json.dumps(Platbook("k", sys.argv[1])._call("POST", "/x", {}, {"a": 1})))`,
      `http://127.0.0.1:${port}`,
    );
    assert.deepEqual(answer, { object: 'answer' });
    assert.deepEqual([keys.length, keys[0] === keys[1], typeof keys[0]], [2, true, 'string']);
  });

  it('fails in its own words when every answer breaks off', async (context) => {
    const server = createServer((_request, response) => {
      response.writeHead(500, { 'content-length': 20 });
      response.write('{"code', () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const failure = await run(
      `import json, sys
from core import Platbook, PlatbookError
try:
    Platbook("k", sys.argv[1], max_retries=0)._call("GET", "/x", {})
except PlatbookError as error:
    print(json.dumps([error.status, error.code]))`,
      `http://127.0.0.1:${port}`,
    );
    assert.deepEqual(failure, [500, 'internal_error']);
  });

  it('refuses whatever is no signature, and takes text and bytes alike', async () => {
    const [signed, bytes, ...refused] = (await run(`import base64, hashlib, hmac, json
from core import WebhookVerificationError, verify_webhook
secret = "whsec_" + base64.b64encode(b"a-secret-of-thirty-two-bytes-00!").decode()
body = '{"type":"ping","text":"ö"}'
digest = hmac.new(base64.b64decode(secret[6:]), f"msg_1.1000.{body}".encode(), hashlib.sha256).digest()
good = {"Webhook-Id": "msg_1", "webhook-timestamp": "1000", "webhook-signature": "v1," + base64.b64encode(digest).decode()}
def check(payload, **changed):
    headers = {**good, **{name.replace("_", "-"): value for name, value in changed.items()}}
    try:
        return verify_webhook(payload, headers, secret, now=1000)["type"]
    except WebhookVerificationError:
        return "refused"
print(json.dumps([
    check(body),
    check(body.encode()),
    check(b"\\xff" + body.encode()),
    check(body, webhook_signature="v1,ö"),
    check(body, webhook_signature=""),
    check(body, webhook_timestamp="²"),
    check(body, webhook_timestamp="9" * 5000),
    check(body, webhook_timestamp="-1000"),
]))`)) as string[];
    assert.deepEqual([signed, bytes], ['ping', 'ping']);
    assert.deepEqual(new Set(refused), new Set(['refused']));
    assert.equal(refused.length, 6);
  });
});
