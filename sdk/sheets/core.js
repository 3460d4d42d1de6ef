// The half of the spreadsheet functions that knows neither Google nor Excel: which addresses to ask, in how few requests,
// what they cost, and what a cell shows. It is a generator: the host carries out each step it yields (a request, a look
// into the cache, an entry for it) and hands the outcome back, at once in Google Sheets and later in Excel.
// oxlint-disable no-unused-vars -- the host calls these functions by their names
const PLATBOOK_SERVER = '__BASE_URL__';

const Platbook = (() => {
  /** Google keeps an entry for six hours at most. */
  const KEPT_SECONDS = 6 * 3600;
  /** An address without a match is asked again soon: it may be corrected, or loaded. */
  const MISS_KEPT_SECONDS = 600;
  const WAIT_SECONDS = 15;
  /** Of a row that has no answer because of what it says: not found, replaced, or not enough to go by. */
  const MISSES = [404, 410, 422];
  const VALUE_FIELDS = {
    value: 'estimated_value',
    estimated_value: 'estimated_value',
    value_low: 'confidence_interval.low',
    value_high: 'confidence_interval.high',
    confidence: 'confidence',
    fsd: 'fsd',
  };
  const WORDS = {
    no_key: 'No key yet. Choose Platbook > Set key…',
    missing_api_key: 'No key yet. Choose Platbook > Set key…',
    invalid_api_key: 'The key is not valid. Choose Platbook > Set key…',
    revoked_api_key: 'The key was revoked. Choose Platbook > Set key…',
    expired_api_key: 'The key has expired. Choose Platbook > Set key…',
    quota_exhausted: 'The allowance of the plan is used up.',
    trial_expired: 'The trial is over. Choose a plan in the dashboard.',
    spend_cap_reached: 'The key has reached its spend cap.',
  };

  /** A cell, or the cells of a row from left to right, as one address or property ID. */
  function textOf(row) {
    const parts = row.map((cell) => (cell === null || cell === undefined ? '' : String(cell).trim()));
    const given = parts.filter((part) => part !== '');
    const last = given.length - 1;
    // A spreadsheet takes ZIP codes for numbers: 02139 becomes 2139.
    if (given.length > 2 && /^\d{3,5}$/.test(given[last])) given[last] = given[last].padStart(5, '0');
    return given.join(', ').replace(/\s+/g, ' ');
  }

  /** 53 bits of a text, for names of cache entries and requests. */
  function hash(text) {
    let [high, low] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
  }

  /** Which part of a batch has the field, and its path in it. */
  function placeOf(field) {
    const name = String(field === null || field === undefined ? '' : field).trim();
    const plain = name.toLowerCase().replace(/[\s-]+/g, '_');
    if (Object.hasOwn(VALUE_FIELDS, plain)) return { part: 'valuation', path: VALUE_FIELDS[plain], name };
    const [, part, path] = /^(valuation|risk|property)\.(.+)$/.exec(plain) || [];
    return { part: part || 'property', path: path || plain, name };
  }

  /** All that a cell could show, by its path. */
  function flatten(value, path, into) {
    if (value === null || typeof value !== 'object') into[path] = value;
    else if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) into[path] = value.join(', ');
    else
      for (const name of Object.keys(value).slice(0, Array.isArray(value) ? 1 : undefined))
        if (name !== 'provenance' && name !== 'geometry') flatten(value[name], path ? `${path}.${name}` : name, into);
    return into;
  }

  const underscored = (path) => path.replace(/\./g, '_');

  /** The value under a path, or under the end of one: `year_built` finds `structure.year_built`. */
  function show(facts, { path, name }) {
    const paths = Object.keys(facts);
    const wanted = underscored(path);
    const found =
      paths.find((each) => underscored(each) === wanted) ||
      paths.find((each) => underscored(each).endsWith(`_${wanted}`));
    if (found !== undefined) return facts[found] === null ? '' : facts[found];
    const close = paths.filter((each) => underscored(each).includes(wanted.split('_')[0])).slice(0, 3);
    return `No field is named “${name}”${close.length > 0 ? `. Close: ${close.join(', ')}` : ''}.`;
  }

  const isId = (text) => /^prop_\w+$/.test(text) || /^\d{5}:\S+$/.test(text);

  /** Status 0 is a server that was not reached. */
  const isGood = ({ status }) => status >= 200 && status < 300;

  function problemOf({ status, body }) {
    let problem = {};
    try {
      problem = JSON.parse(body);
    } catch {
      // A proxy in front of the server answers in HTML.
    }
    return problem.code ? problem : { code: 'unreachable', detail: `The server answered ${status}. Try again later.` };
  }

  const wordsOf = ({ code, detail }) => WORDS[code] || detail || code;

  /** A request of the API, repeated once after the pause that the server asks for, if that is short. */
  function* call(method, path, body, name) {
    for (let attempt = 0; ; attempt++) {
      const answer = yield { do: 'request', method, path, body, name };
      const isBusy = answer.status === 503 || (answer.status === 429 && answer.retryAfter <= 3);
      if (!isBusy || attempt === 1) return answer;
      yield { do: 'sleep', ms: 1000 * (answer.retryAfter || 1) };
    }
  }

  /** One batch to its end, as outcomes by position; throws the problem that stopped it. */
  function* readBatch(texts, part, until) {
    const items = texts.map((text) => (isId(text) ? { property_id: text } : { address: text }));
    const body = JSON.stringify({ items, include: [part] });
    // The same rows on the same day are the same request: a sheet that is calculated again is not charged again.
    const name = `sheet-${hash(body)}-${new Date().toISOString().slice(0, 10)}`;
    let answer = yield* call('POST', `/batches?wait=${WAIT_SECONDS}`, body, name);
    if (!isGood(answer)) throw problemOf(answer);
    let batch = JSON.parse(answer.body);
    const { id } = batch;
    while (!batch.results && ['queued', 'running'].includes(batch.status)) {
      if (Date.now() > until) throw { code: 'running', detail: 'Still working. Calculate again in a minute.' };
      answer = yield* call('GET', `/batches/${id}?wait=${WAIT_SECONDS}`);
      if (!isGood(answer)) throw problemOf(answer);
      batch = JSON.parse(answer.body);
    }
    if (batch.results) return batch.results;
    answer = yield* call('GET', `/batches/${id}/results?format=ndjson`);
    if (!isGood(answer)) throw problemOf(answer);
    return answer.body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  function outcomeOf(result, part) {
    const problem = result.error || result.valuation_error;
    if (result[part]) return { facts: flatten(part === 'risk' ? result.risk.layers : result[part], '', {}) };
    return { problem: problem || { code: result.status, detail: `The row was ${result.status}.` } };
  }

  /** Asks for all texts in as few batches as the plan allows; those that could not be asked get the reason. */
  function* ask(texts, part, until) {
    const outcomes = new Map();
    let [limit] = yield { do: 'recall', names: ['limit'] };
    limit = limit || texts.length;
    for (let at = 0; at < texts.length;) {
      const portion = texts.slice(at, at + limit);
      try {
        const results = yield* readBatch(portion, part, until);
        const entries = [];
        portion.forEach((text, n) => {
          const outcome = outcomeOf(results[n], part);
          outcomes.set(text, outcome);
          const isKept = outcome.facts || MISSES.includes(outcome.problem.status);
          if (isKept)
            entries.push({
              name: entryName(part, text),
              value: outcome,
              seconds: outcome.facts ? KEPT_SECONDS : MISS_KEPT_SECONDS,
            });
        });
        yield { do: 'keep', entries };
      } catch (problem) {
        if (problem.code === 'batch_too_large' && problem.limit < portion.length) {
          limit = problem.limit;
          yield { do: 'keep', entries: [{ name: 'limit', value: limit, seconds: KEPT_SECONDS }] };
          continue;
        }
        if (!problem.code) throw problem;
        // Whatever stopped this batch would stop the next one.
        for (const text of texts.slice(at)) outcomes.set(text, { problem });
        return outcomes;
      }
      at += limit;
    }
    return outcomes;
  }

  const entryName = (part, text) => `${part}:${hash(text.toLowerCase())}:${text.toLowerCase().slice(0, 150)}`;

  /** The distinct texts of a range, and those of them whose outcome is not in the cache. */
  function* look(rows, part) {
    const byRow = rows.map((row) => textOf(Array.isArray(row) ? row : [row]));
    const distinct = new Map();
    for (const text of byRow)
      if (text !== '' && !distinct.has(text.toLowerCase())) distinct.set(text.toLowerCase(), text);
    const texts = [...distinct.values()];
    const kept = texts.length > 0 ? yield { do: 'recall', names: texts.map((text) => entryName(part, text)) } : [];
    const known = new Map(texts.flatMap((text, n) => (kept[n] ? [[text.toLowerCase(), kept[n]]] : [])));
    return { byRow, texts, known, missing: texts.filter((text) => !known.has(text.toLowerCase())) };
  }

  /** A column of cells for the rows of a range: values, blanks for blanks, and words where there is no value. */
  function* fill(rows, field, patienceMs) {
    const place = placeOf(field);
    if (place.name === '') return rows.map(() => ['Name a field, such as "sqft".']);
    const until = Date.now() + patienceMs;
    const { byRow, known, missing } = yield* look(rows, place.part);
    if (missing.length > 0)
      for (const [text, outcome] of yield* ask(missing, place.part, until)) known.set(text.toLowerCase(), outcome);
    return byRow.map((text) => {
      if (text === '') return [''];
      const { facts, problem } = known.get(text.toLowerCase());
      return [facts ? show(facts, place) : wordsOf(problem)];
    });
  }

  /** How many calls filling a column takes and what they cost, in words, from the plan and what is left of it. */
  function* price(rows, field) {
    const { part } = placeOf(field);
    const { byRow, texts, missing } = yield* look(rows, part);
    const meter = part === 'valuation' ? 'avm' : 'standard';
    const calls = missing.length;
    const count = (n, what) => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`;
    const head =
      `${count(byRow.filter(Boolean).length, 'row')} with an address, ${count(texts.length, 'different one')}` +
      `${calls < texts.length ? `, ${count(texts.length - calls, 'known already')}`.replace('alreadys', 'already') : ''}. `;
    const callWords = count(calls, meter === 'avm' ? 'AVM call' : 'standard call');
    if (calls === 0) return { calls, cents: 0, words: `${head}Nothing needs to be asked: this costs nothing.` };
    const [accountAnswer, usageAnswer] = [yield* call('GET', '/account'), yield* call('GET', '/usage')];
    const refused = [accountAnswer, usageAnswer].find((answer) => !isGood(answer));
    if (refused && problemOf(refused).code !== 'insufficient_scope') throw problemOf(refused);
    if (refused) {
      const words = `${head}Up to ${callWords}. This key may not read prices: it lacks account:read or usage:read.`;
      return { calls, cents: null, words };
    }
    const { mode, plan } = JSON.parse(accountAnswer.body);
    const requests = count(Math.ceil(calls / plan.batch_addresses), 'request');
    const start = `${head}Up to ${callWords} in ${requests}`;
    if (mode === 'test') return { calls, cents: 0, words: `${start}. The sandbox is free.` };
    const { included, used } = JSON.parse(usageAnswer.body)[meter];
    const over = included === null ? 0 : Math.max(0, calls - Math.max(0, included - used));
    const each = meter === 'avm' ? plan.overage_cents_per_avm_call : plan.overage_cents_per_call;
    if (over === 0) return { calls, cents: 0, words: `${start}, all included in your plan.` };
    if (each === null)
      return {
        calls,
        cents: 0,
        words: `${start}. Your plan has ${count(calls - over, 'call')} left; the rest is refused.`,
      };
    const cents = over * each;
    return {
      calls,
      cents,
      words: `${start}. ${count(calls - over, 'call')} included; ${over.toLocaleString('en-US')} cost $${(cents / 100).toFixed(2)}.`,
    };
  }

  return { fill, price, hash, wordsOf };
})();
