// Long computations in steps, so that a process can serve requests between them.

/** Yields often enough that no step takes more than some ten milliseconds. */
export type Steps<Result> = Generator<undefined, Result>;

/** All of it at once. */
export function complete<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
