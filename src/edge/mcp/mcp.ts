// The MCP server: every tool is one REST request with the caller's key, so that scopes, limits and metering are
// enforced in one place for everyone.
import { fromJsonSchema, McpServer, type CallToolResult, type JsonSchemaType } from '@modelcontextprotocol/server';
import { VERSION } from '../../base/version.ts';
import { ACCOUNT_TOOLS } from './account-tools.ts';
import { checkLayers, createArgumentCheck, type BadArgument } from './arguments.ts';
import { decodePosition, encodePosition, findList, fit, type Position } from './fit.ts';
import { hintFor } from './hints.ts';
import { MARKET_TOOLS } from './market-tools.ts';
import members from './members.json' with { type: 'json' };
import { resolvePlace, resolveProperty } from './place-arguments.ts';
import { PROPERTY_TOOLS } from './property-tools.ts';
import { brief } from './shapes.ts';
import { pick, type ApiAnswer, type ApiCall, type Arguments, type Tool } from './tool.ts';
import { VALUATION_TOOLS } from './valuation-tools.ts';
import { WORK_TOOLS } from './work-tools.ts';

export const TOOLS: readonly Tool[] = [
  ...PROPERTY_TOOLS,
  ...VALUATION_TOOLS,
  ...MARKET_TOOLS,
  ...WORK_TOOLS,
  ...ACCOUNT_TOOLS,
];

const LIST_TTL_MS = 3_600_000;

const INSTRUCTIONS = `Property intelligence for the United States: records, valuations, titles, risk layers, market figures.
Start with resolve_property (an address), search_properties (a filter) or a place as people say it, then pass on the property id.
Many addresses: start_batch. A whole file for a lender: create_report.
null means unknown, 0 or [] means known to be none, and a risk layer that is not_covered says nothing about the property.
A failed tool returns a stable code and a hint, and is never charged. Keys that begin with sk_test_ see an invented market (state ZZ).`;

/** Read-only tools destroy nothing. */
const READING = { readOnlyHint: true, openWorldHint: false };
const WRITING = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** `check` validates arguments, with errors that an agent can act on; the library's errors are one line of text. */
const UNCHECKED = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never };

const compileTools = () =>
  TOOLS.map((tool) => ({
    tool,
    input: fromJsonSchema<Arguments>(brief(tool.input), UNCHECKED),
    check: createArgumentCheck(tool),
  }));
/** Compiled once, because a new server is created for every HTTP request. */
let compiled: ReturnType<typeof compileTools> | undefined;

export const describeTool = (tool: Tool): string => `${tool.description} Cost: ${tool.cost}.`;

export function createMcpServer(callApi: ApiCall): McpServer {
  const server = new McpServer(
    { name: 'platbook', title: 'Platbook', version: VERSION },
    {
      instructions: INSTRUCTIONS,
      // The lists are built into the program: they change with a release, not while it runs.
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
      },
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
        'prompts/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
        'resources/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' },
      },
    },
  );
  for (const { tool, input, check } of (compiled ??= compileTools())) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: describeTool(tool),
        inputSchema: input,
        annotations: tool.isWriting ? WRITING : READING,
      },
      async (args) => {
        const bad = check(args);
        return bad ? describeBadArgument(bad) : runTool(tool, args, callApi);
      },
    );
  }
  registerCoverage(server, callApi);
  registerUnderwriting(server);
  return server;
}

async function runTool(tool: Tool, given: Arguments, callApi: ApiCall): Promise<CallToolResult> {
  const odd = await checkLayers(tool, given, callApi);
  const placed = odd ? { bad: odd } : await resolvePlace(tool, given, callApi);
  const located = 'args' in placed ? await resolveProperty(tool, placed.args, callApi) : placed;
  if ('bad' in located) return describeBadArgument(located.bad);
  if ('failure' in located) return describeFailure(located.failure);
  const { args } = located;
  const parts = tool.parts?.(args);
  if (parts) return runParts(tool, parts, callApi);
  const position = decodePosition(args.cursor as string | undefined);
  const answer = await callApi(tool.request({ ...args, cursor: position.cursor }));
  if (answer.status >= 300) return describeFailure(answer);
  const whole = answer.body as Arguments;
  const narrowed = tool.narrow ? tool.narrow(whole, args) : whole;
  const cut = typeof tool.cut === 'function' ? tool.cut(args) : (tool.cut ?? {});
  const { body, left } = fit(narrowed, cut, position.skip, weigh);
  if (cut.paged === undefined) return asResult(body);
  return asResult({ ...body, pagination: pageAfter(tool, narrowed, { paged: cut.paged, position, left }) });
}

/** A failed part is replaced by its error; the others stay. */
async function runParts(tool: Tool, parts: Record<string, Arguments>, callApi: ApiCall): Promise<CallToolResult> {
  const names = Object.keys(parts);
  const answers = await Promise.all(names.map((name) => callApi(tool.request(parts[name]))));
  if (answers.every(({ status }) => status >= 300)) return describeFailure(answers[0]);
  const bodies = answers.map(({ status, body }, index) => {
    const whole = body as Arguments;
    if (status >= 300) return { error: { code: whole.code, detail: whole.detail } };
    return tool.narrow ? tool.narrow(whole, parts[names[index]]) : whole;
  });
  const joined = { object: 'parts', ...Object.fromEntries(names.map((name, index) => [name, bodies[index]])) };
  const cut = { lists: names.map((name) => `${name}.data`), expendable: names.map((name) => `${name}.sources`) };
  return asResult(fit(joined, cut, 0, weigh).body);
}

/** The cursor continues within this page while items remain, then to the next page if REST has one. */
function pageAfter(
  tool: Tool,
  whole: Arguments,
  { paged, position, left }: { paged: string; position: Position; left: number },
): Arguments {
  const pagination = (whole.pagination ?? {}) as Arguments;
  const shown = (findList(whole, paged)?.length ?? 0) - left;
  const rest = left > 0 ? encodePosition({ cursor: position.cursor, skip: shown }) : undefined;
  const next = rest ?? (tool.isPaged ? (pagination.next_cursor as string | null) : null);
  // The feed has a cursor even at its end, to continue from later.
  const hasMore = rest !== undefined || (next !== null && pagination.has_more !== false);
  return { ...pagination, ...(tool.isPaged && { has_more: hasMore }), next_cursor: next };
}

/** Text only: a structured copy would double it, and output schemas took three quarters of the tool list. */
const asResult = (body: Arguments): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(body) }] });

/** The text is sent as a string inside JSON. */
const weigh = (body: Arguments): number => Buffer.byteLength(JSON.stringify(JSON.stringify(body))) + CURSOR_ROOM_BYTES;
const CURSOR_ROOM_BYTES = 1_000;

function describeBadArgument({ code, detail, argument, ...more }: BadArgument): CallToolResult {
  const kind = code === 'unknown_parameter' ? 'unknown' : 'invalid';
  const errors = [{ pointer: `/${argument}`, code: kind, detail, argument, ...more }];
  return describeFailure({ status: 400, headers: {}, body: { code, detail, errors } });
}

/** REST's problem body, shortened, with advice on what to do next. */
function describeFailure(answer: ApiAnswer): CallToolResult {
  const problem = (answer.body ?? {}) as Arguments;
  const retryAfter = answer.headers['retry-after'];
  const code = String(problem.code ?? (answer.status === 301 ? 'property_not_found' : 'internal_error'));
  const failure = {
    object: 'error',
    code,
    status: answer.status,
    detail: problem.detail ?? `The API returned status ${answer.status}.`,
    hint: hintFor(code, problem.retryable === true),
    retryable: problem.retryable === true,
    ...(retryAfter !== undefined && { retry_after_seconds: Number(retryAfter) }),
    ...pick(problem, members.failure),
  };
  return { ...asResult(failure), isError: true };
}

function registerCoverage(server: McpServer, callApi: ApiCall): void {
  server.registerResource(
    'coverage',
    'platbook://coverage',
    {
      title: 'Coverage',
      description: 'The markets this key can see: counties, counts by type, layers.',
      mimeType: 'application/json',
    },
    async (uri) => {
      const answer = await callApi({ path: '/markets' });
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(answer.body) }] };
    },
  );
}

const UnderwriteArguments = {
  type: 'object',
  properties: {
    address: { type: 'string', description: 'Street address of the property.' },
    loan_amount: { type: 'string', description: 'Requested loan in dollars, if any.' },
  },
  required: ['address'],
};

function registerUnderwriting(server: McpServer): void {
  server.registerPrompt(
    'underwrite_property',
    {
      title: 'Underwrite a property',
      description:
        'Value a property, explain the value, check its risks and say what is unknown. 1 AVM and 2 standard calls.',
      argsSchema: fromJsonSchema<{ address: string; loan_amount?: string }>(UnderwriteArguments as JsonSchemaType),
    },
    ({ address, loan_amount: loan }) => ({
      messages: [
        {
          role: 'user' as const,
          content: {
            type: 'text' as const,
            text: `Underwrite the property at ${address}${loan ? ` for a loan of ${loan}` : ''}.
1. resolve_property with the address; stop and ask if it is ambiguous.
2. estimate_value with the property id, then explain_value with the valuation id.
3. get_risk for all layers.
Report: the value with its interval and measured error, the three comparables that weigh most, ${loan ? 'loan to value at the low, middle and high value, ' : ''}each risk layer with its status, and what is unknown or not covered.`,
          },
        },
      ],
    }),
  );
}
