// The processes of the service, each brought back by its keeper whenever it dies, as a supervisor would.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Ground } from './ground.ts';

const CLOCK = new URL('./shifted-clock.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const BACK_AFTER_MS = 200;

export interface Member {
  name: string;
  /** Undefined between a death and the return. */
  child: ChildProcess | undefined;
  url?: string;
}

export interface Fleet {
  apis: Member[];
  workers: Member[];
  /** Asks every process to stop, and waits until it has. */
  stop(): Promise<void>;
  start(): void;
}

/** Runs a command of the program, or a script of the campaign, to its end. */
export function run(ground: Ground, name: string, command: string[]): ChildProcess {
  const [program, ...args] = command[0].endsWith('.ts') ? command : [PROGRAM, ...command];
  mkdirSync(join(ground.folder, 'logs'), { recursive: true });
  const log = openSync(join(ground.folder, 'logs', `${name}.log`), 'a');
  const child = spawn(process.execPath, ['--import', CLOCK, program, ...args], {
    env: { ...process.env, ...ground.settings },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return child;
}

export async function openFleet(ground: Ground, sizes: { apis: number; workers: number }): Promise<Fleet> {
  const state = { isStopping: false };
  const commands = new Map<Member, () => ChildProcess>();

  async function keep(member: Member): Promise<void> {
    while (!state.isStopping) {
      member.child = commands.get(member)!();
      await once(member.child, 'exit');
      member.child = undefined;
      if (!state.isStopping) await sleep(BACK_AFTER_MS);
    }
  }

  const apis: Member[] = [];
  for (let n = 1; n <= sizes.apis; n++) {
    const port = await freePort();
    const member: Member = { name: `api-${n}`, child: undefined, url: `http://127.0.0.1:${port}` };
    commands.set(member, () =>
      run({ ...ground, settings: { ...ground.settings, PORT: String(port), WORKER: 'false' } }, member.name, ['start']),
    );
    apis.push(member);
  }
  const workers = Array.from({ length: sizes.workers }, (_, n): Member => {
    const member: Member = { name: `worker-${n + 1}`, child: undefined };
    commands.set(member, () => run(ground, member.name, ['worker']));
    return member;
  });
  const members = [...apis, ...workers];
  let kept: Promise<void>[] = [];
  return {
    apis,
    workers,
    start() {
      state.isStopping = false;
      kept = members.map(keep);
    },
    async stop() {
      state.isStopping = true;
      for (const { child } of members) child?.kill('SIGTERM');
      await Promise.all(kept);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
