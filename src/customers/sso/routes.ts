// HTTP in and out for single sign-on: an owner's settings, the way to the provider, and the way back.
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { ApiError } from '../../base/lib/errors.ts';
import { sessionCookie, ssoCookie } from '../people/cookie.ts';
import { signedInOf, visitorOf } from '../people/requests.ts';
import { Done } from '../people/schema.ts';
import * as shape from './schema.ts';
import * as sso from './sso.ts';

export function ssoRoutes(app: App, deps: Deps): void {
  const browserCookie = ssoCookie(deps.config.baseUrl);
  const cookie = sessionCookie(deps.config.baseUrl);

  app.post('/sso', hidden({ body: shape.BeginForm }, shape.Redirect), async (request, reply) => {
    const { url, browserToken } = await sso.beginSignIn(deps, request.body.email);
    void reply.header('set-cookie', browserCookie.write(browserToken));
    return { object: 'redirect' as const, url };
  });

  // A page load, not an API call: whatever happens, the browser ends on one of our pages.
  app.get('/sso/callback', { config: { isHidden: true } }, async (request, reply) => {
    const browserToken = browserCookie.read(request.headers.cookie);
    void reply.header('set-cookie', browserCookie.clear()).header('cache-control', 'no-store');
    try {
      const url = new URL(request.url, deps.config.baseUrl);
      const token = await sso.endSignIn(deps, url, browserToken, visitorOf(request));
      return await reply.header('set-cookie', cookie.write(token)).redirect('/dashboard', 303);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      request.log.warn({ err: error.cause ?? error, code: error.code }, 'single sign-on refused');
      // In a cookie, not the URL: otherwise a link could inject text into our page.
      const problem = `sso_problem=${encodeURIComponent(error.message)}; Path=/sign-in; Max-Age=60; SameSite=Lax`;
      return reply.header('set-cookie', problem).redirect('/sign-in?sso=refused', 303);
    }
  });

  app.get('/sso/connection', hidden({}, shape.Settings), async (request) => sso.getSettings(deps, signedInOf(request)));

  app.put('/sso/connection', hidden({ body: shape.ConnectionForm }, shape.Settings), async (request) =>
    sso.saveConnection(deps, signedInOf(request), request.body),
  );

  app.delete('/sso/connection', hidden({}, Done), async (request) => {
    await sso.removeConnection(deps, signedInOf(request));
    return { object: 'done' as const };
  });
}
