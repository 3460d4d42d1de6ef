// Starts work that runs while something else is done.

/** A rejection is thrown where the promise is awaited, instead of ending the process as unhandled before that. */
export function deferRejection<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
