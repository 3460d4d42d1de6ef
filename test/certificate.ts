// Certificates for tests, made at run time: a CA of their own, and a leaf for 127.0.0.1 and localhost.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Certificate {
  /** PEM. */
  ca: string;
  cert: string;
  key: string;
}

export async function makeCertificate(name: string): Promise<Certificate> {
  x509.cryptoProvider.set(globalThis.crypto);
  const makeKeys = async () => await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [caKeys, keys] = [await makeKeys(), await makeKeys()];
  const now = Date.now();
  const valid = { notBefore: new Date(now - 86_400_000), notAfter: new Date(now + 86_400_000) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name} CA`,
    ...valid,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: `CN=${name}`,
    issuer: ca.subject,
    ...valid,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  return { ca: ca.toString('pem'), cert: leaf.toString('pem'), key };
}
