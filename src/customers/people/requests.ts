// What the routes of people read from a request: who is signed in, and from where.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/lib/errors.ts';
import type { SignedIn, Visitor } from './sessions.ts';

/** Sets the session cookie and describes the session it opens. */
export type AnswerSession = (reply: FastifyReply, token: string, extra?: object) => Promise<object>;

/** Who is signed in, or 401. */
export const signedInOf = (request: FastifyRequest): SignedIn =>
  request.signedIn ?? fail('not_signed_in', 'Sign in first.');

export const visitorOf = (request: FastifyRequest): Visitor => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
});
