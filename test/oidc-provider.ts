// A small OpenID Connect provider over real HTTP: discovery, keys, token endpoint with PKCE, ID tokens signed RS256.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface Tampering {
  nonce?: string;
  audience?: string;
  issuer?: string;
  /** Signs with a key that the provider does not publish. */
  isForged?: boolean;
}

export interface OidcProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The browser's callback URL after the person has signed in. */
  approve(authorizationUrl: string, person: Person, tampering?: Tampering): string;
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const keys = await generateKeyPair('RS256');
  const otherKeys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, { challenge: string; nonce: string; person: Person; tampering: Tampering }>();
  const [clientId, clientSecret] = ['platbook-test', randomBytes(12).toString('hex')];
  let issuer = '';

  async function redeem(request: IncomingMessage): Promise<[status: number, body: object]> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const secret = form.get('client_secret') ?? decodeURIComponent(basic.split(':')[1] ?? '');
    if (secret !== clientSecret) return [401, { error: 'invalid_client' }];
    const grant = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge) return [400, { error: 'invalid_grant' }];
    const { person, tampering } = grant;
    const { sub, ...claims } = person;
    const key = (tampering.isForged ? otherKeys : keys).privateKey;
    const id_token = await new SignJWT({ ...claims, nonce: tampering.nonce ?? grant.nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setSubject(sub)
      .setIssuer(tampering.issuer ?? issuer)
      .setAudience(tampering.audience ?? clientId)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);
    return [200, { access_token: 'unused', token_type: 'Bearer', expires_in: 300, id_token }];
  }

  const server = createServer((request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration') {
      send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      });
    } else if (request.url === '/keys') send(200, { keys: [jwk] });
    else if (request.url === '/token') void redeem(request).then(([status, body]) => send(status, body));
    else send(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    issuer,
    clientId,
    clientSecret,
    approve(authorizationUrl, person, tampering = {}) {
      const query = new URL(authorizationUrl).searchParams;
      const code = randomBytes(12).toString('hex');
      codes.set(code, { challenge: query.get('code_challenge')!, nonce: query.get('nonce')!, person, tampering });
      const back = new URL(query.get('redirect_uri')!);
      back.search = new URLSearchParams({ code, state: query.get('state')! }).toString();
      return `${back.pathname}${back.search}`;
    },
  };
}
