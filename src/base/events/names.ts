// The names of all kinds of events, apart from their shapes: the dashboard lists them in a browser.
import kinds from './kinds.json' with { type: 'json' };

export type EventKind = keyof typeof kinds;

export const KIND_NAMES = Object.keys(kinds) as EventKind[];
