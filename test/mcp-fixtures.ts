// The server that the MCP conformance suite expects: its fixtures behind our own endpoint. Features a domain server
// does not need (images, input requests, progress) use the same transport as our tools.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type InputRequiredResult,
  type JsonSchemaType,
  type ServerContext,
} from '@modelcontextprotocol/server';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string, words: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const says = (...content: CallToolResult['content']): CallToolResult => ({ content });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const state = createRequestStateCodec<{ round: number }>({ key: 'a key of at least thirty-two bytes, for tests' });
const ask = (message: string, member: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [member]: { type } as { type: 'string' } }, required: [member] },
  });
const askModel = (words: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 100 });
const answersOf = (context: ServerContext) => context.mcpReq.inputResponses ?? {};
const capabilitiesOf = (context: ServerContext) =>
  ((context.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    unknown
  >;

type Run = (context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;

const TOOLS: Record<string, Run> = {
  test_simple_text: async () => says(text('This is a simple text response for testing.')),
  test_image_content: async () => says(image),
  test_audio_content: async () => says({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: async () => says(resource('test://embedded-resource', 'This is an embedded resource.')),
  test_multiple_content_types: async () =>
    says(
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', '{}', 'application/json'),
    ),
  test_error_handling: async () => ({ ...says(text('This tool intentionally returns an error.')), isError: true }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await wait(50);
    }
    return says(text('Done.'));
  },
  test_tool_with_logging: logging,
  test_logging_tool: logging,
  test_missing_capability: async () => inputRequired({ inputRequests: { question: askModel('Hello?') } }),
  test_streaming_elicitation: async (context) =>
    acceptedContent(answersOf(context), 'user_name')
      ? says(text('Done.'))
      : inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } }),
  test_input_required_result_elicitation: async (context) => {
    const given = acceptedContent<{ name: string }>(answersOf(context), 'user_name');
    if (given) return says(text(`Hello, ${given.name}!`));
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } });
  },
  test_input_required_result_sampling: async (context) => {
    const given = answersOf(context).capital_question;
    if (given) return says(text(JSON.stringify(given)));
    return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } });
  },
  test_input_required_result_list_roots: async (context) => {
    const given = answersOf(context).client_roots;
    if (given) return says(text(JSON.stringify(given)));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: confirmWithState,
  test_input_required_result_tampered_state: confirmWithState,
  test_input_required_result_multiple_inputs: async (context) => {
    const given = answersOf(context);
    if (given.user_name && given.greeting && given.client_roots && context.mcpReq.requestState())
      return says(text(JSON.stringify(given)));
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', 'name'),
        greeting: askModel('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await state.mint({ round: 1 }),
    });
  },
  test_input_required_result_multi_round: async (context) => {
    const round = context.mcpReq.requestState<{ round: number }>()?.round ?? 0;
    const given = answersOf(context);
    if (round === 0) {
      const step1 = ask('Step 1: What is your name?', 'name');
      return inputRequired({ inputRequests: { step1 }, requestState: await state.mint({ round: 1 }) });
    }
    if (round === 1) {
      const step2 = ask('Step 2: What is your favorite color?', 'color');
      return inputRequired({ inputRequests: { step2 }, requestState: await state.mint({ round: 2 }) });
    }
    return says(text(JSON.stringify(given)));
  },
  test_input_required_result_capabilities: async (context) => {
    const can = capabilitiesOf(context);
    return inputRequired({
      inputRequests: {
        ...(can.elicitation !== undefined && { name: ask('What is your name?', 'name') }),
        ...(can.sampling !== undefined && { model: askModel('Hello?') }),
      },
      requestState: await state.mint({ round: 1 }),
    });
  },
};

async function logging({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const step of ['started', 'works', 'is done']) await mcpReq.log('info', `The tool ${step}`);
  return says(text('Done.'));
}

async function confirmWithState(context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  if (acceptedContent(answersOf(context), 'confirm') && context.mcpReq.requestState()) return says(text('state-ok'));
  const confirm = ask('Please confirm', 'ok', 'boolean');
  return inputRequired({ inputRequests: { confirm }, requestState: await state.mint({ round: 1 }) });
}

const NOTHING = fromJsonSchema<object>({ type: 'object', properties: {} });
const wanting = (...names: string[]) =>
  fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  });

/** Every keyword of JSON Schema 2020-12 that must survive in the list of tools. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // As text, because an object with this member would be awaited like a promise.
  ...JSON.parse('{"then":{"required":["phone"]}}'),
  else: { required: ['email'] },
  additionalProperties: false,
};

export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixtures', version: '1.0.0' },
    {
      // As with our tools: the lists are those of the program and do not change while it runs.
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
        logging: {},
        completions: {},
      },
      requestState: { verify: state.verify },
    },
  );
  for (const [name, run] of Object.entries(TOOLS)) {
    server.registerTool(name, { description: name, inputSchema: NOTHING }, (_args, context) => run(context));
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema(RICH_SCHEMA as JsonSchemaType),
    },
    async () => says(text('Done.')),
  );
  const withHeader = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  server.registerTool(
    'test_custom_headers',
    { description: 'An argument that is also a header', inputSchema: fromJsonSchema(withHeader as JsonSchemaType) },
    async () => says(text('Done.')),
  );
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerResources(server: McpServer): void {
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', {
    list: undefined,
    complete: { id: () => ['123'] },
  });
  server.registerResource('template', template, { mimeType: 'application/json' }, async ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
  }));
}

function registerPrompts(server: McpServer): void {
  const user = (content: ReturnType<typeof text> | typeof image | ReturnType<typeof resource>) => ({
    role: 'user' as const,
    content,
  });
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, async () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: wanting('arg1', 'arg2') },
    async ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: wanting('resourceUri') },
    async ({ resourceUri }) => ({
      messages: [user(resource(resourceUri, 'Embedded resource content.')), user(text('Please process it.'))],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, async () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, async (context) => {
    const given = acceptedContent<{ context: string }>(answersOf(context), 'user_context');
    if (given) return { messages: [user(text(given.context))] };
    return inputRequired({
      inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
    });
  });
}
