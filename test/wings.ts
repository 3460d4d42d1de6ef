// The wings of src/ and their rooms, from the ground up: what the floor-plan test enforces and ARCHITECTURE.md draws.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a room is for, by its path in src/; files that stand alone count as rooms. Wings and rooms import downward only. */
export const WINGS: Record<string, { purpose: string; rooms: Record<string, string> }> = {
  base: {
    purpose: 'knows nothing of property',
    rooms: {
      lib: 'errors, ids, geography, cursors, clock, secrets',
      math: 'quantiles, matrix products, seeded random numbers, hashes',
      pdf: 'PDF pages, tables and charts',
      threads: 'heavy work off the event loop, bounded and in turns',
      'progress.ts': 'progress bars',
      'version.ts': 'the version',
      telemetry: 'traces and metrics for a collector',
      'log.ts': 'the log',
      'config.ts': 'every setting',
      db: 'pools, transactions, COPY, migrations, the embedded server',
      processes: 'several processes on one port',
      events: 'the outbox of webhooks',
      'deps.ts': 'the connections every function is handed',
      audit: 'who did what',
      http: 'errors, headers, OpenAPI, static files',
      jobs: 'background jobs and schedules',
      measures: 'metrics for operators',
    },
  },
  supply: {
    purpose: 'public records in',
    rooms: {
      'map-aggregates': 'homes counted by map square',
      layers: 'the table of risk layers: shape, source, filter, map and report line of each',
      sandbox: 'the invented market and its magic inputs',
      examination: 'what a load is asked before it is served: the table of checks and its findings',
      catalog: 'what can be loaded for each county of the country',
      ingest: 'fetch, read, map, check and load a source',
    },
  },
  customers: {
    purpose: 'who pays',
    rooms: {
      accounts: 'accounts, plans, keys, scopes',
      usage: 'meters, limits, the request log',
      people: 'sign-in, teams, mail',
      billing: 'invoices and payments',
      clocks: 'sandbox accounts whose time can be moved',
      sso: 'single sign-on',
      oauth: 'apps that act for a customer: sign-in, consent, tokens',
      support: 'messages to the operators',
    },
  },
  records: {
    purpose: 'what the records say',
    rooms: {
      markets: 'which places are loaded, and how fresh',
      places: 'cities and counties by name',
      properties: 'one record, or many by a search',
      address: 'free text to exactly one property',
      risk: 'the risk layers of a property',
      tiles: 'vector tiles of properties and boundaries',
      title: 'chains of deeds, mortgages, liens',
      owners: 'parties by name, and facts of tenure and equity',
    },
  },
  insight: {
    purpose: 'what follows from them',
    rooms: {
      avm: 'the valuation model, pure',
      valuations: 'values with comparables and receipts',
      rents: 'rents by area and lease, yields and debt service coverage',
      analytics: 'figures, price indexes and forecasts by area',
      outlooks: 'a home within a year, in other conditions, and its land',
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
      'open.ts': 'connections, and all that lives as long as the process',
      'prepare-sandbox.ts': 'the sandbox market on first start',
      preview: 'maps of dry runs',
      'refresh.ts': 'new data, and what is derived from it',
      'load-and-train.ts': 'a load or a training, and what follows from it',
      counties: 'onboarding of a county on the dashboard',
      'with-deps.ts': 'what a command opens',
      'run-job.ts': 'every job that has its own process',
      'job-process.ts': 'starts the process of a job',
      '../app.ts': 'every route',
      '../worker.ts': 'every job and schedule',
      'job-main.ts': 'the process of a job',
      'member.ts': 'one of the serving processes',
      commands: 'one file per command, named as it is typed',
      '../main.ts': 'every command',
    },
  },
};

const FILE = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));
const BLOCK = /(<!-- wings -->\n)[^]*?(<!-- end of wings -->)/;

/** The architecture page with its drawing made anew: the top wing first, a room's files under the rooms it may import. */
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
