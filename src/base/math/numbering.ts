// Numbers for names, from 0 on in the order in which the names come.

/** The number of a name, which is the next one where it has none yet. */
export function numberOf<Name>(numbers: Map<Name, number>, name: Name): number {
  const known = numbers.get(name) ?? numbers.size;
  if (known === numbers.size) numbers.set(name, known);
  return known;
}
