// The log: JSON lines, with everything that could hold a secret or a person's data left out at the source.
import { pino, type Logger } from 'pino';

export function createLog(level: string): Logger {
  return pino({
    level,
    redact: {
      paths: ['req.headers', 'headers["x-api-key"]', 'headers.authorization', '*.secret', '*.password'],
      censor: '[left out]',
    },
    serializers: {
      // Neither headers nor query strings: a key or an address must not reach the log.
      req: (request: { method?: string; routeOptions?: { url?: string } }) => ({
        method: request.method,
        route: request.routeOptions?.url,
      }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  });
}
