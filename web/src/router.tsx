// A minimal router. The URL is the state, and links update it without reloading the page.
import { useEffect, useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from 'react';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (options.replace) window.history.replaceState(null, '', to);
  else window.history.pushState(null, '', to);
  for (const listener of listeners) listener();
  if (!options.replace) window.scrollTo(0, 0);
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** The URL's query and a function that updates parts of it. Empty values are removed. */
export function useQuery(): [URLSearchParams, (changes: Record<string, string | undefined>) => void] {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  const change = (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(`${window.location.pathname}${text ? `?${text}` : ''}`, { replace: true });
  };
  return [new URLSearchParams(search), change];
}

/** Matching `/p/:id` against `/p/prop_1` returns `{ id: 'prop_1' }`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(given[index]);
    else if (part !== given[index]) return undefined;
  }
  return found;
}

export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || rest.target) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Platbook' : `${title} · Platbook`;
  }, [title]);
}
