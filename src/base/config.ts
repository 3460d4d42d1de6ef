// Turns the environment into one frozen, typed object. The only file that reads process.env; an invalid setting stops the
// start.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { PrivateTargets } from './lib/dial.ts';
import { isIpOrBlock } from './lib/ips.ts';
import type { TelemetrySettings } from './telemetry/telemetry.ts';

/** Every setting with its default and one line of why. `.env.example` is generated from this table, and a test checks it. */
export const SETTINGS = {
  PORT: ['8080', 'Port of the API, docs and dashboard.'],
  HOST: ['127.0.0.1', 'Interface to listen on; 0.0.0.0 for all of them.'],
  BASE_URL: ['', 'Public URL of the service, used in links; default http://HOST:PORT, or https:// with TLS_CERT.'],
  TLS_CERT: [
    '',
    'PEM file with the certificate and its chain; with TLS_KEY, the service speaks HTTPS and HTTP/2 itself.',
  ],
  TLS_KEY: ['', 'PEM file with the private key of TLS_CERT. Both files are read again when they change.'],
  PLATBOOK_HOME: ['.platbook', 'Data directory: embedded database, secret, credentials, models. Mode 700.'],
  DATABASE_URL: ['', 'A PostgreSQL >= 15 server to use instead of the embedded one.'],
  DATA_DATABASE_URL: ['', 'Another server for the data plane (properties); default DATABASE_URL.'],
  DATABASE_DIRECT_URL: ['', 'DATABASE_URL past a pooler in transaction mode: for loads, background work and LISTEN.'],
  DATA_DATABASE_DIRECT_URL: ['', 'DATA_DATABASE_URL past a pooler in transaction mode.'],
  DATABASE_REPLICA_URL: ['', 'A streaming replica of the data plane, for searches, tiles and series.'],
  REPLICA_MAX_LAG_MS: ['5000', 'A replica that is further behind is not read from until it has caught up.'],
  PLATBOOK_SECRET: [
    '',
    'Master secret (>= 32 characters) from which keys, cursors and stored secrets derive; default a file in PLATBOOK_HOME.',
  ],
  LOG_LEVEL: ['warn', 'trace, debug, info, warn, error or silent.'],
  PROCESSES: ['', 'Processes that serve on the port together; default one for each core.'],
  POOL_SIZE: ['10', 'Connections a process opens to each plane.'],
  OPEN_MARKETS_MB: [
    '1024',
    'Memory that the markets a process values homes in may take; those used least lately are closed.',
  ],
  STATEMENT_TIMEOUT_MS: ['15000', 'A query that runs longer is canceled and answered with 504.'],
  METRICS_TOKEN: ['', 'Bearer token for /metrics; without one, only this machine may read them.'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    '',
    'OpenTelemetry collector for traces and metrics, as OTLP over HTTP with JSON, e.g. http://127.0.0.1:4318; without one, none are made.',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: ['', 'Headers for the collector, as name=value, comma-separated, percent-encoded.'],
  OTEL_EXPORTER_OTLP_TIMEOUT: [
    '5000',
    'Milliseconds the collector may take; what it does not take by then is dropped.',
  ],
  OTEL_SERVICE_NAME: ['platbook', 'Name of the service in traces and metrics.'],
  OTEL_RESOURCE_ATTRIBUTES: ['', 'Facts about this process for the collector, as name=value, comma-separated.'],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'Share of traces that is kept, from 0 to 1, unless the caller we trust has decided.'],
  OTEL_METRIC_EXPORT_INTERVAL: ['60000', 'Milliseconds between two exports of metrics.'],
  STATUS_URL: ['', 'Where the worker tries out the service once a minute for the status page; default BASE_URL.'],
  TRUST_PROXY: [
    'false',
    'Proxies in front whose x-forwarded-for and x-forwarded-proto are believed: how many (1), or a list of their IPs and CIDR blocks.',
  ],
  PLATBOOK_KEY: ['', 'API key that `platbook mcp` sends to the service at BASE_URL.'],
  WORKER: ['true', 'false where `platbook worker` does the background work instead of the serving process.'],
  WEBHOOK_ALLOW_PRIVATE: [
    'false',
    'loopback also lets webhooks and deliveries go to this machine, true to any private target, both over plain http too.',
  ],
  DNS_SERVERS: [
    '',
    'Name servers (ip or ip:port, comma-separated) for webhook and delivery targets; default those of the system.',
  ],
  WEBHOOK_TIMEOUT_MS: ['15000', 'How long a webhook receiver may take to answer.'],
  LONGEST_WAIT_SECONDS: [
    '30',
    'How long a call with `wait` may be held open; use less behind a proxy that cuts idle connections.',
  ],
  MIGRATE_ON_START: [
    'true',
    'false where `platbook migrate` is run before an upgrade: a process then refuses to start on an older schema.',
  ],
  BACKUP_TO: ['', 'Folder or s3://bucket/prefix for scheduled backups of the embedded database; empty: none.'],
  BACKUP_EVERY_HOURS: ['24', 'Hours between scheduled backups.'],
  BACKUP_KEEP: ['7', 'How many scheduled backups are kept; older ones are deleted.'],
  BACKUP_PASSPHRASE_FILE: ['', 'File whose first line encrypts backups, and opens them for a restore.'],
  BACKUP_S3_ENDPOINT: [
    '',
    'Where s3:// backups go if not to AWS. Keys and region come from the AWS_… variables or the machine.',
  ],
  EXPORT_FOLDER: ['', 'Where exports to a folder go; default PLATBOOK_HOME/exports.'],
  COUNTY_FILE_LIMIT_MB: ['4096', 'Largest file of a county that an operator may upload or have fetched.'],
  IP_LIMIT_PER_MINUTE: ['6000', 'Requests one IP (one /64 of IPv6) may send in a minute, before its key is read.'],
  REFUSAL_LIMIT_PER_MINUTE: ['60', 'Refused keys and passwords one IP (one /64 of IPv6) may send in a minute.'],
  SIGN_UP_LIMIT_PER_HOUR: ['30', 'Sign-ups one IP (one /64 of IPv6) may send in an hour.'],
  SANDBOX_PROPERTIES: ['20000', 'Size of the sandbox market; a smaller one starts sooner.'],
  TRAINING: ['full', 'tiny makes models in a second that value badly: for tests of everything but the values.'],
  SMTP_URL: [
    '',
    'Mail server, e.g. smtp://user:pass@host:587; without one, messages are written to PLATBOOK_HOME/mail.',
  ],
  MAIL_FROM: ['Platbook <no-reply@platbook.example>', 'Sender of our mail.'],
  SUPPORT_EMAIL: ['support@platbook.example', 'Where messages to support go.'],
  SELLER_NAME: ['Platbook', 'Who issues invoices, as printed on them.'],
  SELLER_ADDRESS: ['', 'Postal address of the seller on invoices; separate lines with `|`.'],
  SELLER_TAX_ID: ['', 'Tax number of the seller on invoices.'],
  PAYMENT_DETAILS: ['', 'How to pay an invoice by transfer, as printed on it; separate lines with `|`.'],
  STRIPE_SECRET_KEY: [
    '',
    'Charges cards through Stripe; without it, invoices are paid by transfer and marked paid by an operator.',
  ],
  STRIPE_PUBLISHABLE_KEY: ['', 'For the card form in the browser; belongs to STRIPE_SECRET_KEY.'],
  STRIPE_WEBHOOK_SECRET: ['', 'Signing secret of the Stripe webhook at /hooks/stripe.'],
  STRIPE_API_URL: ['https://api.stripe.com', 'Where Stripe answers; tests use another URL.'],
  REFRESH_FROM: [
    '',
    'Where the worker looks for new data of what is loaded: publisher, a folder or a URL; without it, it does not look.',
  ],
  BASEMAP: [
    '',
    'A map to draw under the properties: a PMTiles file of Protomaps, or its URL; without it, our own streets and borders.',
  ],
  PLATBOOK_DATA: ['../shared/data', 'Folder of public records for tests, benchmarks and `ingest` without --from.'],
} as const satisfies Record<string, readonly [fallback: string, why: string]>;

type SettingName = keyof typeof SETTINGS;

/** None, a number of hops, or the IPs and CIDR blocks of the proxies. */
export type TrustedProxies = false | number | readonly string[];

export type Config = ReturnType<typeof readConfig>;

/** The issuer named on invoices. */
export type Seller = Config['seller'];

export type BackupSettings = Config['backup'];

/** Through a pooler each plane has a URL of its own, because its sessions are set up for it. */
const POOLED: [direct: SettingName, pooled: SettingName][] = [
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_DIRECT_URL', 'DATA_DATABASE_URL'],
  ['DATA_DATABASE_DIRECT_URL', 'DATA_DATABASE_URL'],
];

const PRIVATE_TARGETS: Record<string, PrivateTargets> = { false: 'none', loopback: 'loopback', true: 'any' };

export class ConfigError extends Error {}

export function readConfig(environment: Record<string, string | undefined> = process.env) {
  const text = (name: SettingName) => environment[name]?.trim() || SETTINGS[name][0];
  const lines = (name: SettingName) =>
    text(name)
      .split('|')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  const optional = (name: SettingName) => text(name) || undefined;
  const whole = (name: SettingName, min: number, max: number) => {
    const value = Number(text(name));
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text(name)}".`);
    }
    return value;
  };
  const oneOf = (name: SettingName, ...allowed: string[]) => {
    if (allowed.includes(text(name))) return text(name);
    throw new ConfigError(`${name} must be one of ${allowed.join(', ')}, not "${text(name)}".`);
  };
  const databaseUrl = (name: SettingName) => {
    const url = optional(name);
    if (url === undefined || /^postgres(ql)?:\/\//.test(url)) return url;
    throw new ConfigError(`${name} must begin with postgres:// or postgresql://.`);
  };

  const httpUrl = (name: SettingName) => {
    const url = optional(name)?.replace(/\/$/, '');
    if (url === undefined || (/^https?:\/\//.test(url) && URL.canParse(url))) return url;
    throw new ConfigError(`${name} must be a URL that begins with http:// or https://.`);
  };
  const pairs = (name: SettingName) =>
    Object.fromEntries(
      listOf(text(name)).map((entry) => {
        const [, key, value] = /^([^=\s]+)=(.*)$/.exec(entry) ?? [];
        if (key === undefined) throw new ConfigError(`${name} must be a list of name=value, comma-separated.`);
        return [key, decodeOrKeep(value)];
      }),
    );
  const share = (name: SettingName) => {
    const value = Number(text(name));
    if (value >= 0 && value <= 1) return value;
    throw new ConfigError(`${name} must be a number from 0 to 1, not "${text(name)}".`);
  };
  const readTelemetry = (): TelemetrySettings | undefined => {
    const settings = {
      headers: pairs('OTEL_EXPORTER_OTLP_HEADERS'),
      timeoutMs: whole('OTEL_EXPORTER_OTLP_TIMEOUT', 1, 600_000),
      serviceName: text('OTEL_SERVICE_NAME'),
      resourceAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES'),
      sampledShare: share('OTEL_TRACES_SAMPLER_ARG'),
      metricIntervalMs: whole('OTEL_METRIC_EXPORT_INTERVAL', 100, 86_400_000),
    };
    const endpoint = httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
    return endpoint === undefined ? undefined : { endpoint, ...settings };
  };

  const secret = optional('PLATBOOK_SECRET');
  if (secret !== undefined && secret.length < 32)
    throw new ConfigError('PLATBOOK_SECRET must have at least 32 characters.');
  const port = whole('PORT', 0, 65_535);
  const cert = optional('TLS_CERT');
  const key = optional('TLS_KEY');
  if ((cert === undefined) !== (key === undefined)) throw new ConfigError('TLS_CERT and TLS_KEY belong together.');
  const tls = cert !== undefined && key !== undefined ? { cert: resolve(cert), key: resolve(key) } : undefined;
  for (const [direct, pooled] of POOLED) {
    if (optional(direct) !== undefined && optional(pooled) === undefined)
      throw new ConfigError(`${direct} is the way past the pooler at ${pooled}, which is not set.`);
  }
  const localName = ['0.0.0.0', '::'].includes(text('HOST')) ? 'localhost' : text('HOST');
  const baseUrl = text('BASE_URL').replace(/\/$/, '') || `${tls ? 'https' : 'http'}://${localName}:${port}`;
  return Object.freeze({
    port,
    host: text('HOST'),
    baseUrl,
    /** Paths of PEM files. */
    tls,
    home: resolve(text('PLATBOOK_HOME')),
    databaseUrl: databaseUrl('DATABASE_URL'),
    dataDatabaseUrl: databaseUrl('DATA_DATABASE_URL'),
    /** Set where the URLs above lead through a pooler in transaction mode. */
    directUrl: databaseUrl('DATABASE_DIRECT_URL'),
    dataDirectUrl: databaseUrl('DATA_DATABASE_DIRECT_URL'),
    replicaUrl: databaseUrl('DATABASE_REPLICA_URL'),
    replicaMaxLagMs: whole('REPLICA_MAX_LAG_MS', 100, 600_000),
    secret,
    logLevel: oneOf('LOG_LEVEL', 'trace', 'debug', 'info', 'warn', 'error', 'silent'),
    processes: optional('PROCESSES') === undefined ? availableParallelism() : whole('PROCESSES', 1, 256),
    poolSize: whole('POOL_SIZE', 1, 200),
    openMarketsBytes: whole('OPEN_MARKETS_MB', 16, 1_000_000) * 2 ** 20,
    statementTimeoutMs: whole('STATEMENT_TIMEOUT_MS', 100, 600_000),
    metricsToken: optional('METRICS_TOKEN'),
    trustProxy: readTrustedProxies(text('TRUST_PROXY')),
    /** Undefined: no collector, no telemetry. */
    telemetry: readTelemetry(),
    statusUrl: httpUrl('STATUS_URL'),
    isWorker: oneOf('WORKER', 'true', 'false') === 'true',
    webhookAllowPrivate: PRIVATE_TARGETS[oneOf('WEBHOOK_ALLOW_PRIVATE', 'false', 'loopback', 'true')],
    dnsServers: listOf(text('DNS_SERVERS')),
    webhookTimeoutMs: whole('WEBHOOK_TIMEOUT_MS', 100, 60_000),
    longestWaitSeconds: whole('LONGEST_WAIT_SECONDS', 0, 60),
    migratesOnStart: oneOf('MIGRATE_ON_START', 'true', 'false') === 'true',
    backup: {
      /** Undefined: nothing is scheduled. */
      to: readBackupTarget(optional('BACKUP_TO'), optional('DATABASE_URL')),
      everyHours: whole('BACKUP_EVERY_HOURS', 1, 8_760),
      keep: whole('BACKUP_KEEP', 1, 10_000),
      passphraseFile: optional('BACKUP_PASSPHRASE_FILE') && resolve(text('BACKUP_PASSPHRASE_FILE')),
      s3Endpoint: optional('BACKUP_S3_ENDPOINT'),
    },
    exportFolder: resolve(text('EXPORT_FOLDER') || join(text('PLATBOOK_HOME'), 'exports')),
    countyFileBytes: whole('COUNTY_FILE_LIMIT_MB', 1, 1_000_000) * 1024 * 1024,
    ipLimitPerMinute: whole('IP_LIMIT_PER_MINUTE', 1, 10_000_000),
    refusalLimitPerMinute: whole('REFUSAL_LIMIT_PER_MINUTE', 1, 1_000_000),
    signUpLimitPerHour: whole('SIGN_UP_LIMIT_PER_HOUR', 1, 1_000_000),
    sandboxProperties: whole('SANDBOX_PROPERTIES', 2_000, 200_000),
    /** For tests of everything but the values. */
    isTrainingTiny: oneOf('TRAINING', 'full', 'tiny') === 'tiny',
    smtpUrl: optional('SMTP_URL'),
    mailFrom: text('MAIL_FROM'),
    supportEmail: text('SUPPORT_EMAIL'),
    seller: {
      name: text('SELLER_NAME'),
      address: lines('SELLER_ADDRESS'),
      taxId: optional('SELLER_TAX_ID'),
      paymentDetails: lines('PAYMENT_DETAILS'),
    },
    stripeSecretKey: optional('STRIPE_SECRET_KEY'),
    stripePublishableKey: optional('STRIPE_PUBLISHABLE_KEY'),
    stripeWebhookSecret: optional('STRIPE_WEBHOOK_SECRET'),
    stripeApiUrl: text('STRIPE_API_URL'),
    recordsFolder: resolve(text('PLATBOOK_DATA')),
    /** `publisher`, a folder or a URL. */
    refreshFrom: readPlace(optional('REFRESH_FROM')),
    /** A PMTiles file or its URL. */
    basemap: readBasemap(optional('BASEMAP')),
    apiKey: optional('PLATBOOK_KEY'),
  });
}

function readBasemap(basemap: string | undefined): string | undefined {
  if (basemap === undefined || /^https?:/.test(basemap)) return basemap;
  const path = resolve(basemap);
  if (!existsSync(path)) throw new ConfigError(`BASEMAP names ${path}, where there is no file.`);
  return path;
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readPlace(text: string | undefined): string | undefined {
  return text === undefined || text === 'publisher' || /^https?:\/\//.test(text) ? text : resolve(text);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function readBackupTarget(target: string | undefined, databaseUrl: string | undefined): string | undefined {
  if (target !== undefined && databaseUrl !== undefined) {
    throw new ConfigError(
      'BACKUP_TO is for the embedded database. Back up the server at DATABASE_URL with its own tools.',
    );
  }
  return target;
}

function readTrustedProxies(text: string): TrustedProxies {
  if (text === 'false') return false;
  if (text === 'true') {
    throw new ConfigError(
      'TRUST_PROXY=true would believe whatever a client writes into x-forwarded-for. ' +
        'Set the number of proxies in front (1), or a list of their IPs and CIDR blocks.',
    );
  }
  if (/^[1-9]$/.test(text)) return Number(text);
  const entries = listOf(text);
  const wrong = entries.find((entry) => !isIpOrBlock(entry));
  if (wrong === undefined && entries.length > 0) return entries;
  throw new ConfigError(
    `TRUST_PROXY must be false, a number of proxies from 1 to 9, or a list of IPs and CIDR blocks, not "${text}".`,
  );
}

/** The text of `.env.example`. */
export function describeSettings(): string {
  const lines = Object.entries(SETTINGS).map(([name, [fallback, why]]) => `# ${why}\n# ${name}=${fallback}\n`);
  return `# Every setting with its default. Copy to the environment what you change.\n\n${lines.join('\n')}`;
}
