// Asserts values that the surrounding code guarantees, so a mistake fails here rather than as a later TypeError.

export function must<Value>(value: Value | null | undefined, what: string): Value {
  if (value == null) throw new Error(`There is no ${what}.`);
  return value;
}

/** The last item of a nonempty list. */
export function lastOf<Item>(items: ArrayLike<Item>): Item {
  if (items.length === 0) throw new Error('The list is empty.');
  return items[items.length - 1];
}

/** The value of a key known to be in a map or cache. */
export function entryOf<Key, Value>(map: { get(key: Key): Value | undefined }, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`There is no entry ${String(key)}.`);
  return value;
}
