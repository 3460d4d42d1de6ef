// The names of all event kinds, separate from their schemas because the dashboard loads them in the browser.
import kinds from './kinds.json' with { type: 'json' };

export type EventKind = keyof typeof kinds;

export const KIND_NAMES = Object.keys(kinds) as EventKind[];
