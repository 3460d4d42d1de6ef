// Search: a dialog over every section, operation and error. The index is loaded when it is first opened.
const SHOWN = 12;
const dialog = document.createElement('dialog');
dialog.className = 'finder';
dialog.setAttribute('aria-label', 'Search the docs');
dialog.innerHTML = `<input type="search" role="combobox" aria-expanded="true" aria-controls="found" aria-label="Search the docs"
  placeholder="Search guides, operations, and errors" autocomplete="off" spellcheck="false">
<ul id="found" role="listbox" aria-label="Results"></ul><p class="hint" role="status"></p>`;
document.body.append(dialog);
const [field, list, hint] = dialog.children;
let entries;
let chosen = 0;

async function openFinder() {
  if (dialog.open) return;
  dialog.showModal();
  field.select();
  try {
    entries ??= (await (await fetch('/docs/search.json')).json()).map((entry) => ({
      ...entry,
      names: wordsOf(entry.title),
      words: wordsOf(`${entry.place} ${entry.text}`),
    }));
  } catch {
    hint.textContent = 'The search could not be loaded. Check your connection and try again.';
    return;
  }
  showMatches();
}

function wordsOf(text) {
  return text
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .filter(Boolean);
}

/** Every word must begin a word of the entry. A word of the title counts more than one of the text, and a whole word more than its beginning. */
function scoreOf(entry, asked) {
  let score = 0;
  for (const word of asked) {
    const best = Math.max(scoreIn(entry.names, word, 8), scoreIn(entry.words, word, 2));
    if (best === 0) return 0;
    score += best;
  }
  return score + (entry.place === '' ? 3 : 0) - entry.names.length / 20;
}

function scoreIn(words, asked, weight) {
  let best = 0;
  for (const word of words) if (word.startsWith(asked)) best = Math.max(best, word === asked ? weight * 1.5 : weight);
  return best;
}

function showMatches() {
  const asked = wordsOf(field.value);
  const found =
    asked.length === 0
      ? []
      : entries
          .map((entry) => [scoreOf(entry, asked), entry])
          .filter(([score]) => score > 0)
          .sort(([a], [b]) => b - a);
  chosen = 0;
  list.replaceChildren(
    ...found.slice(0, SHOWN).map(([, entry], index) => {
      const item = document.createElement('li');
      item.id = `found-${index}`;
      item.setAttribute('role', 'option');
      // An option must not contain a link: it is one itself.
      item.dataset.href = entry.href;
      for (const [tag, text] of [
        ['strong', entry.title],
        ['small', entry.place],
        ['span', entry.text],
      ]) {
        const part = document.createElement(tag);
        part.textContent = text;
        if (text) item.append(part);
      }
      return item;
    }),
  );
  hint.textContent = asked.length === 0 ? '' : found.length === 0 ? `No results for “${field.value.trim()}”.` : '';
  mark();
}

function mark() {
  [...list.children].forEach((item, index) => {
    item.setAttribute('aria-selected', String(index === chosen));
    if (index === chosen) item.scrollIntoView({ block: 'nearest' });
  });
  if (list.children[chosen]) field.setAttribute('aria-activedescendant', `found-${chosen}`);
  else field.removeAttribute('aria-activedescendant');
}

field.addEventListener('input', () => entries && showMatches());
field.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && list.children.length > 0) {
    event.preventDefault();
    chosen = (chosen + step + list.children.length) % list.children.length;
    mark();
  }
  if (event.key === 'Enter') list.children[chosen]?.click();
});
list.addEventListener('click', (event) => {
  const item = event.target.closest('li');
  if (!item) return;
  // A place on the same page leaves the dialog open otherwise.
  dialog.close();
  window.location.assign(item.dataset.href);
});
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
document.querySelector('.search').addEventListener('click', openFinder);
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  if (!isAsked) return;
  event.preventDefault();
  void openFinder();
});
