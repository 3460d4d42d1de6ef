#!/usr/bin/env node
// The one entry: makes sure the packages are installed and a Node that runs TypeScript is at hand, then hands over
// to src/main.ts, or to one of the development scripts. Plain JavaScript without imports of our own, because it must run
// on any Node >= 20 before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = 'start', ...args] = process.argv.slice(2);

/** Development scripts; everything else is a command of the program. */
const SCRIPTS = {
  test: 'test/run.ts',
  mutate: 'test/mutations/run.ts',
  check: 'test/check.ts',
  bench: 'bench/bench.ts',
  screenshots: 'test/screenshots.ts',
  chaos: 'chaos/chaos.ts',
  mcpb: 'mcpb/build.ts',
  release: 'tools/release.ts',
  openapi: 'tools/openapi.ts',
  endpoints: 'tools/endpoints.ts',
  schema: 'tools/schema.ts',
};
const needsDevPackages = command in SCRIPTS;

/** Room for what requests leave behind to die young: with the usual 16 MB a valuation takes a third longer. */
const SERVING_FLAGS = ['--max-semi-space-size=64'];

installPackages();
runMain();

/** `npm ci` where packages are missing or older than the lock file. npm writes its own copy of the lock last. */
function installPackages() {
  const modules = join(root, 'node_modules');
  const lastInstall = modifiedAt(join(modules, '.package-lock.json'));
  const isCurrent = lastInstall > 0 && lastInstall >= modifiedAt(join(root, 'package-lock.json'));
  if (isCurrent && (!needsDevPackages || existsSync(join(modules, 'typescript')))) return;

  process.stderr.write(`Installing packages${needsDevPackages ? ' (with test tools)' : ''} …\n`);
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!needsDevPackages) flags.push('--omit=dev');
  const npm = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath, ...flags]] : ['npm', flags];
  const result = spawnSync(npm[0], npm[1], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) {
    process.stderr.write('npm could not install the packages; its message is above.\n');
    process.exit(1);
  }
}

function modifiedAt(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

/** Node >= 24 runs the TypeScript sources as they are; npm brings one where the caller's is older. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(packaged)) return packaged;
  process.stderr.write(`No packaged Node for ${process.platform}-${process.arch}: please install Node 24 or newer.\n`);
  process.exit(1);
}

function runMain() {
  const flags = ['start', 'worker'].includes(command) ? SERVING_FLAGS : [];
  const program = SCRIPTS[command] ? [SCRIPTS[command]] : ['src/main.ts', command];
  const modules = join(root, 'node_modules');
  const child = spawn(findNode(), [...flags, join(root, program[0]), ...program.slice(1), ...args], {
    stdio: 'inherit',
    env: {
      // Spares every command after the first a third of its start: sources stay stripped and compiled.
      NODE_COMPILE_CACHE: join(modules, '.cache', 'node'),
      ...process.env,
      PATH: `${join(modules, '.bin')}:${process.env.PATH}`,
    },
  });
  // A terminal sends Ctrl-C to the whole group, so the child already has it; a `kill` reaches only us.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
