// What an operator is told who mistypes a command: a sentence and the command's arguments, never a stack trace.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const COMMANDS = fileURLToPath(new URL('../../src/operate/commands/', import.meta.url));
/** Commands run here, where a file made by mistake is seen, with no database at hand. */
const folder = mkdtempSync(join(tmpdir(), 'platbook-commands-'));

function run(...words: string[]) {
  const env = {
    ...process.env,
    PLATBOOK_HOME: join(folder, 'home'),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('a command', () => {
  it('explains itself, and does nothing else', () => {
    for (const words of [
      ['train', '--help'],
      ['train', 'milwaukee-wi', '-h'],
      ['help', 'train'],
    ])
      assert.deepEqual(run(...words), {
        status: 0,
        stdout:
          'platbook train <market …|--all> [--quick] [--force]\n\ntrain, back-test and publish a valuation model\n',
        stderr: '',
      });
  });

  it('refuses an option that it does not know, with those it does', () => {
    for (const [words, usage] of [
      [['train', '--fast'], 'platbook train <market …|--all> [--quick] [--force]'],
      [['backup', '--list'], 'platbook backup <file|s3://bucket/key>|list'],
      [['start', '--port=80'], 'platbook start'],
      [['markets', '-v'], 'platbook markets'],
    ] as const) {
      const { status, stderr } = run(...words);
      assert.equal(status, 2);
      assert.equal(stderr.split('\n')[0], `\`${words[0]}\` has no option \`${words[1]}\`.`);
      assert.equal(stderr.split('\n')[1], usage);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is none of the words that every object of the language has', () => {
    const { status, stderr } = run('constructor');
    assert.deepEqual([status, stderr.split('.')[0]], [2, 'Unknown command `constructor`']);
    assert.match(run('help', 'constructor').stdout, /^platbook <command>/);
  });

  it('says in one line what is wrong with its words', () => {
    for (const [words, message] of [
      [['ingest', '--from'], "Option '--from <value>' argument missing"],
      [['train', '--all=yes'], "Option '--all' does not take an argument"],
      [['distribute', 'everything'], "Unexpected argument 'everything'"],
      [['quarantine', 'reply'], 'Usage: quarantine [list|replay] [source]'],
      [['source', 'check', '.'], '. is a folder. Name the files in it.'],
      [['source', 'new', '.'], '. is a folder. Name the files in it.'],
      [['source', 'new', 'roll.csv'], 'There is no file roll.csv.'],
      [
        ['source', 'new', MAIN, '--fips', '99999'],
        '99999 is not the FIPS code of a county: five digits, of which two for the state.',
      ],
      [
        ['source', 'new', MAIN, '--county', '55079'],
        '--county takes a name. Is 55079 its FIPS code? Then: --fips 55079',
      ],
      [['source', 'new', MAIN, '--skip-lines', 'two'], '--skip-lines takes a number of lines, not two.'],
      [['source', 'new', MAIN, '--out', '/no/where/a.yaml'], 'There is no folder /no/where.'],
    ] as const) {
      assert.deepEqual(run(...words), { status: 1, stdout: '', stderr: `${message}\n` });
    }
  });

  it('names every option in its usage', () => {
    const described = JSON.parse(readFileSync(join(COMMANDS, 'commands.json'), 'utf8'));
    const named: string[] = [];
    for (const file of readdirSync(COMMANDS).filter((name) => name.endsWith('.ts'))) {
      const text = readFileSync(join(COMMANDS, file), 'utf8');
      const options = /(?:options: |readArgs\(\w+, )(\{[\s\S]*?\}),?\n? *(?:\}\)|\))/.exec(text)?.[1];
      const usage: string = described[file.replace('.ts', '')]?.usage ?? '';
      for (const [, name] of options?.matchAll(/'?([a-z-]+)'?: (?:\{ type|FLAG|TEXT)/g) ?? []) {
        assert.ok(usage.includes(`--${name}`), `${file}: --${name} is not in its usage`);
        named.push(name);
      }
    }
    assert.ok(named.length > 20 && named.includes('skip-lines'));
  });
});
