// The status report as JSON.
import { COMPONENTS } from './components.ts';
import type { StatusReport } from './status.ts';

/** By how many components are up. */
export function overallOf(report: StatusReport): 'up' | 'partly_down' | 'down' | 'unknown' {
  if (!report.isJudged) return 'unknown';
  const up = report.components.filter(({ isUp }) => isUp).length;
  return up === report.components.length ? 'up' : up === 0 ? 'down' : 'partly_down';
}

export const presentStatus = (report: StatusReport) => ({
  object: 'status' as const,
  status: overallOf(report),
  checked_at: report.checkedAt.toISOString(),
  time_zone: 'UTC',
  measured_since: report.measuredSince?.toISOString() ?? null,
  components: report.components.map(({ name, isUp, uptime30, uptime90, days }) => ({
    name,
    title: COMPONENTS[name].title,
    status: !report.isJudged ? ('unknown' as const) : isUp ? ('up' as const) : ('down' as const),
    uptime_percent: { last_30_days: uptime30, last_90_days: uptime90 },
    days,
  })),
  promises: report.promises.map(({ plans, promisedPercent, uptime30, uptime90 }) => ({
    plans,
    promised_percent: promisedPercent,
    measured_percent: { last_30_days: uptime30, last_90_days: uptime90 },
  })),
  incidents: report.incidents.map(({ startedAt, endedAt, components, cause }) => ({
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    components,
    cause,
  })),
});
