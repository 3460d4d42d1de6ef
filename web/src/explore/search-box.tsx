// Address search with suggestions as you type. Enter looks up the full text.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { ApiProblem, queryOf, type Page } from '../api.ts';
import { useCall } from '../caller.tsx';
import type { Property, Suggestion } from '../types.ts';
import { Icon } from '../ui/icons.tsx';

const WAIT_MS = 140;

export function SearchBox({ onFound, example }: { onFound: (propertyId: string) => void; example?: string }) {
  const call = useCall();
  const [text, setText] = useState('');
  const [options, setOptions] = useState<Suggestion[]>([]);
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const [message, setMessage] = useState('');
  const listId = useId();
  const chosen = useRef('');

  useEffect(() => {
    const typed = text.trim();
    if (typed.length < 3 || typed === chosen.current) {
      setOptions([]);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      call<Page<Suggestion>>(`properties/autocomplete${queryOf({ q: typed })}`, { signal: abort.signal }).then(
        (page) => {
          setOptions(page.data);
          setActive(-1);
          setOpen(true);
        },
        () => setOptions([]),
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, call]);

  const choose = (option: Suggestion) => {
    // A street without a number is only part of an address, so fill it in and keep suggesting.
    if (option.property_id === null) {
      setText(`${option.address} `);
      return;
    }
    chosen.current = option.address;
    setText(option.address);
    setOpen(false);
    setMessage('');
    onFound(option.property_id);
  };
  const lookUp = async () => {
    setOpen(false);
    setMessage('Searching…');
    try {
      const found = await call<Property>(`properties/lookup${queryOf({ address: text.trim() })}`);
      setMessage('');
      onFound(found.id);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      const { detail, candidates, suggestions } = error.problem;
      setMessage(detail);
      const others = (candidates ?? suggestions ?? []) as Suggestion[];
      setOptions(others);
      setOpen(others.length > 0);
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(options.length > 0);
      setActive((now) => (now + step + options.length + (now < 0 && step < 0 ? 1 : 0)) % Math.max(1, options.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen && options[active]) choose(options[active]);
      else if (text.trim() !== '') void lookUp();
    } else if (event.key === 'Escape') setOpen(false);
  };
  const isShown = isOpen && options.length > 0;
  return (
    <div className="search-box">
      <Icon name="search" />
      <input
        type="search"
        role="combobox"
        aria-label="Search by address"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        placeholder={example ?? 'Search an address'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onFocus={() => setOpen(options.length > 0)}
      />
      <ul id={listId} role="listbox" aria-label="Addresses" hidden={!isShown}>
        {options.map((option, index) => (
          <li
            key={option.property_id ?? option.address}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
          >
            <Icon name="pin" size={15} />
            {option.address}
          </li>
        ))}
      </ul>
      <p className="search-message fine" role="status">
        {message}
      </p>
    </div>
  );
}
