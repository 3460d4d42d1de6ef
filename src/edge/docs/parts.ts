// Tables in the docs generated from the program, so they cannot go stale: errors, plans, scopes, magic inputs, tools.
import { perWindow, planLimits } from '../../customers/accounts/limits.ts';
import { PLANS, type Plan } from '../../customers/accounts/plans.ts';
import { SCOPES } from '../../customers/accounts/scopes.ts';
import { EVENT_KINDS } from '../../base/events/kinds.ts';
import { ERRORS, isRetryable, type ErrorCode } from '../../base/lib/errors.ts';
import { PROVIDERS, type ImportedField } from '../../delivery/batches/providers.ts';
import { WHEEL } from './python-package.ts';
import { FIXTURES } from '../../supply/sandbox/fixtures.ts';
import { HIGH_FSD, MEDIUM_FSD } from '../../insight/avm/interval.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { describeLayers } from '../../records/risk/layers.ts';

export interface Parts {
  baseUrl: string;
  /** For verifying signed roots of receipts. */
  publicKey: string;
  tools: readonly { name: string; description: string; cost: string }[];
  /** The layers by recipe that this server has loaded. */
  layers: ReadonlyMap<string, LayerDefinition>;
}

/** `{{name}}` in a page is replaced by the part with that name. */
export const fillParts = (markdown: string, parts: Parts): string =>
  markdown.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => PARTS[name]?.(parts) ?? whole);

const PARTS: Record<string, (parts: Parts) => string> = {
  wheel: () => WHEEL,
  base_url: ({ baseUrl }) => baseUrl,
  errors: describeErrors,
  plans: describePlans,
  scopes: () => SCOPES.map((scope) => `\`${scope}\``).join(' · '),
  fixtures: describeFixtures,
  layers: describeLoadedLayers,
  rentcast_fields: () => describeImport('rentcast'),
  attom_fields: () => describeImport('attom'),
  estated_fields: () => describeImport('estated'),
  confidence: () => `\`high\` up to an \`fsd\` of ${HIGH_FSD}, \`medium\` up to ${MEDIUM_FSD}, \`low\` above that`,
  events: () =>
    table(
      ['kind', 'when', 'data'],
      Object.entries(EVENT_KINDS).map(([name, { what, data }]) => [`\`${name}\``, what, describeData(data)]),
    ),
  change_event: () => `\`\`\`json\n${JSON.stringify(EVENT_KINDS['property.sale_recorded'].example, null, 2)}\n\`\`\``,
  tools: ({ tools }) =>
    table(
      ['tool', 'what it does', 'cost'],
      tools.map(({ name, description, cost }) => [`\`${name}\``, firstSentence(description), cost]),
    ),
};

/** A mapping from their fields to ours, records first. */
function describeImport(id: keyof typeof PROVIDERS): string {
  const { name, record, valuation } = PROVIDERS[id];
  const rows = (fields: ImportedField[]) =>
    fields.map(({ theirs, ours, note = '' }) => [`\`${theirs}\``, ours === null ? '–' : `\`${ours}\``, note]);
  const head = [name, 'Platbook', ''];
  return `${table(head, rows(record))}\n\n### Valuations\n\n${table(head, rows(valuation))}`;
}

function describeLoadedLayers({ layers }: Parts): string {
  if (layers.size === 0) return 'This server has loaded none.';
  return describeLayers(layers)
    .filter(({ is_built_in }) => !is_built_in)
    .map(({ name, title, description, join, fields }) => {
      const rows = fields.map((field) => [
        `\`${field.name}\``,
        field.type,
        field.description ?? '',
        field.filter ? `\`${field.filter}…\`` : '',
      ]);
      const by = { inside: 'the area around it', nearest: 'the nearest site' }[join!] ?? join!.replaceAll('_', ' ');
      const how = `${description} A home has its value by ${by}.`;
      return `### ${title}: \`${name}\`\n\n${how}\n\n${table(['field', 'type', 'meaning', 'filter'], rows)}`;
    })
    .join('\n\n');
}

function describeData({ title, properties }: { title?: string; properties: object }): string {
  if (title) return '[a change](#property-changes)';
  return Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

function describeErrors(): string {
  const byStatus = Map.groupBy(Object.keys(ERRORS) as ErrorCode[], (code) => ERRORS[code][0]);
  return table(
    ['code', 'status', 'meaning', 'retry?'],
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .flatMap(([status, codes]) =>
        codes.map((code) => [
          `{#${code}}[\`${code}\`](/docs/errors/${code})`,
          String(status),
          ERRORS[code][1],
          isRetryable(code) ? 'yes' : 'no',
        ]),
      ),
  );
}

function describePlans(): string {
  const plans = Object.values(PLANS);
  const count = (value: number | null) => (value === null ? 'no monthly limit' : value.toLocaleString('en-US'));
  const cents = (value: number | null) => (value === null ? '–' : `$${(value / 100).toFixed(2)}`);
  const price = ({ priceCentsPerMonth: monthly, trialDays }: Plan) =>
    monthly === null
      ? 'by contract'
      : trialDays
        ? `free, ${trialDays} days`
        : `$${(monthly / 100).toLocaleString('en-US')} a month`;
  const rows: [string, (plan: Plan) => string][] = [
    ['price', price],
    ['standard calls', (plan) => `${count(plan.includedCalls)}${plan.trialDays ? ' in total' : ''}`],
    ['AVM calls', (plan) => `${count(plan.includedAvmCalls)}${plan.trialDays ? ' in total' : ''}`],
    ...limitRows(plans, count),
    ['additional call', (plan) => cents(plan.overageCentsPerCall)],
    ['additional AVM call', (plan) => cents(plan.overageCentsPerAvmCall)],
    ['addresses per batch', (plan) => count(plan.batchAddresses)],
    ['webhooks', (plan) => count(plan.webhooks)],
    ['uptime', ({ uptimePercent }) => (uptimePercent === null ? '–' : `${uptimePercent}%`)],
    ['support', ({ support }) => support],
  ];
  return table(
    ['', ...plans.map(({ name }) => name)],
    rows.map(([label, read]) => [label, ...plans.map(read)]),
  );
}

/** One row per limit of any plan. */
function limitRows(plans: Plan[], count: (value: number | null) => string): [string, (plan: Plan) => string][] {
  const byName = new Map(plans.flatMap(planLimits).map((limit) => [limit.name, limit]));
  return [...byName.values()].map(({ name, windowSeconds }) => [
    `calls ${perWindow(windowSeconds)}`,
    (plan) => count(planLimits(plan).find((limit) => limit.name === name)?.amount ?? null),
  ]);
}

function describeFixtures(): string {
  const byCall = Map.groupBy(FIXTURES, ({ endpoint }) => endpoint.replace('/api/v1', ''));
  const sections = [...byCall].map(([call, fixtures]) => {
    const rows = fixtures.map(({ what, request, expect }) => [
      `\`${request.address ?? request.property_id}\``,
      `${expect.status}${expect.code ? ` \`${expect.code}\`` : ''}`,
      what,
    ]);
    return `### \`${call}\`\n\n${table(['input', 'response', 'what it shows'], rows)}`;
  });
  return sections.join('\n\n');
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const firstSentence = (text: string): string => /^.*?[.:](?= )/.exec(text)?.[0].replace(/:$/, '.') ?? text;
