// The Excel half: custom functions, the task pane, and the steps of the core by fetch, memory and Office's storage.
// oxlint-disable no-unused-vars -- the host calls these functions by their names
const KEY_NAME = 'platbook-key';
/** Cells that are calculated together become one request. */
const GATHER_MS = 50;
const PATIENCE_MS = 300_000;
const answers = new Map();

const storage = () => globalThis.OfficeRuntime.storage;

async function carryOut(work) {
  const key = await storage().getItem(KEY_NAME);
  const perform = {
    request: (step) => requestSoon(key, step),
    sleep: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms)),
    // Answers of one key are not shown under another.
    recall: ({ names }) =>
      names.map((name) => {
        const entry = answers.get(`${key}:${name}`);
        return entry && entry.until > Date.now() ? entry.value : null;
      }),
    keep: ({ entries }) => {
      for (const { name, value, seconds } of entries)
        answers.set(`${key}:${name}`, { value, until: Date.now() + seconds * 1000 });
    },
  };
  let step = work.next();
  while (!step.done) step = work.next(await perform[step.value.do](step.value));
  return step.value;
}

async function requestSoon(key, { method, path, body, name }) {
  if (!key) return { status: 401, body: '{"code":"no_key"}' };
  try {
    const headers = { 'x-api-key': key };
    if (body) headers['content-type'] = 'application/json';
    if (name) headers['idempotency-key'] = name;
    const sent = body ? { method, headers, body } : { method, headers };
    const response = await fetch(`${PLATBOOK_SERVER}/api/v1${path}`, sent);
    const retryAfter = Number(response.headers.get('retry-after') || 0);
    return { status: response.status, body: await response.text(), retryAfter };
  } catch (error) {
    return {
      status: 0,
      body: JSON.stringify({ code: 'unreachable', detail: `Platbook cannot be reached: ${error.message}` }),
    };
  }
}

/** Calls of the last moment that wait to be asked together, by field. */
const waiting = new Map();

function field(addresses, name) {
  const rows = Array.isArray(addresses) ? addresses : [[addresses]];
  const wanted = String(name);
  return new Promise((resolve, reject) => {
    if (!waiting.has(wanted)) {
      waiting.set(wanted, []);
      setTimeout(() => askTogether(wanted), GATHER_MS);
    }
    waiting.get(wanted).push({ rows, resolve, reject });
  });
}

async function askTogether(name) {
  const calls = waiting.get(name);
  waiting.delete(name);
  try {
    const cells = await carryOut(
      Platbook.fill(
        calls.flatMap(({ rows }) => rows),
        name,
        PATIENCE_MS,
      ),
    );
    let at = 0;
    for (const { rows, resolve } of calls) resolve(cells.slice(at, (at += rows.length)));
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

const value = (addresses) => field(addresses, 'estimated_value');

/** The selected range as rows, and the column to its right. */
const withSelection = (work) =>
  Excel.run(async (context) => {
    const range = context.workbook.getSelectedRange();
    range.load('values');
    const target = range.getColumnsAfter(1);
    target.load('values, address');
    await context.sync();
    const result = await work(range.values, target);
    await context.sync();
    return result;
  });

/** What filling the column beside the selection would cost, in words. */
const priceSelection = (name) =>
  withSelection(async (rows, target) => {
    const { words } = await carryOut(Platbook.price(rows, name));
    const taken = target.values.filter(([cell]) => cell !== '').length;
    return taken > 0
      ? `${words} ${taken} cells in ${target.address} have something in them and are overwritten.`
      : words;
  });

const fillSelection = (name) =>
  withSelection(async (rows, target) => {
    target.values = await carryOut(Platbook.fill(rows, name, PATIENCE_MS));
    return `Filled ${target.address}.`;
  });

/** The task pane: the key, and a column that is filled after its price was shown. */
function startPane() {
  const at = (id) => document.getElementById(id);
  const say = (words) => (at('said').textContent = words);
  const attempt = (work) => async (event) => {
    event.preventDefault();
    say('One moment…');
    try {
      say(await work());
    } catch (problem) {
      say(problem.code ? Platbook.wordsOf(problem) : `This failed: ${problem.message}`);
    }
  };
  at('key-form').addEventListener(
    'submit',
    attempt(async () => {
      const key = at('key').value.trim();
      await (key === '' ? storage().removeItem(KEY_NAME) : storage().setItem(KEY_NAME, key));
      at('key').value = '';
      return key === '' ? 'The key is forgotten.' : 'The key is kept on this computer, not in the workbook.';
    }),
  );
  at('fill-form').addEventListener(
    'submit',
    attempt(async () => {
      const words = await priceSelection(at('field').value);
      at('go').hidden = false;
      return words;
    }),
  );
  at('go').addEventListener(
    'click',
    attempt(async () => {
      at('go').hidden = true;
      return fillSelection(at('field').value);
    }),
  );
}

Office.onReady(() => {
  CustomFunctions.associate('VALUE', value);
  CustomFunctions.associate('FIELD', field);
  if (typeof document !== 'undefined') startPane();
});
