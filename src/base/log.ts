// The log: JSON lines, without anything that could hold a secret or personal data.
import { pino, type Logger } from 'pino';
import { describeError } from './lib/failures.ts';

/** `fields` are added to every line: the trace it belongs to. */
export const createLog = (level: string, fields?: () => object): Logger =>
  pino({
    level,
    ...(fields && { mixin: fields }),
    redact: {
      paths: ['req.headers', 'headers["x-api-key"]', 'headers.authorization', '*.secret', '*.password'],
      censor: '[left out]',
    },
    serializers: {
      // Neither headers nor query strings: no key and no street address may reach the log.
      req: (request: { method?: string; routeOptions?: { url?: string } }) => ({
        method: request.method,
        route: request.routeOptions?.url,
      }),
      // PostgreSQL puts values into some members of its errors.
      err: (error: unknown) => (error instanceof Error ? describeError(error) : error),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  });
