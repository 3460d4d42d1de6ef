// Light, dark, or system theme, remembered in this browser.

type Theme = 'system' | 'light' | 'dark';
const SLOT = 'platbook.theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(SLOT);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(SLOT);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(SLOT, theme);
    document.documentElement.dataset.theme = theme;
  }
  window.dispatchEvent(new Event('platbook:theme'));
}

/** The computed value of a CSS color variable. The map can't read CSS variables itself. */
export function colorOf(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
