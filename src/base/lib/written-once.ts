// JSON serialized once and copied to each place it occurs in an answer: most homes of a page share layer values.

/** Placeholder for a part until the answer is complete. It is unique because neither requests nor records may contain
    NUL. */
const PLACE = '\0';
const PLACE_JSON = JSON.stringify(PLACE);
/** The parts of the answer that is being written, in order. */
let parts: string[] | undefined;

export class WrittenOnce {
  #json: string | undefined;

  constructor(members: object) {
    Object.assign(this, members);
  }

  /** `JSON.stringify` passes the member's name; a schema-based serializer passes none, and reads the members. */
  toJSON(name?: string): unknown {
    if (!parts || name === undefined) return { ...this };
    parts.push((this.#json ??= JSON.stringify({ ...this })));
    return PLACE;
  }
}

export function writeJson(stringify: () => string): string {
  const placed: string[] = (parts = []);
  try {
    const [start, ...between] = stringify().split(PLACE_JSON);
    return between.reduce((text, next, at) => text + placed[at] + next, start);
  } finally {
    parts = undefined;
  }
}
