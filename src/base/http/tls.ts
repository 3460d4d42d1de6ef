// TLS of our own: HTTPS with HTTP/2, modern ciphers, and certificates that are reloaded without dropping connections.
import { readFileSync, statSync } from 'node:fs';
import type { SecureServerOptions } from 'node:http2';
import { createSecureContext, type Server } from 'node:tls';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import CIPHERS from './ciphers.json' with { type: 'json' };

type TlsFiles = NonNullable<Config['tls']>;

const PROTOCOL = { minVersion: 'TLSv1.2', ciphers: CIPHERS.join(':'), honorCipherOrder: true } as const;
const MAX_STREAMS = 100;
const LOOK_EVERY_MS = 2_000;

/** HTTP/1.1 stays possible for clients that do not offer HTTP/2. */
export const tlsOptions = (files: TlsFiles): SecureServerOptions => ({
  ...PROTOCOL,
  ...readPair(files),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: MAX_STREAMS },
});

function readPair({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  // Throws if the pair does not match.
  createSecureContext(pair);
  return pair;
}

/** Polls the files, since their folder may be swapped as a whole and a watch would miss it. New connections get the new
    certificate; open ones continue. An unusable pair is logged, and the old one stays. */
export function followTlsFiles(server: Pick<Server, 'setSecureContext'>, files: TlsFiles, deps: Pick<Deps, 'log'>) {
  const stamp = () =>
    [files.cert, files.key].map((file) => `${statSync(file).mtimeMs} ${statSync(file).ino}`).join(' ');
  let seen = stamp();
  const timer = setInterval(() => {
    try {
      const present = stamp();
      if (present === seen) return;
      server.setSecureContext({ ...PROTOCOL, ...readPair(files) });
      seen = present;
      deps.log.info('the TLS certificate was replaced');
    } catch (error) {
      deps.log.warn({ err: error }, 'the TLS certificate was not replaced');
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
