// The API as a process of its own, for tests that need several: settings from the environment, port on the first line.
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';

const { deps, close } = await open(readConfig(), 'requests');
const { app } = await buildApp(deps);
await app.listen({ port: deps.config.port, host: '127.0.0.1' });
console.log(`PORT=${(app.server.address() as { port: number }).port}`);
process.on('SIGTERM', () => void app.close().then(close));
