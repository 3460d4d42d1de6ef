// Fills the reader's own test key into the snippets, and runs those in curl against this server: as a guest of the sandbox
// until there is a key. Key and answers stay in this tab.

/** Where the explorer and the dashboard keep the key of the tab. */
const KEY = 'platbook.key';
const ANSWER = 'platbook.docs.answer';
const SHOWN_CHARACTERS = 20_000;

/** Live keys are not used here: what a snippet does should cost nothing. */
const isTest = (key) => key.startsWith('sk_test_');
const keyOf = () => [sessionStorage.getItem(KEY) ?? ''].find(isTest) ?? '';

for (const [index, panel] of [...document.querySelectorAll('.panel[data-run][data-language=sh]')].entries()) {
  const place = `${ANSWER} ${location.pathname} ${index}`;
  const request = readCurl(panel.querySelector('code').textContent);
  if (!request) continue;
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

  const show = ({ status, milliseconds, text }) => {
    note.textContent = `${status} · ${milliseconds} ms`;
    answer.textContent = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n… and more` : text;
    answer.hidden = false;
  };
  const last = sessionStorage.getItem(place);
  if (last) show(JSON.parse(last));

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
      const text = format(await response.text());
      const kept = { status: response.status, milliseconds: Math.round(performance.now() - started), text };
      show(kept);
      if (text.length <= SHOWN_CHARACTERS) sessionStorage.setItem(place, JSON.stringify(kept));
    } catch {
      note.textContent = 'No answer. Check your connection and try again.';
    }
    button.disabled = false;
  });
  field.addEventListener('change', () => setKey(field.value.trim()));
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

/** The request that a snippet's one curl command makes; undefined for what a page cannot do, such as a file upload. */
function readCurl(script) {
  const commands = script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() && !line.trim().startsWith('#'));
  const words = commands.length === 1 ? splitWords(commands[0]) : [];
  if (words[0] !== 'curl' || words.includes('|') || words.some((word) => /^>|\$\(/.test(word))) return undefined;
  const request = { method: undefined, url: undefined, headers: {}, body: undefined };
  const data = [];
  let isGet = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (['-s', '-sS', '-i', '--fail-with-body', '--silent'].includes(word)) continue;
    if (word === '--get' || word === '-G') isGet = true;
    else if (word === '-X') request.method = words[++at];
    else if (word === '-H') {
      const [name, ...value] = words[++at].split(':');
      if (name.toLowerCase() !== 'x-api-key') request.headers[name] = value.join(':').trim();
    } else if (word === '-d' || word === '--data') data.push(words[++at]);
    else if (word === '--data-urlencode') {
      const [name, ...value] = words[++at].split('=');
      data.push(`${name}=${encodeURIComponent(value.join('='))}`);
    } else if (word.startsWith('$PLATBOOK_URL')) request.url = word.slice('$PLATBOOK_URL'.length);
    else return undefined;
  }
  if (!request.url || data.some((each) => each.startsWith('@'))) return undefined;
  if (isGet && data.length > 0) request.url += `?${data.join('&')}`;
  else if (data.length > 0) request.body = data.join('&');
  request.method ??= request.body === undefined ? 'GET' : 'POST';
  return request;
}

/** As a shell does it: double quotes around words with spaces, single quotes around JSON. */
function splitWords(line) {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, a, b) => a ?? b),
  );
}
