// Signing up, in and out: the session endpoints, which set an HttpOnly cookie that scripts never see.
import { ApiProblem, call } from './api.ts';

export interface Session {
  user: { id: string; email: string; name: string };
  account: { id: string; name: string; plan: string; role?: string };
}

export async function readSession(): Promise<Session | undefined> {
  try {
    return await call<Session>(undefined, '/api/v1/session');
  } catch (error) {
    if (error instanceof ApiProblem) return undefined;
    throw error;
  }
}

export const signUp = (person: { name: string; email: string; password: string }) =>
  call<unknown>(undefined, '/auth/sign-up/email', { body: person });

export const signIn = (person: { email: string; password: string }) =>
  call<unknown>(undefined, '/auth/sign-in/email', { body: person });

export const signOut = () => call<unknown>(undefined, '/auth/sign-out', { body: {} });

export const askReset = (email: string) =>
  call<unknown>(undefined, '/auth/request-password-reset', { body: { email, redirectTo: '/reset' } });

export const resetPassword = (token: string, newPassword: string) =>
  call<unknown>(undefined, '/auth/reset-password', { body: { token, newPassword } });
