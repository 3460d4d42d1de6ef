// Current and past availability by component and day, with incidents, next to the promise of each plan.
import { DAY_MS, MINUTE_MS, isoDate } from '../../base/lib/clock.ts';
import { PLANS } from '../../customers/accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import { COMPONENT_NAMES, type Component } from './components.ts';
import { findIncidents, groupIncidents } from './incidents.ts';
import * as sql from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

export const SHOWN_DAYS = 90;
const MINUTES_KEPT_MS = 8 * DAY_MS;
const DAYS_KEPT_MS = 400 * DAY_MS;
/** Processes write their counts a few seconds late, so a minute is judged after this delay. */
const SETTLE_MS = 30_000;
const LOOK_BACK_MS = 2 * DAY_MS;

type StatusDeps = Pick<Deps, 'control' | 'clock'>;

export interface DayStatus {
  date: string;
  /** null: before the first measurement. */
  uptime_percent: number | null;
  down_minutes: number;
  unmeasured_minutes: number;
}

const floorTo = (ms: number, step: number) => Math.floor(ms / step) * step;

/** The first minute that has not been judged. */
const judgedUntil = (now: Date): Date => new Date(floorTo(now.getTime() - SETTLE_MS, MINUTE_MS));

export type StatusReport = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus({ control, clock }: StatusDeps) {
  const now = clock();
  const until = judgedUntil(now);
  const firstDayMs = floorTo(now.getTime(), DAY_MS) - (SHOWN_DAYS - 1) * DAY_MS;
  const [since, rows, incidents, latest] = await Promise.all([
    sql.findFirstMinute(control),
    sql.listDays(control, isoDate(new Date(firstDayMs)), until),
    sql.listIncidents(control, new Date(firstDayMs)),
    sql.listMinutes(control, new Date(until.getTime() - 2 * MINUTE_MS), until),
  ]);
  const byComponent = Map.groupBy(rows, (row) => row.component);
  const components = COMPONENT_NAMES.map((name) => {
    const known = new Map((byComponent.get(name) ?? []).map((row) => [row.day, row]));
    const days = Array.from({ length: SHOWN_DAYS }, (_, i) => {
      const dayMs = firstDayMs + i * DAY_MS;
      const expected = expectedMinutes(dayMs, since, until);
      return { ...judgeDay(dayMs, expected, known), expected };
    });
    return {
      name,
      isUp: isUpNow(latest.filter((row) => row.component === name)),
      uptime30: uptimeOf(days.slice(-30)),
      uptime90: uptimeOf(days),
      days: days.map(({ expected: _expected, ...day }): DayStatus => day),
    };
  });
  const { uptime30, uptime90 } = components.find(({ name }) => name === 'api')!;
  return {
    checkedAt: now,
    measuredSince: since,
    /** False in the first minute, before anything was measured. */
    isJudged: since !== null && since < until,
    components,
    promises: listPromises().map((promise) => ({ ...promise, uptime30, uptime90 })),
    incidents: groupIncidents(incidents),
  };
}

/** Minutes of a day that have ended and follow the first measurement. */
function expectedMinutes(dayMs: number, since: Date | null, until: Date): number {
  if (since === null) return 0;
  const from = Math.max(dayMs, since.getTime());
  const to = Math.min(dayMs + DAY_MS, until.getTime());
  return Math.max(0, Math.round((to - from) / MINUTE_MS));
}

function judgeDay(dayMs: number, expected: number, known: Map<string, sql.DayRow>): DayStatus {
  const date = isoDate(new Date(dayMs));
  if (expected === 0) return { date, uptime_percent: null, down_minutes: 0, unmeasured_minutes: 0 };
  const { measured = 0, down = 0 } = known.get(date) ?? {};
  const unmeasured = Math.max(0, expected - measured);
  const lost = down + unmeasured;
  return {
    date,
    uptime_percent: percent(expected - lost, expected),
    down_minutes: lost,
    unmeasured_minutes: unmeasured,
  };
}

function uptimeOf(days: (DayStatus & { expected: number })[]): number | null {
  const expected = days.reduce((sum, day) => sum + day.expected, 0);
  const lost = days.reduce((sum, day) => sum + day.down_minutes, 0);
  return expected === 0 ? null : percent(expected - lost, expected);
}

/** Rounded down: 99.9996% is not 100%. */
const percent = (part: number, whole: number): number => Math.floor((100_000 * Math.max(0, part)) / whole) / 1000;

/** By the newer of the last two judged minutes; if neither exists, nothing is measuring. */
const isUpNow = (minutes: { is_down: boolean }[]): boolean => minutes.length > 0 && !lastOf(minutes).is_down;

function listPromises(): { plans: string[]; promisedPercent: number }[] {
  const promised = Object.values(PLANS).filter(({ uptimePercent }) => uptimePercent !== null);
  const groups = Map.groupBy(promised, ({ uptimePercent }) => uptimePercent!);
  return [...groups].map(([promisedPercent, plans]) => ({ plans: plans.map(({ name }) => name), promisedPercent }));
}

/** Searches for incidents in the last days, back to the start of one that was still open. */
export async function noteIncidents({ control, clock }: StatusDeps): Promise<void> {
  const to = judgedUntil(clock());
  const since = await sql.findFirstMinute(control);
  if (since === null || since >= to) return;
  const back = new Date(to.getTime() - LOOK_BACK_MS);
  // A gap may have begun long ago: with its incident, or after the last measured minute.
  const begun = await Promise.all([sql.findOpenStart(control, back), sql.findLastMinute(control, back)]);
  const earliest = Math.min(back.getTime(), ...begun.map((at) => at?.getTime() ?? Infinity));
  const from = new Date(Math.max(earliest, since.getTime()));
  const minutes = Map.groupBy(await sql.listMinutes(control, from, to), (row) => row.component);
  const found = COMPONENT_NAMES.flatMap((name) => findIncidents(name, minutes.get(name) ?? [], { from, to }));
  await sql.replaceIncidents(control, from, found);
}

/** For the operator's metrics, by component; empty before the first judged minute. */
export async function listComponentStates({ control, clock }: StatusDeps): Promise<Map<Component, boolean>> {
  const until = judgedUntil(clock());
  const since = await sql.findFirstMinute(control);
  if (since === null || since >= until) return new Map();
  const latest = await sql.listMinutes(control, new Date(until.getTime() - 2 * MINUTE_MS), until);
  return new Map(COMPONENT_NAMES.map((name) => [name, isUpNow(latest.filter((row) => row.component === name))]));
}

/** Days are summarized once no process adds to them. */
export async function tidyStatus({ control, clock }: StatusDeps): Promise<void> {
  const now = clock().getTime();
  await sql.sumUpDays(control, new Date(floorTo(now, DAY_MS) - DAY_MS), new Date(now - MINUTES_KEPT_MS));
  await sql.deleteBefore(control, new Date(floorTo(now, DAY_MS) - DAYS_KEPT_MS));
}
