// Trims an answer to a size an agent can read: items from the end of its lists first, then members marked expendable.
// The answer reports the truncation, and a cursor continues after the last item shown.

export const MAX_ANSWER_BYTES = 20_000;

type Json = Record<string, unknown>;

/** How a tool's answer may be trimmed. Paths use dots. */
export interface Cut {
  /** The one list that a cursor pages through. */
  paged?: string;
  /** Other lists that may lose items from the end. */
  lists?: readonly string[];
  /** Members that may be dropped entirely, in this order. */
  expendable?: readonly string[];
}

/** `skip` items of the paged list were in earlier answers, and `left` remain for the next. `weigh` returns the size of
    the finished answer in bytes. */
export function fit(body: Json, cut: Cut, skip: number, weigh: (body: Json) => number) {
  const fitted = structuredClone(body);
  const pagedList = cut.paged === undefined ? undefined : findList(fitted, cut.paged);
  pagedList?.splice(0, skip);
  const total = pagedList?.length ?? 0;
  const omitted: Record<string, number> = {};
  const isTooBig = () => weigh(mark(fitted, omitted, total - (pagedList?.length ?? 0))) > MAX_ANSWER_BYTES;

  for (const path of cut.lists ?? []) {
    const items = findList(fitted, path) ?? [];
    for (let count = items.length; count > 0 && isTooBig(); count = items.length) {
      const dropped = Math.ceil(count / 3);
      items.splice(count - dropped);
      omitted[path] = (omitted[path] ?? 0) + dropped;
    }
  }
  for (const path of cut.expendable ?? []) {
    if (isTooBig() && dropMember(fitted, path)) omitted[path] = 1;
  }
  // One item always stays: an empty answer whose cursor points to itself would never end.
  for (let count = pagedList?.length ?? 0; count > 1 && isTooBig(); count--) pagedList?.pop();
  const left = total - (pagedList?.length ?? 0);
  return { body: mark(fitted, omitted, left), left };
}

function mark(body: Json, omitted: Record<string, number>, left: number): Json {
  const isCut = left > 0 || Object.keys(omitted).length > 0;
  return { ...body, truncated: isCut, ...(Object.keys(omitted).length > 0 && { omitted: { ...omitted } }) };
}

/** The value at the end of a path; undefined if there is none. */
export const memberAt = (body: unknown, steps: string[]): unknown =>
  steps.reduce<unknown>((at, step) => (at as Json | null | undefined)?.[step], body);

export function findList(body: Json, path: string): unknown[] | undefined {
  const found = memberAt(body, path.split('.'));
  return Array.isArray(found) ? found : undefined;
}

function dropMember(body: Json, path: string): boolean {
  const steps = path.split('.');
  const last = steps.pop()!;
  const holder = memberAt(body, steps) as Json | null | undefined;
  return holder?.[last] !== undefined && delete holder[last];
}

/** Where an answer ended: the REST page it came from, and how many of that page's items have been shown. */
export interface Position {
  cursor: string | undefined;
  skip: number;
}

export const encodePosition = ({ cursor, skip }: Position): string =>
  skip === 0 && cursor !== undefined ? cursor : `${skip}~${cursor ?? ''}`;

/** REST cursors are base64url and never contain `~`. */
export function decodePosition(text: string | undefined): Position {
  if (text === undefined) return { cursor: undefined, skip: 0 };
  const match = /^(\d{1,6})~(.*)$/.exec(text);
  return match ? { cursor: match[2] || undefined, skip: Number(match[1]) } : { cursor: text, skip: 0 };
}
