// Removes what changes say about people, for readers who may not see it. Pure.

const PERSONAL = new Set([
  'names',
  'owner_names',
  'owners',
  'buyers',
  'sellers',
  'grantors',
  'grantees',
  'mailing_address',
  'owner_type',
  'owner_occupied',
]);

export function withoutPeople<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutPeople) as Value;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !PERSONAL.has(name))
      .map(([name, member]) => [name, withoutPeople(member)]),
  ) as Value;
}
