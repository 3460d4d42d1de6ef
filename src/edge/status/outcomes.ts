// Counts outcomes per component and minute, and adds them to the control plane every few seconds. While the database is
// down, the counts wait in memory, so that its outage is recorded afterwards.
import { createTurns } from '../../base/lib/turns.ts';
import type { Connections } from '../../base/deps.ts';
import { MINUTE_MS } from '../../base/lib/clock.ts';
import type { Component } from './components.ts';
import * as sql from './sql.ts';

const FLUSH_MS = 5_000;
/** A longer outage leaves a gap instead of counts. */
const MAX_HELD = 6 * 24 * 60;

declare module '../../base/deps.ts' {
  interface Deps {
    outcomes: ReturnType<typeof createOutcomes>;
  }
}

export function createOutcomes({ control, clock }: Pick<Connections, 'control' | 'clock'>) {
  const held = new Map<string, sql.MinuteRow>();
  let timer: NodeJS.Timeout | undefined;
  const inTurn = createTurns();

  function rowOf(component: string, minuteMs: number): sql.MinuteRow {
    const name = `${component} ${minuteMs}`;
    let row = held.get(name);
    if (!row) {
      row = { minute: new Date(minuteMs), component, probes: 0, probes_failed: 0, requests: 0, errors: 0 };
      held.set(name, row);
      if (held.size > MAX_HELD) held.delete(held.keys().next().value!);
    }
    return row;
  }

  function present(component: Component): sql.MinuteRow {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    return rowOf(component, Math.floor(clock().getTime() / MINUTE_MS) * MINUTE_MS);
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (held.size === 0) return;
    const rows = [...held.values()];
    held.clear();
    try {
      await sql.addMinutes(control, rows);
    } catch {
      for (const lost of rows) {
        const row = rowOf(lost.component, lost.minute.getTime());
        row.probes += lost.probes;
        row.probes_failed += lost.probes_failed;
        row.requests += lost.requests;
        row.errors += lost.errors;
      }
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    }
  }

  /** One flush at a time, so that no count is written twice. */
  const flush = () => inTurn(write);

  return {
    /** One of our own probes. */
    tried(component: Component, isUp: boolean) {
      const row = present(component);
      row.probes++;
      if (!isUp) row.probes_failed++;
    },
    /** A caller's request. */
    answered(component: Component, isError: boolean) {
      const row = present(component);
      row.requests++;
      if (isError) row.errors++;
    },
    flush,
  };
}
