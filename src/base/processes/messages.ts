// The messages between the supervisor and its processes.
import type { Config } from '../config.ts';

export type Role = 'api' | 'worker';

/** The first message to a process that has joined: its name, its role and the settings. */
export interface Order {
  kind: 'order';
  name: string;
  role: Role;
  config: Config;
}

export type ToMember =
  | Order
  | { kind: 'stop' }
  | { kind: 'report-metrics'; id: number }
  | { kind: 'all-metrics'; id: number; texts: string[] };

export type ToSupervisor =
  | { kind: 'joined' }
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; id: number; text: string }
  | { kind: 'ask-metrics'; id: number };
