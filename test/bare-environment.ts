// What a program that a test starts is told of this machine: where programs are, and where Node keeps what it compiled, as
// bin/platbook.mjs tells it. None of the settings of whoever runs the tests.
export const BARE_ENVIRONMENT = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
