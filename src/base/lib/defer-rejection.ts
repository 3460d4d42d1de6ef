// Starts work that is awaited later.

/** A rejection surfaces where the promise is awaited, instead of ending the process as unhandled before that. */
export function deferRejection<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
