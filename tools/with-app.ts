// Opens the program for a tool that writes what follows from its routes or its schema, and closes it.
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/base/config.ts';
import type { Deps } from '../src/base/deps.ts';
import { open } from '../src/operate/open.ts';

type AppOptions = Parameters<typeof buildApp>[1];
type Running = Awaited<ReturnType<typeof buildApp>>;

export async function withApp(
  work: (running: Running, deps: Deps) => Promise<void> | void,
  options?: AppOptions,
): Promise<void> {
  const { deps, close } = await open(readConfig());
  const running = await buildApp(deps, options);
  try {
    await running.app.ready();
    await work(running, deps);
  } finally {
    await running.app.close();
    await close();
  }
}
