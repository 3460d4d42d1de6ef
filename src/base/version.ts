// The version in package.json, which the API, the SDK and the MCP server announce.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION = manifest.version;
