// Sandbox answers to a page's snippets, requested as a guest by the docs server, so readers see a real answer next to
// each request before running it.
import type { App } from '../../base/http/types.ts';
import { readCurl } from './curl.ts';
import { listCode } from './markdown.ts';
import type { Page } from './pages.ts';

interface RecordedAnswer {
  status: number;
  text: string;
}

/** Statuses of requests that guests may not make, or not now; they need a key. */
const NOT_SHOWN = new Set([401, 402, 403, 404, 405, 429]);

/** Keyed by the request as on the page. `isWhole`: everything answerable was answered. The page of an error shows that
    error. */
export async function recordAnswers(
  app: App,
  { slug, markdown }: Pick<Page, 'slug' | 'markdown'>,
): Promise<{ answers: Record<string, RecordedAnswer>; isWhole: boolean }> {
  const answers: Record<string, RecordedAnswer> = {};
  let isWhole = true;
  for (const { code, flags, language } of listCode(markdown)) {
    const request = language === 'sh' && flags.includes('run') ? readCurl(code) : undefined;
    if (!request) continue;
    const { statusCode: status, payload } = await app.inject({
      method: request.method as 'GET',
      url: request.url,
      headers: { ...request.headers, 'x-platbook-mode': 'guest' },
      ...(request.body !== undefined && { payload: request.body }),
    });
    const isMeant = status >= 400 && slug === `errors/${JSON.parse(payload).code}`;
    if (!isMeant && (status >= 500 || status === 429)) isWhole = false;
    else if (isMeant || !NOT_SHOWN.has(status)) answers[JSON.stringify(request)] = { status, text: payload };
  }
  return { answers, isWhole };
}
