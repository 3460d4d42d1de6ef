// Picks members of an object by name, and maps their values.

export const pick = <Whole, Name extends keyof Whole>(whole: Whole, names: readonly Name[]): Pick<Whole, Name> =>
  Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;

/** The same members, each with another value. */
export const mapValues = <Name extends string, Value, Other>(
  members: Readonly<Record<Name, Value>>,
  change: (value: Value, name: Name) => Other,
): Record<Name, Other> =>
  Object.fromEntries(
    Object.entries<Value>(members).map(([name, value]) => [name, change(value, name as Name)]),
  ) as Record<Name, Other>;
