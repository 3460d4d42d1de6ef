// The top bar: navigation, sandbox or live mode, theme, and sign-in.
import { useState } from 'react';
import { useCaller } from './caller.tsx';
import { Link, navigate } from './router.tsx';
import { signOut } from './session.ts';
import { Icon, Mark } from './ui/icons.tsx';
import { applyTheme, storedTheme } from './ui/theme.ts';

const NAV_LINKS = [
  ['/explore', 'Explore'],
  ['/areas', 'Areas'],
  ['/accuracy', 'Accuracy'],
  ['/coverage', 'Coverage'],
  ['/pricing', 'Pricing'],
  ['/dashboard', 'Dashboard'],
] as const;

export function Topbar({ path }: { path: string }) {
  const { isReady, isGuest, session, leave } = useCaller();
  const [isOpen, setOpen] = useState(false);
  const exit = async () => {
    // Leave pages that load private data before signing out, so in-flight requests are aborted rather than rejected.
    navigate('/');
    leave();
    if (session) await signOut();
  };
  return (
    <header className="topbar">
      <button
        type="button"
        className="icon-button menu-button"
        aria-label="Menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" />
      </button>
      <Link href="/" className="brand" aria-label="Platbook home">
        <Mark />
        <span>Platbook</span>
      </Link>
      <nav className={`topnav ${isOpen ? 'open' : ''}`} aria-label="Main" onClick={() => setOpen(false)}>
        {NAV_LINKS.map(([href, name]) => (
          <Link key={href} href={href} aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
        <a href="/docs">Docs</a>
        <a href="/status">Status</a>
      </nav>
      <div className="topbar-end">
        {isReady && <ModeSwitch />}
        <ThemeButton />
        {!isReady ? null : !isGuest ? (
          <button
            type="button"
            className="icon-button"
            onClick={() => void exit()}
            aria-label="Sign out"
            title="Sign out"
          >
            <Icon name="out" />
          </button>
        ) : (
          <>
            <Link href="/sign-in" className="button quiet small">
              Sign in
            </Link>
            <Link href="/sign-up" className="button primary small">
              Sign up
            </Link>
          </>
        )}
      </div>
    </header>
  );
}

function ModeSwitch() {
  const { credential, mode, setMode } = useCaller();
  if (credential?.kind === 'guest') {
    return (
      <span
        className="badge warn sandbox-badge"
        title="An invented market with invented people. Sign up to see real places."
      >
        Sandbox
      </span>
    );
  }
  if (credential?.kind === 'key') {
    return <span className={`badge ${mode === 'live' ? 'good' : 'warn'}`}>{mode === 'live' ? 'Live' : 'Sandbox'}</span>;
  }
  return (
    <div className="mode" role="group" aria-label="Mode">
      <button type="button" aria-pressed={mode === 'test'} onClick={() => setMode('test')}>
        Sandbox
      </button>
      <button type="button" aria-pressed={mode === 'live'} onClick={() => setMode('live')}>
        Live
      </button>
    </div>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  const change = () => {
    const next = isDark ? 'light' : 'dark';
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      className="icon-button"
      onClick={change}
      aria-label={isDark ? 'Switch to light theme' : 'Switch to dark theme'}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}
