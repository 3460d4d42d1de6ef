// Redacts people from the change feed for readers without the owners scope. Pure.
import MEMBERS from './personal-members.json' with { type: 'json' };

const PERSONAL = new Set(MEMBERS);

export function redactPeople<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(redactPeople) as Value;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !PERSONAL.has(name))
      .map(([name, member]) => [name, redactPeople(member)]),
  ) as Value;
}
