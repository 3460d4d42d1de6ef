// Entry point of the desktop extension: MCP over stdio, configured through environment variables.
import { readConfig } from '../src/base/config.ts';
import { runStdio } from '../src/edge/mcp/stdio.ts';

await runStdio(readConfig());
