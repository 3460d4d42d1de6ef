// JSON that is written once and copied to wherever it stands in an answer: most homes of a page share what layers say.

/** Keeps a part's place until the answer is whole. No other text is NUL: neither requests nor records may hold one. */
const PLACE = '\0';
const PLACE_JSON = JSON.stringify(PLACE);
/** The parts of the answer that is being written, in order. */
let parts: string[] | undefined;

export class WrittenOnce {
  #json: string | undefined;

  constructor(members: object) {
    Object.assign(this, members);
  }

  /** `JSON.stringify` gives the member's name; a serializer that follows a shape gives none, and reads the members. */
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
