// Client for the session endpoints. The session itself is an HttpOnly cookie that scripts can't read.
import type { Static } from 'typebox';
import type { SessionState } from '../../src/customers/people/schema.ts';
import { startAuthentication, type PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { ApiProblem, call } from './api.ts';

export type Session = Static<typeof SessionState>;

// Only browsers that have signed in before check for a session, so a first visit never triggers a 401.
const HINT_SLOT = 'platbook.signed-in';

const post = <Answer = unknown>(path: string, body: unknown = {}) =>
  call<Answer>(undefined, `/session${path}`, { body });

async function remember(answer: Promise<Session>): Promise<Session> {
  const session = await answer;
  localStorage.setItem(HINT_SLOT, 'yes');
  return session;
}

export async function readSession(): Promise<Session | undefined> {
  if (!localStorage.getItem(HINT_SLOT)) return undefined;
  try {
    return await call<Session>(undefined, '/session');
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.problem.status === 401) localStorage.removeItem(HINT_SLOT);
    return undefined;
  }
}

export const signUp = (person: { name: string; email: string; password: string; company?: string }) =>
  post('/sign-up', person);
export const signIn = (person: { email: string; password: string; code?: string }) =>
  remember(post<Session>('/sign-in', person));
export const verify = (form: { token: string; name?: string; password?: string }) =>
  remember(post<Session>('/verify', form));
export const acceptInvitation = (form: { token: string; name?: string; password?: string; code?: string }) =>
  remember(post<Session>('/invitations/accept', form));
export const askReset = (email: string) => post('/forgot', { email });
export const resetPassword = (token: string, password: string) => post('/reset', { token, password });

export async function signInWithPasskey(): Promise<Session> {
  const { options } = await post<{ options: PublicKeyCredentialRequestOptionsJSON }>('/passkeys/sign-in/options');
  const response = await explainPasskey(startAuthentication({ optionsJSON: options }));
  return remember(post<Session>('/passkeys/sign-in', { response }));
}

/** Browsers answer with an exception of their own, for example when the person cancels. */
export async function explainPasskey<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    const detail = `${(error as Error).message} You can try again, or use another way to sign in.`;
    throw new ApiProblem({ status: 0, code: 'passkey', title: 'The passkey was not used', detail });
  }
}

/** Leaves for the identity provider, which sends the browser back to the dashboard. */
export async function startSso(email: string): Promise<void> {
  const { url } = await post<{ url: string }>('/sso', { email });
  localStorage.setItem(HINT_SLOT, 'yes');
  window.location.assign(url);
}

export async function signOut(): Promise<void> {
  localStorage.removeItem(HINT_SLOT);
  await post('/sign-out');
}
