// The log: JSON lines, without anything that could hold a secret or personal data.
import { pino, type Logger } from 'pino';

export function createLog(level: string): Logger {
  return pino({
    level,
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
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  });
}
