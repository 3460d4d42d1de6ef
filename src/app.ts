// Every route, grouped by who calls it, with the hooks in the order a request meets them.
import type { Server as TlsServer } from 'node:tls';
import Fastify, { LogController, type FastifyServerOptions } from 'fastify';
import { auditRoutes } from './customers/accounts/audit-routes.ts';
import { brandingRoutes } from './customers/accounts/branding-routes.ts';
import { keyRoutes } from './customers/accounts/routes.ts';
import { addressRoutes } from './records/address/routes.ts';
import { analyticsRoutes } from './insight/analytics/routes.ts';
import { registerAuditMetric } from './base/audit/verify.ts';
import { batchRoutes } from './delivery/batches/routes.ts';
import { WEB_FOLDER } from './operate/build-web.ts';
import { changeRoutes } from './delivery/changes/routes.ts';
import { countyRoutes } from './operate/counties/routes.ts';
import { createProvider } from './customers/billing/billing.ts';
import { billingRoutes, invoiceRoutes, providerRoutes } from './customers/billing/routes.ts';
import type { Deps } from './base/deps.ts';
import { exportRoutes } from './delivery/exports/routes.ts';
import { docsRoutes } from './edge/docs/routes.ts';
import { createAuthenticator, requireKey } from './edge/gate/auth.ts';
import { decorateRequests } from './edge/gate/caller.ts';
import { createEncryptionGuard, requireEncryption } from './edge/gate/encryption.ts';
import { keepExchanges } from './edge/gate/exchanges.ts';
import { findEarlierAnswers, keepAnswers, ownerByCaller, ownerBySession } from './edge/gate/idempotency.ts';
import { createProxyTrust, resolveClientIp } from './base/http/client-ip.ts';
import { compressAnswers } from './base/http/compression.ts';
import { registerCors } from './base/http/cors.ts';
import { registerErrors, sendError, translate } from './base/http/errors.ts';
import { basemapRoutes } from './base/http/basemap.ts';
import { registerHeaders, requestId, sendLagHeader } from './base/http/headers.ts';
import { healthRoutes, measureRequests } from './base/http/health.ts';
import { endIdleConnections } from './base/http/idle-connections.ts';
import { describeIpLimit, limitIps, limitCalls, limitFreeData } from './edge/gate/limits.ts';
import { registerMagic } from './edge/gate/magic.ts';
import { meterCalls } from './edge/gate/metering.ts';
import { countOutcomes } from './edge/gate/outcomes.ts';
import { EVENT_KINDS, EventDataShape } from './base/events/kinds.ts';
import { buildOpenApi, collectRoutes } from './base/http/openapi.ts';
import { registerPolicyReports } from './base/http/policy-reports.ts';
import type { App } from './base/http/types.ts';
import { createSessionCaller, readSession } from './edge/gate/session.ts';
import { takeTurns } from './edge/gate/turns.ts';
import { followTlsFiles, tlsOptions } from './base/http/tls.ts';
import { traceRequests } from './base/http/tracing.ts';
import { refuseUnreadable } from './base/http/unreadable.ts';
import { registerValidation } from './base/http/validation.ts';
import { webRoutes } from './base/http/web.ts';
import { peopleRoutes } from './customers/people/routes.ts';
import { createAuthorizationServer } from './customers/oauth/provider.ts';
import { authorizationRoutes, consentRoutes, grantRoutes } from './customers/oauth/routes.ts';
import { ssoRoutes } from './customers/sso/routes.ts';
import { fieldRoutes, marketRoutes } from './records/markets/routes.ts';
import { ownerRoutes } from './records/owners/routes.ts';
import { placeRoutes } from './records/places/routes.ts';
import { qualityRoutes } from './insight/quality/routes.ts';
import { propertyRoutes } from './records/properties/routes.ts';
import { tileRoutes } from './records/tiles/routes.ts';
import { reportRoutes } from './delivery/reports/routes.ts';
import { loanRoutes } from './delivery/loans/routes.ts';
import { digestRoutes, unsubscribeRoutes } from './delivery/digests/routes.ts';
import { reviewRoutes } from './delivery/reviews/routes.ts';
import { sharedRoutes, shareRoutes } from './delivery/shares/routes.ts';
import { readRiskReports } from './records/risk/risk.ts';
import { layerRoutes, riskRoutes } from './records/risk/routes.ts';
import type { RiskReportReader } from './records/risk/schema.ts';
import { isLayerAway } from './supply/sandbox/fixtures.ts';
import { sandboxRoutes } from './supply/sandbox/routes.ts';
import { titleRoutes } from './records/title/routes.ts';
import { TOOLS } from './edge/mcp/mcp.ts';
import { mcpRoutes } from './edge/mcp/routes.ts';
import { ogcRoutes } from './edge/ogc/routes.ts';
import { statusRoutes } from './edge/docs/status-routes.ts';
import { supportRoutes } from './customers/support/routes.ts';
import { planRoutes, usageRoutes } from './customers/usage/routes.ts';
import { networkOf } from './base/lib/ips.ts';
import { createRequestDetails } from './customers/usage/details.ts';
import { createUsage, type Usage } from './customers/usage/usage.ts';
import { outlookRoutes } from './insight/outlooks/routes.ts';
import { rentRoutes } from './insight/rents/routes.ts';
import { valuationRoutes } from './insight/valuations/routes.ts';
import { VERSION } from './base/version.ts';
import { webhookRoutes } from './delivery/webhooks/routes.ts';
import { clockRoutes } from './customers/clocks/routes.ts';
import { checkTotals } from './delivery/watchlists/portfolio.ts';
import { refreshWatchlists } from './delivery/watchlists/watchlists.ts';
import { ownerPortfolioRoutes } from './delivery/watchlists/owner-routes.ts';
import { watchlistRoutes } from './delivery/watchlists/routes.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

interface AppOptions {
  /** Reads the metrics of every process, where this is one of several. */
  readMetrics?(): Promise<string>;
  /** Called before the first route is registered, to add hooks. */
  beforeRoutes?(app: App): void;
}

export async function buildApp(
  deps: Deps,
  { readMetrics, beforeRoutes }: AppOptions = {},
): Promise<{ app: App; usage: Usage; openApi: () => object }> {
  const { tls } = deps.config;
  const options: FastifyServerOptions = {
    loggerInstance: deps.log,
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: createProxyTrust(deps.config.trustProxy),
    requestTimeout: 60_000,
    // A request that reached a stopping process is still answered; the next one goes to another process.
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => sendError(request, reply, translate(error, request)),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
  };
  // Over TLS, requests and replies have the same members, so the rooms see no difference.
  const encryption = tls && { http2: true, https: tlsOptions(tls) };
  const app: App = Fastify({ ...options, ...encryption } as FastifyServerOptions).withTypeProvider();

  const { registry, errors } = deps.metrics;
  traceRequests(app, deps.telemetry, deps.config);
  endIdleConnections(app);
  resolveClientIp(app);
  registerErrors(app, (code) => errors.inc({ code }));
  registerHeaders(app);
  sendLagHeader(app, deps.replica);
  decorateRequests(app);
  registerCors(app);
  registerValidation(app);
  measureRequests(app, registry);
  countOutcomes(app, deps);
  registerAuditMetric(registry, deps);
  beforeRoutes?.(app);
  const collected = collectRoutes(app);
  let document: object | undefined;
  const openApi = () =>
    (document ??= buildOpenApi(
      collected,
      { version: VERSION, serverUrl: deps.config.baseUrl },
      { kinds: EVENT_KINDS, shapes: EventDataShape },
    ));

  // For anyone.
  await registerPolicyReports(app, registry, (ip) => deps.minuteLimits.reports.take(networkOf(ip)));
  healthRoutes(app, deps, readMetrics ?? (() => registry.metrics()));
  const described = { baseUrl: deps.config.baseUrl, publicKey: deps.secrets.publicKey, tools: TOOLS };
  docsRoutes(app, openApi, described, async () => (await deps.catalog.read()).layers);
  webRoutes(app, WEB_FOLDER, deps.config.stripeSecretKey !== undefined);
  basemapRoutes(app, deps.config.basemap);
  statusRoutes(app, deps);

  // For callers with a key.
  const guard = createEncryptionGuard();
  const authenticator = createAuthenticator(deps, guard.isInProcess);
  const usage = createUsage(deps);
  const details = createRequestDetails(deps);
  const provider = await createProvider(deps);
  limitIps(app, deps);
  await app.register(
    async (scope) => {
      describeIpLimit(scope, deps);
      planRoutes(scope);
      fieldRoutes(scope, deps);
      layerRoutes(scope, deps);
    },
    { prefix: '/api/v1' },
  );
  const readReports: RiskReportReader = (rows, layers) => readRiskReports(deps, rows, layers, isLayerAway);
  sharedRoutes(app, { ...deps, readRisk: readReports }, (network) => deps.minuteLimits.sharedPages.take(network));
  await app.register(
    async (scope) => {
      const keyed = scope as App;
      meterCalls(keyed, deps, usage);
      keepExchanges(keyed, deps, details);
      requireEncryption(keyed, guard);
      requireKey(keyed, authenticator, createSessionCaller(deps));
      findEarlierAnswers(keyed, deps, ownerByCaller);
      limitCalls(keyed, deps, usage);
      limitFreeData(keyed, usage);
      registerMagic(keyed);
      takeTurns(keyed, deps);
      keepAnswers(keyed, deps, ownerByCaller);
      compressAnswers(keyed);
      propertyRoutes(keyed, deps, readReports);
      addressRoutes(keyed, deps, readReports);
      riskRoutes(keyed, deps, readReports);
      titleRoutes(keyed, deps, readReports);
      ownerRoutes(keyed, deps);
      valuationRoutes(keyed, deps);
      rentRoutes(keyed, deps);
      outlookRoutes(keyed, deps);
      qualityRoutes(keyed, deps);
      marketRoutes(keyed, deps);
      analyticsRoutes(keyed, deps);
      reportRoutes(keyed, { ...deps, readRisk: readReports });
      reviewRoutes(keyed, deps);
      shareRoutes(keyed, { ...deps, readRisk: readReports });
      loanRoutes(keyed, deps);
      placeRoutes(keyed, deps);
      tileRoutes(keyed, deps);
      keyRoutes(keyed, deps);
      auditRoutes(keyed, deps);
      brandingRoutes(keyed, deps);
      usageRoutes(keyed, deps, usage, details);
      invoiceRoutes(keyed, deps);
      clockRoutes(keyed, deps, usage, async (then, accountId) => {
        await refreshWatchlists(then, accountId);
        await checkTotals(then, accountId);
      });
      sandboxRoutes(keyed);
      batchRoutes(keyed, deps);
      webhookRoutes(keyed, deps);
      watchlistRoutes(keyed, deps);
      ownerPortfolioRoutes(keyed, deps);
      changeRoutes(keyed, deps);
      exportRoutes(keyed, deps);
      ogcRoutes(keyed, deps);
    },
    { prefix: '/api/v1' },
  );

  const registerSigned = (prefix: string, add: (signed: App) => void | Promise<void>) =>
    app.register(
      async (scope) => {
        requireEncryption(scope, guard);
        readSession(scope, deps);
        await add(scope);
      },
      { prefix },
    );

  // For people who are signed in.
  await registerSigned('/session', async (signed) => {
    findEarlierAnswers(signed, deps, ownerBySession);
    keepAnswers(signed, deps, ownerBySession);
    peopleRoutes(signed, deps);
    ssoRoutes(signed, deps);
    grantRoutes(signed, deps);
    billingRoutes(signed, deps, provider);
    supportRoutes(signed, deps);
    digestRoutes(signed, deps);
    // Nothing here to anyone but those who run the service.
    await countyRoutes(signed, deps);
  });

  await unsubscribeRoutes(app, deps);

  // For the payment provider.
  await app.register((scope) => providerRoutes(scope as App, deps, provider), { prefix: '/hooks' });

  // For apps that act for a person: programs ask for tokens, and the person consents.
  const authorizationServer = createAuthorizationServer(deps);
  await authorizationRoutes(app, deps, authorizationServer, (network) => deps.minuteLimits.signIns.take(network));
  await registerSigned('/oauth', (signed) => consentRoutes(signed, deps, authorizationServer));

  // For agents: tools that call the routes above.
  mcpRoutes(app, deps, authenticator, guard);

  const certificate = tls && followTlsFiles(app.server as unknown as TlsServer, tls, deps);
  app.addHook('onReady', async () => {
    await usage.start();
    await authenticator.start();
    await deps.catalog.start();
  });
  app.addHook('onClose', async () => {
    certificate?.stop();
    await authenticator.stop();
    await deps.catalog.stop();
    await usage.stop();
  });
  return { app, usage, openApi };
}
