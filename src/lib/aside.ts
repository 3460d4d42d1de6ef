// Work that goes on while something else is done.

/** Its failure is thrown where it is awaited and not before, which would end the process. */
export function aside<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
