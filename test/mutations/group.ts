// What a mutation is: a line that is broken on purpose, with the tests that should notice.

export interface Mutation {
  /** Occurs exactly once in its file (test/repo/mutations.test.ts). */
  find: string;
  replace: string;
  /** What a customer or an operator would see. */
  breaks: string;
}

export interface Group {
  file: string;
  /** Nearest first: the rest is run only if these pass. */
  tests: string[];
  mutations: Mutation[];
}

type Line = [find: string, replace: string, breaks: string];

export function group(file: string, tests: string[], lines: Line[]): Group {
  return { file, tests, mutations: lines.map(([find, replace, breaks]) => ({ find, replace, breaks })) };
}
