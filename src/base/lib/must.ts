// Values that the code around a read has made sure of. A mistake in that is told here, not as a TypeError further on.

export function must<Value>(value: Value | null | undefined, what: string): Value {
  if (value == null) throw new Error(`There is no ${what}.`);
  return value;
}

/** Of a list that has at least one item. */
export function lastOf<Item>(items: ArrayLike<Item>): Item {
  if (items.length === 0) throw new Error('The list is empty.');
  return items[items.length - 1];
}

/** Of a map or a cache that is known to hold the key. */
export function entryOf<Key, Value>(map: { get(key: Key): Value | undefined }, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`There is no entry ${String(key)}.`);
  return value;
}
