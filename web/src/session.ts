// Client for the session endpoints. The session itself is an HttpOnly cookie that scripts can't read.
import type { Static } from 'typebox';
import type { SessionState } from '../../src/people/schema.ts';
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
export const verify = (token: string) => remember(post<Session>('/verify', { token }));
export const acceptInvitation = (form: { token: string; name?: string; password?: string }) =>
  remember(post<Session>('/invitations/accept', form));
export const askReset = (email: string) => post('/forgot', { email });
export const resetPassword = (token: string, password: string) => post('/reset', { token, password });

export async function signOut(): Promise<void> {
  localStorage.removeItem(HINT_SLOT);
  await post('/sign-out');
}
