// Who is using the app (a signed-in user, a pasted key or a guest) and in which mode. The one source of this for every page.
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { call, type CallOptions, type Credential, type Mode } from './api.ts';
import { readSession, type Session } from './session.ts';

const KEY_SLOT = 'platbook.key';
const MODE_SLOT = 'platbook.mode';

interface Caller {
  /** False until the session has been checked once. */
  isReady: boolean;
  session: Session | undefined;
  /** Undefined until it is known whether someone is signed in. */
  credential: Credential | undefined;
  /** Nobody is signed in, and no key was pasted. */
  isGuest: boolean;
  mode: Mode;
  setMode(mode: Mode): void;
  useKey(key: string): void;
  leave(): void;
  refresh(): Promise<Session | undefined>;
}

const CallerContext = createContext<Caller | undefined>(undefined);

/** A link may carry a key in `#key=…`, because browsers never send the fragment of a URL to a server. */
function takeKeyFromUrl(): string | undefined {
  const key = /^#key=(sk_\w+)$/.exec(window.location.hash)?.[1];
  if (key) {
    sessionStorage.setItem(KEY_SLOT, key);
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
  }
  return key ?? sessionStorage.getItem(KEY_SLOT) ?? undefined;
}

export function CallerProvider({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(takeKeyFromUrl);
  const [session, setSession] = useState<Session>();
  const [isReady, setReady] = useState(key !== undefined);
  const [chosenMode, setChosenMode] = useState<Mode>(() =>
    localStorage.getItem(MODE_SLOT) === 'live' ? 'live' : 'test',
  );

  const refresh = useCallback(async () => {
    const found = await readSession();
    if (found) {
      // Signing in overrides a key pasted earlier in this tab.
      sessionStorage.removeItem(KEY_SLOT);
      setKey(undefined);
    }
    setSession(found);
    setReady(true);
    return found;
  }, []);
  useEffect(() => {
    if (key === undefined) void refresh();
  }, [key, refresh]);

  const caller = useMemo<Caller>(() => {
    const isGuest = isReady && key === undefined && session === undefined;
    const mode = isGuest ? 'test' : key === undefined ? chosenMode : key.startsWith('sk_live_') ? 'live' : 'test';
    const credential = credentialOf(key, session && mode, isReady);
    return {
      isReady,
      session,
      credential,
      isGuest,
      mode,
      setMode(next) {
        localStorage.setItem(MODE_SLOT, next);
        setChosenMode(next);
      },
      useKey(next) {
        sessionStorage.setItem(KEY_SLOT, next);
        setKey(next);
      },
      leave() {
        sessionStorage.removeItem(KEY_SLOT);
        setKey(undefined);
        setSession(undefined);
      },
      refresh,
    };
  }, [key, session, isReady, chosenMode, refresh]);

  return <CallerContext value={caller}>{children}</CallerContext>;
}

function credentialOf(
  key: string | undefined,
  sessionMode: Mode | undefined,
  isReady: boolean,
): Credential | undefined {
  if (key !== undefined) return { kind: 'key', key };
  if (sessionMode) return { kind: 'session', mode: sessionMode };
  return isReady ? { kind: 'guest' } : undefined;
}

export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (!caller) throw new Error('useCaller must be used inside CallerProvider.');
  return caller;
}

/** Returns a function that calls the API with the current credentials. */
export function useCall(): <Answer>(path: string, options?: CallOptions) => Promise<Answer> {
  const { credential } = useCaller();
  return useCallback((path, options) => call(credential, path, options), [credential]);
}
