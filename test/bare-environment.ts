// The environment of programs started by tests: the PATH, and Node's compile cache, as set by bin/platbook.mjs.
// Excludes the developer's own settings.
export const BARE_ENVIRONMENT = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
