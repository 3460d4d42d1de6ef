// Messages between the supervisor and its members.
import type { Config } from '../config.ts';

export type Role = 'api' | 'worker';

/** The first message to a member, once it has joined: who it is and what it does. */
export interface Order {
  kind: 'order';
  name: string;
  role: Role;
  config: Config;
}

export type ToMember =
  | Order
  | { kind: 'stop' }
  | { kind: 'tell-metrics'; id: number }
  | { kind: 'all-metrics'; id: number; texts: string[] };

export type ToSupervisor =
  | { kind: 'joined' }
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; id: number; text: string }
  | { kind: 'ask-metrics'; id: number };
