// Entry point of the desktop extension: MCP over stdio, configured through environment variables.
import { readConfig } from '../src/config.ts';
import { runStdio } from '../src/mcp/stdio.ts';

await runStdio(readConfig());
