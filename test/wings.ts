// The wings of src/ and their rooms, bottom first. The floor-plan test enforces this table; ARCHITECTURE.md shows it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The purpose of each room, by path in src/; standalone files count as rooms. Wings and rooms import downward only. */
export const WINGS: Record<string, { purpose: string; rooms: Record<string, string> }> = {
  base: {
    purpose: 'no knowledge of property data',
    rooms: {
      lib: 'errors, ids, geography, cursors, clock, secrets',
      math: 'quantiles, matrix products, seeded random numbers, hashes',
      pdf: 'PDF pages, tables and charts',
      threads: 'heavy work off the event loop, bounded and scheduled fairly',
      'progress.ts': 'progress bars',
      'version.ts': 'the version',
      telemetry: 'traces and metrics for a collector',
      'log.ts': 'the log',
      'config.ts': 'every setting',
      db: 'pools, transactions, COPY, migrations, the embedded server',
      processes: 'several processes on one port',
      events: 'the outbox of webhooks',
      'deps.ts': 'the connections passed to every function',
      audit: 'the audit log',
      http: 'errors, headers, OpenAPI, static files',
      jobs: 'background jobs and schedules',
      measures: 'metrics for operators',
    },
  },
  supply: {
    purpose: 'loads public records',
    rooms: {
      'map-aggregates': 'homes counted by map square',
      layers: 'the table of risk layers: shape, source, filter, map and report line of each',
      sandbox: 'the invented market and its magic inputs',
      examination: 'checks on a load before it is served, and their findings',
      catalog: 'the sources available for each county',
      ingest: 'fetch, read, map, check and load a source',
    },
  },
  customers: {
    purpose: 'accounts, people and money',
    rooms: {
      accounts: 'accounts, plans, keys, scopes',
      usage: 'meters, limits, the request log',
      people: 'sign-in, teams, mail',
      billing: 'invoices and payments',
      clocks: 'sandbox accounts with an adjustable clock',
      sso: 'single sign-on',
      oauth: 'apps that act on behalf of a customer: sign-in, consent, tokens',
      support: 'messages to the operators',
    },
  },
  records: {
    purpose: 'the public records as served',
    rooms: {
      markets: 'which places are loaded, and how fresh they are',
      places: 'cities and counties by name',
      properties: 'single records and search',
      address: 'free text to exactly one property',
      risk: 'the risk layers of a property',
      tiles: 'vector tiles of properties and boundaries',
      title: 'chains of deeds, mortgages, liens',
      owners: 'parties by name, and facts of tenure and equity',
    },
  },
  insight: {
    purpose: 'what is derived from the records',
    rooms: {
      avm: 'the valuation model, pure',
      valuations: 'values with comparables and receipts',
      rents: 'rents by area and lease, yields and debt service coverage',
      analytics: 'figures, price indexes and forecasts by area',
      outlooks: 'a home a year ahead, under other conditions, and its land value',
      training: 'fits, back-tests and releases models',
      quality: 'evidence of quality for lenders',
    },
  },
  delivery: {
    purpose: 'work that outlives a request',
    rooms: {
      batches: 'enrichment of many addresses',
      changes: 'the change feed',
      reports: "the lender's file",
      reviews: 'appraisals checked against the records',
      loans: 'loans after closing',
      webhooks: 'events to customers',
      exports: 'files to object storage',
      watchlists: 'watched homes and portfolios',
      shares: 'links that anyone can open',
      digests: 'what changed, by email',
    },
  },
  edge: {
    purpose: 'the way in',
    rooms: {
      status: 'availability',
      docs: 'the pages at /docs',
      gate: 'keys, sessions, limits, metering, idempotency',
      ogc: 'layers for GIS programs',
      mcp: 'tools for agents',
    },
  },
  operate: {
    purpose: 'runs it all',
    rooms: {
      backup: 'encrypted backups',
      'build-web.ts': 'the web app, built on first start',
      'open.ts': 'connections, and everything that lives as long as the process',
      'prepare-sandbox.ts': 'the sandbox market on first start',
      preview: 'maps of dry runs',
      'refresh.ts': 'loads new data and recomputes what depends on it',
      'load-and-train.ts': 'a load or training run, and its follow-up work',
      counties: 'onboarding of a county on the dashboard',
      'with-deps.ts': 'the connections of a command',
      'run-job.ts': 'every job that runs in its own process',
      'job-process.ts': 'starts the process of a job',
      '../app.ts': 'every route',
      '../worker.ts': 'every job and schedule',
      'job-main.ts': 'the process of a job',
      'member.ts': 'one serving process',
      commands: 'one file per command, named as it is typed',
      '../main.ts': 'every command',
    },
  },
};

const FILE = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));
const BLOCK = /(<!-- wings -->\n)[^]*?(<!-- end of wings -->)/;

/** Returns the architecture page with its diagram regenerated, top wing first. */
export function drawWings(document: string): string {
  const label = (room: string) =>
    room
      .replace('../', '')
      .replace(/(?<!\.ts)$/, '/')
      .replace(/\.ts$/, '');
  const wings = Object.entries(WINGS).map(([wing, { purpose, rooms }]) => {
    const lines = Object.entries(rooms).map(([room, what]) => `  ${label(room).padEnd(20)}${what}`);
    return [`${wing}: ${purpose}`, ...lines.toReversed()].join('\n');
  });
  const drawing = wings.toReversed().join('\n\n');
  return document.replace(BLOCK, (_block, head: string, tail: string) => `${head}\`\`\`\n${drawing}\n\`\`\`\n${tail}`);
}

if (import.meta.main) writeFileSync(FILE, drawWings(readFileSync(FILE, 'utf8')));
