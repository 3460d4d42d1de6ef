// Finds incidents in measured minutes: periods in which a component was down or was not measured at all.
import { MINUTE_MS } from '../../base/lib/clock.ts';
import type { IncidentRow } from './sql.ts';

/** A single bad minute counts against availability but is not an incident. */
const LEAST_MINUTES = 2;
/** Fewer good minutes than this in between belong to the same incident. */
const CALM_MINUTES = 3;

interface Minute {
  minute: Date;
  is_down: boolean;
}

interface Window {
  from: Date;
  /** The first minute that has not ended. */
  to: Date;
}

/** One component's incidents, from its measured minutes in order. A missing minute between `from` and `to` is a gap. */
export function findIncidents(component: string, minutes: Minute[], { from, to }: Window): IncidentRow[] {
  const measured = new Map(minutes.map(({ minute, is_down }) => [minute.getTime(), is_down]));
  const incidents: IncidentRow[] = [];
  let open: { start: number; last: number; bad: number; gaps: number } | undefined;
  const close = (isOver: boolean) => {
    if (open && open.bad >= LEAST_MINUTES) {
      incidents.push({
        component,
        started_at: new Date(open.start),
        ended_at: isOver ? new Date(open.last + MINUTE_MS) : null,
        cause: 2 * open.gaps > open.bad ? 'not_measured' : 'failures',
      });
    }
    open = undefined;
  };
  for (let at = from.getTime(); at < to.getTime(); at += MINUTE_MS) {
    const isGap = !measured.has(at);
    if (isGap || measured.get(at) === true) {
      open ??= { start: at, last: at, bad: 0, gaps: 0 };
      open.last = at;
      open.bad++;
      if (isGap) open.gaps++;
    } else if (open && at - open.last >= CALM_MINUTES * MINUTE_MS) {
      close(true);
    }
  }
  // Up again, but too briefly to rule out that the incident continues, so it counts as over for now.
  close(open !== undefined && open.last < to.getTime() - MINUTE_MS);
  return incidents;
}

export interface Incident {
  startedAt: Date;
  endedAt: Date | null;
  components: string[];
  cause: IncidentRow['cause'];
}

/** Components that were down at the same time share one incident. */
export function groupIncidents(rows: IncidentRow[]): Incident[] {
  const groups: Incident[] = [];
  for (const row of rows.toSorted((a, b) => a.started_at.getTime() - b.started_at.getTime())) {
    const last = groups.at(-1);
    if (last && (last.endedAt === null || row.started_at <= last.endedAt)) {
      if (!last.components.includes(row.component)) last.components.push(row.component);
      last.endedAt =
        last.endedAt === null || row.ended_at === null
          ? null
          : new Date(Math.max(last.endedAt.getTime(), row.ended_at.getTime()));
      if (row.cause === 'failures') last.cause = 'failures';
    } else {
      groups.push({ startedAt: row.started_at, endedAt: row.ended_at, components: [row.component], cause: row.cause });
    }
  }
  return groups.reverse();
}
