// The command palette (⌘K): every page, section, guide and operation by a few letters, and ids, addresses and places as
// they are pasted.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useCaller } from '../caller.tsx';
import { hrefOfSection, SECTION_NAMES, SECTIONS } from '../page-paths.ts';
import { navigate } from '../router.tsx';

interface Command {
  name: string;
  place: string;
  href: string;
  /** Outside of the app: docs and status are pages of their own. */
  isOther?: boolean;
}

const PAGES: Command[] = [
  { name: 'Explore', place: 'Page', href: '/explore' },
  { name: 'Accuracy', place: 'Page', href: '/accuracy' },
  { name: 'Coverage', place: 'Page', href: '/coverage' },
  { name: 'Pricing', place: 'Page', href: '/pricing' },
  { name: 'Docs', place: 'Page', href: '/docs', isOther: true },
  { name: 'API reference', place: 'Page', href: '/docs/reference', isOther: true },
  { name: 'Changelog', place: 'Page', href: '/docs/changelog', isOther: true },
  { name: 'Status', place: 'Page', href: '/status', isOther: true },
];
const SHOWN = 9;

/** Pasted text tells by its form where it belongs. */
function readPasted(text: string): Command[] {
  if (/^req_\w+$/.test(text))
    return [{ name: `Request ${text}`, place: 'Request log', href: `/dashboard/requests?request_id=${text}` }];
  if (/^prop_\w+$/.test(text) || /^\d{5}:\S+$/.test(text))
    return [{ name: `Property ${text}`, place: 'Property', href: `/p/${encodeURIComponent(text)}` }];
  if (/^\d{5}$/.test(text)) return [{ name: `Homes in ${text}`, place: 'Explore', href: `/explore?zip=${text}` }];
  return [];
}

function isMatch({ name, place }: Command, words: string[]): boolean {
  const own = `${name} ${place}`.toLowerCase().split(/[^a-z0-9]+/);
  return words.every((word) => own.some((each) => each.startsWith(word)));
}

/** The docs' own index, read once, when it is first needed. */
function useDocs(isWanted: boolean): Command[] {
  const [docs, setDocs] = useState<Command[]>([]);
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isWanted || isAsked.current) return;
    isAsked.current = true;
    fetch('/docs/search.json')
      .then((response) => response.json() as Promise<{ title: string; place: string; href: string }[]>)
      .then((entries) =>
        setDocs(
          entries.map(({ title, place, href }) => ({ name: title, place: place || 'Docs', href, isOther: true })),
        ),
      )
      .catch(() => {});
  }, [isWanted]);
  return docs;
}

export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((value) => !value);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return isOpen ? <OpenPalette onClose={() => setOpen(false)} /> : null;
}

function OpenPalette({ onClose }: { onClose: () => void }) {
  const { isGuest, session } = useCaller();
  const element = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const text = typed.trim();
  const docs = useDocs(text.length > 1);
  useEffect(() => element.current?.showModal(), []);
  const own = useMemo(() => {
    const isOperator = session?.user.is_operator ?? false;
    const sections = isGuest ? [] : SECTIONS.filter((id) => id !== 'counties' || isOperator);
    return [
      ...sections.map((id) => ({ name: SECTION_NAMES[id], place: 'Dashboard', href: hrefOfSection(id) })),
      ...PAGES,
    ];
  }, [isGuest, session]);
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const found = [
    ...readPasted(text),
    ...own.filter((command) => isMatch(command, words)),
    ...(words.length > 0 ? docs.filter((command) => isMatch(command, words)) : []),
  ].slice(0, SHOWN);
  const go = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (command.isOther) window.location.assign(command.href);
    else navigate(command.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(found[chosen]);
    }
  };
  return (
    <dialog
      ref={element}
      className="palette"
      aria-label="Go to"
      onCancel={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] && `palette-${chosen}`}
        aria-label="Go to"
        placeholder="Go to a page, a guide, a request or property ID, a ZIP"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        {found.map((command, index) => (
          <li
            key={`${command.href} ${command.name}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(command)}
            onMouseMove={() => setChosen(index)}
          >
            <span>{command.name}</span>
            <span className="fine">{command.place}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="fine palette-none">No matches</p>}
    </dialog>
  );
}
