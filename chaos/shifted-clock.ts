// Preloaded into every process of the campaign: the wall clock of this process is as far off as the file named in
// CHAOS_CLOCK says. Timers are not affected, just as with a real clock that is set.
import { readFileSync } from 'node:fs';

const file = process.env.CHAOS_CLOCK!;
const RealDate = Date;
let offsetMs = readOffset();
setInterval(() => (offsetMs = readOffset()), 100).unref();

function readOffset(): number {
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0;
  }
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + offsetMs] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + offsetMs).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, name, receiver),
});
