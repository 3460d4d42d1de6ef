// Everything that is done to the service. Each fault is over when its function returns; what it broke may take longer.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import type { Door } from './door.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Ground } from './ground.ts';
import type { Random } from './random.ts';
import { findNextEnd, type Tenant } from './tenants.ts';
import type { Commands } from './traffic.ts';

export interface Battlefield {
  ground: Ground;
  fleet: Fleet;
  commands: Commands;
  random: Random;
  tenants: Tenant[];
}

type Fault = (field: Battlefield) => Promise<void>;

const MINUTE_MS = 60_000;

export const FAULTS: Record<string, Fault> = {
  'kill an API process': async ({ fleet, random }) => kill(random.pick(fleet.apis)),
  'kill a worker': async ({ fleet, random }) => kill(random.pick(fleet.workers)),
  'kill a load': (field) => killCommand(field, 'load', 2_500),
  'kill a training': (field) => killCommand(field, 'training', 15_000),
  'kill a billing run': (field) => killCommand(field, 'billing', 1_500),
  'kill a database backend': async ({ ground, random }) => {
    const backends = childrenOf(ground.postmaster());
    if (backends.length > 0) signal(random.pick(backends), 'SIGKILL');
  },
  'kill the postmaster': async ({ ground }) => signal(ground.postmaster(), 'SIGKILL'),
  'pause a process': async ({ fleet, random }) => {
    const { child } = random.pick([...fleet.apis, ...fleet.workers]);
    await pause(child?.pid, random.between(500, 4_000));
  },
  'pause the database': async ({ ground, random }) => pause(ground.postmaster(), random.between(500, 3_000)),
  'fill the disk': async ({ ground, random }) => {
    const free = ground.fillDisk();
    await sleep(random.between(1_000, 3_000));
    free();
  },
  'cut the network': async ({ ground, random }) => shut(ground.door, random.between(300, 3_000)),
  'delay the network': async ({ ground, random }) => {
    ground.door.delayMs = random.between(20, 300);
    await sleep(random.between(1_000, 3_000));
    ground.door.delayMs = 0;
  },
  // An hour forth at most and never far back: what is kept for days must not expire under the campaign.
  'move the clock': async ({ ground, random }) => ground.moveClock(random.between(-10, 20) * MINUTE_MS),
  // Its last seconds pass while calls, batches and reports are under way, and under the next fault.
  'let a month end': async ({ ground, random, tenants }) => {
    const now = Date.now() + ground.clockOffsetMs;
    const left = findNextEnd(tenants, now).month.end.getTime() - now;
    if (left > 0) ground.moveClock(left - random.between(0, 3_000));
  },
  'restart everything': async ({ ground, fleet }) => {
    await fleet.stop();
    await ground.stopDatabase();
    await ground.startDatabase();
    fleet.start();
  },
};

/** Of a data plane on a cluster. */
export const CLUSTER_FAULTS: Record<string, Fault> = {
  'crash a node of the cluster': async ({ ground, random }) => ground.cluster!.crashNode(random),
  'cut the network to the cluster': async ({ ground, random }) =>
    shut(ground.cluster!.door, random.between(300, 3_000)),
  'move counties to another worker': async ({ ground, random }) => ground.cluster!.moveCounties(random),
};

async function shut(door: Door, ms: number): Promise<void> {
  door.isShut = true;
  door.cut();
  await sleep(ms);
  door.isShut = false;
}

function kill({ child }: Member): void {
  signal(child?.pid, 'SIGKILL');
}

/** At some moment of its run; the next one, if none is running. */
async function killCommand({ commands, random }: Battlefield, name: keyof Commands, withinMs: number): Promise<void> {
  const running = async (): Promise<ChildProcess> => {
    for (let child = commands[name]; ; child = commands[name]) {
      if (child) return child;
      await sleep(50);
    }
  };
  const child = await running();
  await sleep(random.between(0, withinMs));
  // It may have finished by now; then the one after it is killed wherever it is.
  signal(child.exitCode === null && child.signalCode === null ? child.pid : (await running()).pid, 'SIGKILL');
}

async function pause(pid: number | undefined, ms: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  await sleep(ms);
  signal(pid, 'SIGCONT');
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid) process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/** Client backends only: their parent is the postmaster, and their title says which client they serve. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('127.0.0.1');
      } catch {
        return false;
      }
    });
}
