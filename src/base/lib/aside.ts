// Starts work that continues while something else is done.

/** A failure is thrown where the promise is awaited, not earlier as an unhandled rejection that ends the process. */
export function aside<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
