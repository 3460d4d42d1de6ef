// Turns the environment into one frozen, typed object. The only reader of process.env; an invalid setting stops the start.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { PrivateTargets } from './lib/dial.ts';
import { isIpOrBlock } from './lib/ips.ts';
import written from './settings.json' with { type: 'json' };
import type { TelemetrySettings } from './telemetry/telemetry.ts';

/** Every setting of settings.json with its default and a one-line description. `.env.example` is generated from this
    table. */
export const SETTINGS = written as unknown as Record<keyof typeof written, readonly [fallback: string, why: string]>;

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
  const text = (name: SettingName) => (environment[name] ?? readSecret(name, environment))?.trim() || SETTINGS[name][0];
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
    /** Set if the URLs above go through a pooler in transaction mode. */
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
    breachedPasswordsUrl: httpUrl('BREACHED_PASSWORDS_URL'),
    signUpLimitPerHour: whole('SIGN_UP_LIMIT_PER_HOUR', 1, 1_000_000),
    sandboxProperties: whole('SANDBOX_PROPERTIES', 2_000, 200_000),
    /** For tests that do not depend on the values. */
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
    retrainMinutes: whole('RETRAIN_MINUTES', 0, 1_440),
    /** A PMTiles file or its URL. */
    basemap: readBasemap(optional('BASEMAP')),
    apiKey: optional('PLATBOOK_KEY'),
  });
}

/** Settings for unencrypted network connections; loopback and Unix sockets do not count. */
export function listUnencrypted(config: Config): string[] {
  const { databaseUrl, dataDatabaseUrl, directUrl, dataDirectUrl, replicaUrl, smtpUrl } = config;
  const databases = {
    DATABASE_URL: databaseUrl,
    DATA_DATABASE_URL: dataDatabaseUrl,
    DATABASE_DIRECT_URL: directUrl,
    DATA_DATABASE_DIRECT_URL: dataDirectUrl,
    DATABASE_REPLICA_URL: replicaUrl,
  };
  const isPlainDatabase = (url: URL) =>
    !/^(require|verify-ca|verify-full)$/.test(url.searchParams.get('sslmode') ?? '') &&
    url.searchParams.get('ssl') !== 'true';
  const isPlainMail = (url: URL) => url.protocol !== 'smtps:' && url.searchParams.get('requireTLS') !== 'true';
  const checks = [
    ...Object.entries(databases).map(([name, url]) => ({ name, url, isPlain: isPlainDatabase })),
    { name: 'SMTP_URL', url: smtpUrl, isPlain: isPlainMail },
  ];
  return checks.flatMap(({ name, url, isPlain }) => {
    const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
    const isElsewhere = parsed && !['', 'localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
    return isElsewhere && isPlain(parsed) ? [name] : [];
  });
}

/** `NAME_FILE` names a file that holds the setting, which is how vaults and container platforms deliver secrets. */
function readSecret(name: string, environment: Record<string, string | undefined>): string | undefined {
  const path = environment[`${name}_FILE`];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`${name}_FILE names ${path}, which cannot be read.`);
  }
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
