// Waits for something that happens by itself; generous, because a busy machine takes its time and a wait that ends early costs nothing.
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
