// Passkeys (WebAuthn): registered by a signed-in person, then a way to sign in on their own. The authenticator verifies
// the person (PIN or biometrics), so a passkey stands for both factors.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { openFirstAccount } from './people.ts';
import * as proofs from './proof-sql.ts';
import { auditUser, type SignedIn, type Visitor } from './sessions.ts';
import * as sql from './sql.ts';
import { notify, proveAgain, type Proof } from './two-factor.ts';

/** Loaded lazily: with all its certificate formats it is a tenth of the code read at startup. */
const webauthn = () => import('@simplewebauthn/server');

const CHALLENGE_MS = 5 * 60_000;
const MAX_PASSKEYS = 20;
const REFUSED = 'The passkey was not accepted. Try again, or sign in another way.';

export async function beginPasskey(deps: Deps, signedIn: SignedIn, proof: Proof) {
  await proveAgain(deps, signedIn, proof, 'all');
  const { user } = signedIn;
  const known = await proofs.listPasskeys(deps.control, user.id);
  if (known.length >= MAX_PASSKEYS) fail('invalid_state', `You have ${MAX_PASSKEYS} passkeys. Remove one first.`);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Platbook',
    rpID: relyingPartyOf(deps).id,
    userName: user.email,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(user.id),
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id: id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: CHALLENGE_MS,
  });
  await storeChallenge(deps, options.challenge, user.id);
  return options;
}

export async function addPasskey(
  deps: Deps,
  signedIn: SignedIn,
  { name, response }: { name: string; response: unknown },
): Promise<proofs.PasskeyRow> {
  const { user, session } = signedIn;
  const registration = response as RegistrationResponseJSON;
  await takeChallenge(deps, registration.response?.clientDataJSON, user.id);
  const { id, origin } = relyingPartyOf(deps);
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: registration,
    expectedChallenge: () => true,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(refuse);
  if (!registrationInfo) return refuse();
  const { credential, credentialBackedUp } = registrationInfo;
  const passkey: proofs.PasskeyRow = {
    id: randomId('pkey'),
    user_id: user.id,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    is_backed_up: credentialBackedUp,
    name,
    created_at: deps.clock(),
    last_used_at: null,
  };
  await inTransaction(deps.control, async (client) => {
    if (!(await proofs.insertPasskey(client, passkey))) fail('invalid_state', 'This passkey is already registered.');
    const act = { action: 'user.passkey_added', target: passkey.id, details: { name }, ip: session.ip };
    await auditUser(deps, client, user.id, act);
  });
  notify(deps, signedIn, `The passkey “${name}” was added.`);
  return passkey;
}

export async function renamePasskey(deps: Deps, { user, session }: SignedIn, id: string, name: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    if (!(await proofs.renamePasskey(client, user.id, id, name))) failPasskey(id);
    const act = { action: 'user.passkey_renamed', target: id, details: { name }, ip: session.ip };
    await auditUser(deps, client, user.id, act);
  });
}

/** Requires password and code, like adding one: someone at an open session must not be able to lock the owner out. */
export async function removePasskey(deps: Deps, signedIn: SignedIn, id: string, proof: Proof): Promise<void> {
  const { user, session } = signedIn;
  await proveAgain(deps, signedIn, proof, 'all');
  await inTransaction(deps.control, async (client) => {
    if (!(await proofs.deletePasskey(client, user.id, id))) failPasskey(id);
    await auditUser(deps, client, user.id, { action: 'user.passkey_removed', target: id, ip: session.ip });
  });
  notify(deps, signedIn, 'A passkey was removed.');
}

/** Lists no credentials: the browser offers its passkeys for this site, and the chosen one identifies the user. */
export async function beginPasskeySignIn(deps: Deps) {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingPartyOf(deps).id,
    userVerification: 'required',
    timeout: CHALLENGE_MS,
  });
  await storeChallenge(deps, options.challenge, null);
  return options;
}

export async function signInWithPasskey(deps: Deps, response: unknown, visitor: Visitor): Promise<string> {
  const assertion = response as AuthenticationResponseJSON;
  await takeChallenge(deps, assertion.response?.clientDataJSON, null);
  const { id, origin } = relyingPartyOf(deps);
  const { verifyAuthenticationResponse } = await webauthn();
  return inTransaction(deps.control, async (client) => {
    // Locked, so two uses of one counter value are checked in sequence.
    const passkey = (await proofs.lockPasskey(client, String(assertion.id))) ?? refuse();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
    }).catch(refuse);
    if (!verified) refuse();
    const user = (await sql.lockUser(client, passkey.user_id)) ?? refuse();
    const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo;
    await proofs.usePasskey(client, passkey.id, { counter, isBackedUp, now: deps.clock() });
    return openFirstAccount(deps, client, { user, method: 'passkey', target: passkey.id, visitor });
  });
}

async function storeChallenge(deps: Deps, challenge: string, userId: string | null): Promise<void> {
  const expires_at = new Date(deps.clock().getTime() + CHALLENGE_MS);
  await proofs.insertChallenge(deps.control, { challenge, user_id: userId, expires_at });
}

/** Each challenge is valid for one attempt by its user, so a signature cannot be replayed. */
async function takeChallenge(deps: Deps, clientDataJson: unknown, userId: string | null): Promise<void> {
  const challenge = readChallenge(clientDataJson);
  const isOurs = challenge !== undefined && (await proofs.takeChallenge(deps.control, challenge, userId, deps.clock()));
  if (!isOurs) refuse();
}

function readChallenge(clientDataJson: unknown): string | undefined {
  if (typeof clientDataJson !== 'string') return undefined;
  try {
    const data = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as { challenge?: unknown };
    return typeof data.challenge === 'string' ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Browsers bind passkeys to a host name and refuse them for a bare IP, so this machine goes by `localhost`. */
function relyingPartyOf({ config }: Pick<Deps, 'config'>): { id: string; origin: string } {
  const url = new URL(config.baseUrl);
  if (url.hostname === '127.0.0.1') url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

function refuse(): never {
  return fail('invalid_credentials', REFUSED);
}

function failPasskey(id: string): never {
  return fail('resource_not_found', `There is no passkey ${id}.`);
}
