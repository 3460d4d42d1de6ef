// One of the processes of `platbook start`: serves on the shared port or does background work until it is stopped.
import { buildApp } from '../app.ts';
import { explain } from '../base/lib/command-error.ts';
import { open } from './open.ts';
import { joinSupervisor, type Membership } from '../base/processes/member.ts';
import { startWorker } from '../worker.ts';

/** Connections close after this many requests, so that long-lived callers reconnect to a less busy process. */
const MOST_REQUESTS_PER_CONNECTION = 1_000;

async function run(membership: Membership): Promise<void> {
  const { name, role, config } = membership.order;
  const { deps, close } = await open(config, role === 'api' ? 'requests' : 'sessions');
  try {
    deps.metrics.registry.setDefaultLabels({ process: name });
    membership.serveMetrics(() => deps.metrics.registry.metrics());
    const stop = role === 'api' ? await serve() : await work();
    membership.announceReady();
    await membership.stopping;
    await stop();
  } finally {
    await close();
  }

  async function serve(): Promise<() => Promise<void>> {
    const { app } = await buildApp(deps, { readMetrics: membership.readAllMetrics });
    app.server.maxRequestsPerSocket = MOST_REQUESTS_PER_CONNECTION;
    await app.listen({ port: config.port, host: config.host });
    return () => app.close();
  }

  async function work(): Promise<() => Promise<void>> {
    const worker = await startWorker(deps, config.statusUrl ?? config.baseUrl);
    return () => worker.stop();
  }
}

const membership = await joinSupervisor();
try {
  await run(membership);
  process.exit(0);
} catch (error) {
  membership.announceFailure(String(explain(error)));
  // Leaves time to send the message.
  setTimeout(() => process.exit(1), 500);
}
