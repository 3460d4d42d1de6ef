// State that survives a reload of the page: what someone is in the middle of typing.
import { useCallback, useState } from 'react';

export function useKept<Value>(slot: string, initial: Value): [Value, (value: Value | undefined) => void] {
  const [held, setHeld] = useState<{ slot: string; value: Value }>();
  const read = (): Value => {
    const text = sessionStorage.getItem(slot);
    return text === null ? initial : (JSON.parse(text) as Value);
  };
  const value = held?.slot === slot ? held.value : read();
  const set = useCallback(
    (next: Value | undefined) => {
      if (next === undefined) sessionStorage.removeItem(slot);
      else sessionStorage.setItem(slot, JSON.stringify(next));
      setHeld(next === undefined ? undefined : { slot, value: next });
    },
    [slot],
  );
  return [value, set];
}
