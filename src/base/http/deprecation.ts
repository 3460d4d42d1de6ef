// What will go: operations with the day it was announced and the day it ends, told in every answer (RFC 9745 and RFC 8594)
// and in the OpenAPI document. Nothing is on the list today.
import type { App } from './types.ts';

export interface Deprecated {
  /** The day it was announced, as in the changelog. */
  since: string;
  /** The first day on which it may be gone: twelve months later or more. */
  until: string;
  /** A parameter or member that goes while the operation stays; without it the whole operation goes. */
  part?: string;
  instead: string;
}

/** By operation id. */
export const DEPRECATED: Readonly<Record<string, Deprecated>> = {};

const NOTICE_MONTHS = 12;
const PAGE = '</docs/versioning>; rel="deprecation"; type="text/html"';

export function registerDeprecation(app: App, table = DEPRECATED): void {
  for (const [operation, entry] of Object.entries(table)) refuseShortNotice(operation, entry);
  app.addHook('onRoute', (route) => {
    const schema = route.schema as { operationId?: string; description?: string; deprecated?: boolean } | undefined;
    const entry = table[schema?.operationId ?? ''];
    if (!schema || !entry) return;
    const what = entry.part ? `\`${entry.part}\`` : 'This';
    const notice = `${what} is deprecated since ${entry.since} and ends on ${entry.until}: ${entry.instead}`;
    schema.description = [schema.description, notice].filter(Boolean).join('\n\n');
    schema.deprecated = entry.part === undefined;
    const headers = headersOf(entry);
    const others = [route.onSend ?? []].flat();
    route.onSend = [...others, async (_request, reply) => void reply.headers(headers)];
  });
}

function headersOf({ since, until }: Deprecated): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(until).toUTCString(),
    link: PAGE,
  };
}

function refuseShortNotice(operation: string, { since, until }: Deprecated): void {
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
  if (new Date(until) < earliest) throw new Error(`${operation} would go before twelve months are over.`);
}
