// What the desktop extension starts: MCP over stdio with the settings its owner typed in.
import { readConfig } from '../src/config.ts';
import { runStdio } from '../src/mcp/stdio.ts';

await runStdio(readConfig());
