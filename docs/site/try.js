// Shows what the sandbox answers to the snippets in curl, fills the reader's own test key into them, and runs them against
// this server: as a guest of the sandbox until there is a key. Key and answers stay in this tab.

/** Where the explorer and the dashboard keep the key of the tab. */
const KEY = 'platbook.key';
const ANSWER = 'platbook.docs.answer';
const SHOWN_CHARACTERS = 20_000;

/** Live keys are not used here: what a snippet does should cost nothing. */
const isTest = (key) => key.startsWith('sk_test_');
const keyOf = () => [sessionStorage.getItem(KEY) ?? ''].find(isTest) ?? '';

const panels = [...document.querySelectorAll('.panel[data-request]')].map(addBar);
if (panels.some(({ hasAnswer }) => !hasAnswer())) {
  const recorded = await fetch(document.querySelector('link[rel=answers]').href)
    .then((response) => (response.ok ? response.json() : {}))
    .catch(() => ({}));
  for (const { asked, hasAnswer, show } of panels)
    if (recorded[asked] && !hasAnswer()) show(recorded[asked], 'from the sandbox');
}

function addBar(panel, index) {
  const place = `${ANSWER} ${location.pathname} ${index}`;
  const asked = panel.dataset.request;
  const request = JSON.parse(asked);
  const bar = document.createElement('div');
  bar.className = 'try';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Run';
  const field = document.createElement('input');
  field.placeholder = 'sk_test_…';
  field.value = keyOf();
  field.setAttribute('aria-label', 'Your test key');
  field.autocomplete = 'off';
  field.spellcheck = false;
  const note = document.createElement('span');
  note.setAttribute('role', 'status');
  const answer = document.createElement('pre');
  answer.tabIndex = 0;
  answer.setAttribute('role', 'region');
  answer.setAttribute('aria-label', 'Answer');
  answer.hidden = true;
  bar.append(button, field, note);
  panel.append(bar, answer);

  const show = ({ status, text }, from) => {
    const shown = format(text);
    note.textContent = `${status} · ${from}`;
    answer.textContent = shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}\n… and more` : shown;
    answer.hidden = false;
  };
  const last = sessionStorage.getItem(place);
  if (last) show(JSON.parse(last), 'your last answer');

  button.addEventListener('click', async () => {
    button.disabled = true;
    note.textContent = 'Running …';
    const started = performance.now();
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers: { ...request.headers, ...(keyOf() ? { 'x-api-key': keyOf() } : { 'x-platbook-mode': 'guest' }) },
        body: request.body,
        credentials: 'omit',
      });
      const kept = { status: response.status, text: await response.text() };
      show(kept, `${Math.round(performance.now() - started)} ms`);
      if (kept.text.length <= SHOWN_CHARACTERS) sessionStorage.setItem(place, JSON.stringify(kept));
    } catch {
      note.textContent = 'No answer. Check your connection and try again.';
    }
    button.disabled = false;
  });
  field.addEventListener('change', () => setKey(field.value.trim()));
  return { asked, hasAnswer: () => !answer.hidden, show };
}

function setKey(key) {
  if (isTest(key)) sessionStorage.setItem(KEY, key);
  for (const field of document.querySelectorAll('.try input')) {
    field.value = isTest(key) ? key : '';
    field.nextSibling.textContent = key && !isTest(key) ? 'Only test keys (sk_test_…) are used here.' : '';
  }
  fillIn();
}

/** The sentence that sets the environment shows the key, so that copying it is all there is to do. */
function fillIn() {
  for (const code of document.querySelectorAll('pre code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      node.original ??= node.data;
      if (node.original.includes('sk_test_…'))
        node.data = node.original.replaceAll('sk_test_…', keyOf() || 'sk_test_…');
    }
  }
}
if (keyOf()) fillIn();

function format(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
