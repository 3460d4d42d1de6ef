#!/usr/bin/env node
// The command line for customers: signs in, calls the API, follows events and requests, runs batches.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../dist/platbook.js';
import { readCredentials, saveCredentials } from './credentials.mjs';
import { follow, forward, newSecret } from './listen.mjs';
import { currentToken, login, logout } from './login.mjs';

const PACKAGE = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const HELP = `platbook: property data from the command line

  login                      sign in through the browser (--with-key reads a key from standard input)
  logout                     end the access and forget it
  get <path> [name=value …]  GET /api/v1/<path>
  post <path> [json]         POST /api/v1/<path>; "-" reads the body from standard input
  estimate "<address>"       the value of a home
  listen --forward-to <url>  post events to a local address, signed like webhooks
  trigger <event> [json]     fire an event in the sandbox
  logs [--follow]            the request log
  batch <file.csv>           enrich a file of addresses; results as NDJSON (--out <file>)
  loans <file.csv>           register the loans of a file; refused rows on standard error
  clock advance <id> <to>    pass the time of a test clock (clock list, clock create <name>)
  completion <shell>         a script for bash, zsh or fish

  --json      print answers as JSON        --url <url>   another server (PLATBOOK_URL)
  --include   parts of a batch, by commas  PLATBOOK_KEY  use a key instead of signing in
`;
const COMMANDS = [...HELP.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    follow: { type: 'boolean', short: 'f' },
    'with-key': { type: 'boolean' },
    'forward-to': { type: 'string' },
    events: { type: 'string' },
    include: { type: 'string' },
    out: { type: 'string' },
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  },
});
const [command, ...words] = positionals;
const server = (
  values.url ??
  process.env.PLATBOOK_URL ??
  readCredentials()?.server ??
  PACKAGE.platbook?.server ??
  'http://localhost:3000'
).replace(/\/$/, '');

const say = (text) => process.stderr.write(`${text}\n`);
const print = (value) =>
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

class Refused extends Error {}

async function tokenOrStop() {
  const token = process.env.PLATBOOK_KEY || (await currentToken());
  if (!token) throw new Refused('You are not signed in. Run: platbook login');
  return token;
}

async function send(method, path, body) {
  const response = await fetch(`${server}/api/v1/${path.replace(/^\/?(api\/v1\/)?/, '')}`, {
    method,
    headers: {
      authorization: `Bearer ${await tokenOrStop()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = /^application\/([\w.+-]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
  const answer = isJson && text !== '' ? JSON.parse(text) : text;
  if (response.ok) return answer;
  if (values.json) print(answer);
  throw new Refused(answer.detail ? `${answer.code}: ${answer.detail}` : `${response.status} ${text.slice(0, 300)}`);
}

const withQuery = (path, query) => `${path}${Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
const get = (path, query = {}) => send('GET', withQuery(path, query));

async function readInput() {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text.trim();
}

const need = (word, what) => {
  if (word === undefined) throw new Refused(`Name ${what}. See: platbook --help`);
  return word;
};

const dollars = (amount) => `$${Math.round(amount).toLocaleString('en-US')}`;

const ACTIONS = {
  async login() {
    if (!values['with-key']) return say(`Signed in. Kept in ${await login(server, say)}.`);
    const key = await readInput();
    if (!/^sk_(live|test)_pb_/.test(key)) throw new Refused('That is not a Platbook key.');
    return say(`Kept in ${saveCredentials({ server, key })}.`);
  },
  async logout() {
    await logout();
    say('Signed out.');
  },
  async get() {
    const query = Object.fromEntries(words.slice(1).map((word) => word.split(/=(.*)/s).slice(0, 2)));
    print(await get(need(words[0], 'a path, such as markets'), query));
  },
  async post() {
    const body = words[1] === '-' ? await readInput() : (words[1] ?? '{}');
    print(await send('POST', need(words[0], 'a path'), body));
  },
  async clock() {
    const [action, subject, to] = words;
    if (action === 'list') return print(await get('test-clocks'));
    if (action === 'create')
      return print(await send('POST', 'test-clocks', JSON.stringify({ name: need(subject, 'the clock') })));
    if (action !== 'advance') throw new Refused('Say: platbook clock list, create <name>, or advance <id> <to>.');
    const instant = new Date(need(to, 'where to, such as 2027-01-31'));
    if (Number.isNaN(+instant)) throw new Refused(`${to} is not a date.`);
    const path = `test-clocks/${need(subject, 'a clock by its id')}/advance`;
    const clock = await send('POST', path, JSON.stringify({ to: instant.toISOString() }));
    return print(values.json ? clock : `${clock.name} stands at ${clock.now}: ${clock.plan}, ${clock.billing_status}`);
  },
  async estimate() {
    const address = need(words.join(' ') || undefined, 'an address');
    const value = await send('POST', 'avm/estimate', JSON.stringify({ property: { address } }));
    if (values.json) return print(value);
    const { estimated_value: estimate, confidence_interval: range, confidence } = value;
    return print(`${dollars(estimate)} (${dollars(range.low)} to ${dollars(range.high)}), confidence ${confidence}`);
  },
  async listen() {
    const url = need(values['forward-to'], 'where to forward, as in --forward-to http://localhost:3000/hook');
    const target = /^https?:/.test(url) ? url : `http://${url}`;
    const kept = readCredentials();
    const secret = process.env.PLATBOOK_WEBHOOK_SECRET ?? kept?.webhookSecret ?? newSecret();
    if (kept && !kept.webhookSecret) saveCredentials({ ...kept, webhookSecret: secret });
    say(`Forwarding events to ${target}. Their signing secret is ${secret}`);
    const query = { since: new Date().toISOString(), ...(values.events && { type: values.events }) };
    for await (const event of follow(get, 'events', query, ({ id }) => id)) {
      const status = await forward(event, target, secret);
      print(
        values.json
          ? JSON.stringify({ id: event.id, type: event.type, status })
          : `${status}  ${event.type}  ${event.id}`,
      );
    }
  },
  async trigger() {
    const type = need(words[0], 'an event, such as batch.completed');
    const event = await send(
      'POST',
      'sandbox/events',
      JSON.stringify({ type, ...(words[1] && { data: JSON.parse(words[1]) }) }),
    );
    print(values.json ? event : `${event.id}  ${event.type}`);
  },
  async logs() {
    const line = (row) => print(values.json ? JSON.stringify(row) : logLine(row));
    // What follows the log, or waits for events, asks once a second: that would be all there is to see.
    const isPoll = ({ route }) => route === '/api/v1/requests' || route === '/api/v1/events';
    if (values.follow)
      for await (const row of follow(get, 'requests', {}, ({ request_id: id }) => id)) if (!isPoll(row)) line(row);
    for (const row of (await get('requests', { limit: 20 })).data.reverse()) line(row);
  },
  async batch() {
    const file = need(words[0], 'a CSV, XLSX or NDJSON file');
    const type = /\.(csv|xlsx|ndjson)$/i.exec(file)?.[1].toLowerCase() ?? 'csv';
    const { batches } = createClient({ apiKey: await tokenOrStop(), baseUrl: server });
    const include = values.include?.split(',') ?? ['property', 'valuation'];
    const { id } = await batches.upload(readFileSync(file), type, include);
    const ended = await batches.wait(id, ({ progress }) => say(`${id}  ${progress.percent}%`));
    const lines = [];
    for await (const result of batches.results(id)) {
      if (values.out) lines.push(JSON.stringify(result));
      else print(JSON.stringify(result));
    }
    if (values.out) await writeFile(values.out, `${lines.join('\n')}\n`);
    if (ended.status !== 'completed') throw new Refused(`The batch is ${ended.status}.`);
  },
  async loans() {
    const file = need(words[0], 'a CSV or XLSX file');
    const { loans } = createClient({ apiKey: await tokenOrStop(), baseUrl: server });
    const answer = await loans.upload(readFileSync(file), /\.xlsx$/i.test(file) ? 'xlsx' : 'csv');
    for (const { line, error } of answer.results) if (error) say(`Line ${line}: ${error.detail}`);
    print(values.json ? answer : `${answer.registered} registered, ${answer.refused} refused`);
    if (answer.refused > 0) throw new Refused('Some rows were refused.');
  },
  completion() {
    const names = COMMANDS.join(' ');
    const scripts = {
      bash: `complete -W "${names}" platbook`,
      zsh: `compdef '_arguments "1:command:(${names})"' platbook`,
      fish: `complete -c platbook -f -n __fish_use_subcommand -a "${names}"`,
    };
    print(scripts[need(words[0], 'bash, zsh or fish')] ?? scripts.bash);
  },
};

function logLine({ at, method, route, status, duration_ms: ms }) {
  return [at, status, method, route, `${ms} ms`].join('  ');
}

try {
  if (values.version) print(PACKAGE.version);
  else if (values.help || !command) print(HELP.trimEnd());
  else if (ACTIONS[command]) await ACTIONS[command]();
  else throw new Refused(`There is no command "${command}". See: platbook --help`);
} catch (error) {
  say(error instanceof Refused ? error.message : `${error.name}: ${error.message}`);
  process.exitCode = 1;
}
