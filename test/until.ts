// Polls for a condition; generous, because a busy machine is slow and an early success costs nothing.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 180_000;

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, `did not come true: ${isTrue}`);
    await sleep(20);
  }
}
