// Numbers names from 0 in order of first appearance.

/** The number of a name; assigns the next one if it is new. */
export function numberOf<Name>(numbers: Map<Name, number>, name: Name): number {
  const known = numbers.get(name) ?? numbers.size;
  if (known === numbers.size) numbers.set(name, known);
  return known;
}
