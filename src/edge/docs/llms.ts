// llms.txt: guidance for models, the pages as Markdown, and every route on one line.
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import type { Page } from './pages.ts';

export function describeForAgents(
  document: object,
  pages: Page[],
  loaded: ReadonlyMap<string, LayerDefinition>,
): string {
  const titles = [...LAYER_LIST, ...loaded.values()].map(({ title }) => title.toLowerCase());
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string; summary: string }>> };
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => `- ${method.toUpperCase()} ${path}: ${operation.summary}`),
  );
  const links = pages.map(({ slug, title, summary }) => `- [${title}](/docs/${slug}.md): ${summary}`);
  return `# Platbook

> Property intelligence for the United States over REST: valuations with a confidence interval and comparable sales, property,
> ownership, assessment and transaction records, and risk layers (${titles.join(', ')}).

Send \`x-api-key\` with every request. \`sk_test_\` keys see the synthetic sandbox market (state ZZ) only and are never billed.
Lists are \`{object:"list", data, pagination}\`; continue with \`cursor=<next_cursor>\`. Errors carry a stable \`code\` and say what to do next.
\`null\` means unknown; \`0\` or \`[]\` means known to be none. A risk layer's \`status\` tells "none_found" from "not_covered".
Agents can use MCP instead: streamable HTTP at /mcp with \`Authorization: Bearer <key>\`.

## Pages
${links.join('\n')}

## Machine-readable
- [OpenAPI 3.1](/openapi.json): every route, response, error and header
- [Postman collection](/docs/postman.json)

## Endpoints
${routes.join('\n')}
`;
}
