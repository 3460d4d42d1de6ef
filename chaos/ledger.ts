// What the callers saw, kept outside of the service: the fate of every call, under an id that the caller chose.

export type Fate =
  /** A whole 2xx. */
  | 'answered'
  /** A whole answer of any other status. */
  | 'refused'
  /** The connection broke, so it may or may not have been served. */
  | 'unknown';

export interface Call {
  id: string;
  path: string;
  fate: Fate;
  status: number | undefined;
  /** As the answer says. */
  meter: string;
  units: number;
  /** The instants, by the clock of any process, between which it was admitted. */
  span: [from: number, to: number];
  body: any;
}

export interface Ledger {
  calls: Map<string, Call>;
  statuses: Map<string, number>;
  receipts: Set<string>;
  batches: Map<string, { id: string; items: number; wrong: number }>;
  /** Ids of changes, in the order in which the feed's reader got them. */
  changes: string[];
  events: { id: string; sequence: number; type: string; body: string; isSigned: boolean }[];
  /** Versions of the roll whose load ended well. */
  loaded: number[];
  /** Sightings of half a load, and whatever else must never be seen while the campaign runs. */
  wrong: string[];
  /** Loads, trainings and billing runs that ended by themselves with an error. */
  failures: Map<string, number>;
}

export function createLedger(): Ledger {
  return {
    calls: new Map(),
    statuses: new Map(),
    receipts: new Set(),
    batches: new Map(),
    changes: [],
    events: [],
    loaded: [],
    wrong: [],
    failures: new Map(),
  };
}

export function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
