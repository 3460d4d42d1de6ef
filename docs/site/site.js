// Interactive parts of the docs: language tabs, copy buttons, the page list on phones, and the theme switch.
const LANGUAGE = 'platbook.docs.language';

for (const code of document.querySelectorAll('.code')) {
  const bar = code.querySelector('.code-bar');
  const panels = [...code.querySelectorAll('.panel')];
  if (panels.length > 1) addTabs(code, bar, panels);
  addCopy(bar, () => panels.find((panel) => !panel.hidden).querySelector('code').textContent);
}

function addTabs(code, bar, panels) {
  const list = document.createElement('div');
  list.className = 'tabs';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = panel.dataset.label;
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => choose(panel.dataset.language, code));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', panel.dataset.label);
    list.append(tab);
    return tab;
  });
  bar.append(list);
  show(code, panels[0].dataset.language);
}

function show(code, language) {
  const panels = [...code.querySelectorAll('.panel')];
  const chosen = panels.findIndex((panel) => panel.dataset.language === language);
  if (chosen < 0 || panels.length < 2) return;
  panels.forEach((panel, index) => (panel.hidden = index !== chosen));
  code.querySelectorAll('[role=tab]').forEach((tab, index) => {
    tab.setAttribute('aria-selected', String(index === chosen));
    tab.tabIndex = index === chosen ? 0 : -1;
  });
}

/** One choice applies to every block and page. Scrolls so the clicked block stays where it was on screen. */
function choose(language, clicked) {
  const before = clicked?.getBoundingClientRect().top;
  for (const code of document.querySelectorAll('.code')) show(code, language);
  if (clicked) window.scrollBy(0, clicked.getBoundingClientRect().top - before);
  localStorage.setItem(LANGUAGE, language);
}
const language = localStorage.getItem(LANGUAGE);
if (language) for (const code of document.querySelectorAll('.code')) show(code, language);

function addCopy(bar, read) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(read());
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  bar.append(button);
}

const menu = document.querySelector('.menu');
menu?.addEventListener('click', () => {
  const isOpen = document.documentElement.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && document.documentElement.classList.contains('menu-open')) menu.click();
});

document.querySelector('.theme').addEventListener('click', () => {
  const root = document.documentElement;
  const isDark =
    root.dataset.theme === 'dark' || (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('platbook.theme', root.dataset.theme);
});

// Highlight the current section in the table of contents.
const links = new Map([...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(
  (entries) => {
    const entry = entries.find(({ isIntersecting }) => isIntersecting);
    if (!entry) return;
    for (const link of links.values()) link.removeAttribute('aria-current');
    links.get(entry.target.id)?.setAttribute('aria-current', 'true');
  },
  { rootMargin: '-70px 0px -70% 0px' },
);
for (const id of links.keys()) seen.observe(document.getElementById(id));
