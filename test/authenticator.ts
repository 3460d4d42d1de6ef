// A software authenticator (WebAuthn, ES256, attestation "none"): what a phone or a security key would answer.
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

const FLAGS = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 };

export interface Authenticator {
  /** Answers `navigator.credentials.create`. */
  create(options: { challenge: string }): object;
  /** Answers `navigator.credentials.get`. */
  get(options: { challenge: string }, changes?: Changes): object;
}

export interface Changes {
  origin?: string;
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
}

/** Keeps one passkey for one site. */
export function createAuthenticator(site: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;

  const clientData = (type: string, challenge: string, origin = site) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  function authData(flags: number, { rpId = new URL(site).hostname, ...changes }: Changes, attested = Buffer.alloc(0)) {
    const head = Buffer.alloc(5);
    head[0] = changes.isVerified === false ? flags & ~FLAGS.userVerified : flags;
    head.writeUInt32BE(changes.counter ?? ++counter, 1);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), head, attested]);
  }

  const common = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };
  return {
    create({ challenge }) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const data = authData(FLAGS.userPresent | FLAGS.userVerified | FLAGS.attested, {}, attested);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        cborBytes(data),
      ]);
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get({ challenge }, changes = {}) {
      const client = clientData('webauthn.get', challenge, changes.origin);
      const data = authData(FLAGS.userPresent | FLAGS.userVerified, changes);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        },
      };
    },
  };
}

/** {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x!, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y!, 'base64url')),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 24 ? [0x40 | bytes.length] : [0x58, bytes.length];
  return Buffer.concat([Buffer.from(bytes.length < 256 ? head : [0x59, bytes.length >> 8, bytes.length & 255]), bytes]);
}
