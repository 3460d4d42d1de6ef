// Tests deploy/Dockerfile and deploy/compose.yaml without Docker: executes the steps of the image in a bare root file
// system, then starts the services of the compose file from it as processes, with the same settings and user.
//   debootstrap --variant=minbase bookworm /tmp/rootfs
//   node test/try-image.ts /tmp/rootfs postgres://user:password@127.0.0.1:5432/empty_database      (as root)
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { findFreePort } from '../src/base/db/embedded.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPM = dirname(dirname(execFileSync('readlink', ['-f', '/usr/bin/npm'], { encoding: 'utf8' }).trim()));

const LOOK_EVERY_MS = 3_000;

interface Stage {
  root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
}

interface Image {
  stage: Stage;
  entrypoint: string[];
  healthcheck: string[];
}

/** The Docker build context: the tree without ignored files. */
function prepareContext(folder: string): string {
  const context = join(folder, 'context');
  mkdirSync(context);
  const ignored = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  const excluded = ignored.map((name) => `--exclude=${name.startsWith('**/') ? name.slice(3) : `./${name}`}`);
  execFileSync('sh', ['-c', `tar cf - ${excluded.map((each) => `'${each}'`).join(' ')} . | tar xf - -C '${context}'`], {
    cwd: ROOT,
  });
  return context;
}

/** The base image: Debian with Node and npm. */
function makeStage(folder: string, name: string, rootfs: string): Stage {
  const root = join(folder, name);
  execFileSync('cp', ['-a', rootfs, root]);
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  cpSync(NPM, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  return { root, workdir: '/', user: '0', env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' } };
}

function inside({ root, workdir, user, env }: Stage, command: string[], more: Record<string, string> = {}) {
  const args = [`--userspec=${user}:${user}`, root, 'sh', '-c', `cd ${workdir} && exec "$@"`, 'sh', ...command];
  return { file: 'chroot', args, env: { ...env, ...more } };
}

/** npm's network settings. */
function npmSettings(stage: Stage): Record<string, string> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) cpSync(certificates, join(stage.root, 'tmp/ca.crt'));
  return { npm_config_registry: registry, HOME: '/root', ...(certificates && { NODE_EXTRA_CA_CERTS: '/tmp/ca.crt' }) };
}

function build(folder: string, rootfs: string): Image {
  const context = prepareContext(folder);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  let [entrypoint, healthcheck]: string[][] = [[], []];
  for (const line of readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').split('\n')) {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === undefined) continue;
    console.log(line.slice(0, 100));
    if (word === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'final';
      stage = makeStage(folder, name, rootfs);
      stages.set(name, stage);
    } else if (word === 'WORKDIR') {
      stage!.workdir = rest;
      mkdirSync(join(stage!.root, rest), { recursive: true });
    } else if (word === 'COPY') copy(stage!, rest, context, stages);
    else if (word === 'RUN') {
      const { file, args, env } = inside(stage!, ['sh', '-c', rest], npmSettings(stage!));
      execFileSync(file, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    } else if (word === 'ENV') for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) stage!.env[name] = value;
    else if (word === 'USER') stage!.user = rest;
    else if (word === 'ENTRYPOINT') entrypoint = JSON.parse(rest) as string[];
    else if (word === 'HEALTHCHECK') healthcheck = JSON.parse(/CMD (.*)$/.exec(rest)![1]) as string[];
  }
  return { stage: stage!, entrypoint, healthcheck };
}

function copy(stage: Stage, rest: string, context: string, stages: Map<string, Stage>): void {
  const [, from, paths] = /^(?:--from=(\w+) )?(.*)$/.exec(rest)!;
  const parts = paths.split(' ');
  const to = join(stage.root, resolve(stage.workdir, parts.pop()!));
  for (const part of parts) {
    const source = from ? join(stages.get(from)!.root, part) : join(context, part);
    const isWhole = part === '.' || from !== undefined;
    execFileSync('cp', ['-a', isWhole ? `${source}/.` : source, isWhole ? to : join(to, basename(part))]);
  }
}

type Settings = Record<string, string>;

/** The settings of a service, with the variables and the host names of the compose file replaced. */
function settingsOf(name: string, databaseUrl: string): { command: string[]; settings: Settings } {
  const text = readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8');
  const variables: Settings = { PLATBOOK_SECRET: 's'.repeat(32), DOMAIN: 'localhost' };
  const filled = text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, variable: string, fallback = 'none') => variables[variable] ?? fallback,
  );
  const { services } = parse(filled, { merge: true }) as {
    services: Record<string, { command: string[]; environment: Settings }>;
  };
  const { command, environment } = services[name];
  return { command, settings: { ...environment, DATABASE_URL: databaseUrl } };
}

async function tryServices({ stage, entrypoint, healthcheck }: Image, databaseUrl: string): Promise<void> {
  const children: ChildProcess[] = [];
  const run = (name: string, more: Settings = {}) => {
    const { command, settings } = settingsOf(name, databaseUrl);
    const { file, args, env } = inside(stage, [...entrypoint, ...command], { ...settings, ...more });
    const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    children.push(child);
    return child;
  };
  const isHealthy = (port: string) => {
    const { file, args, env } = inside(stage, healthcheck, { PORT: port });
    try {
      execFileSync(file, args, { env, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  try {
    const [code] = (await once(run('migrate'), 'exit')) as [number];
    assert.equal(code, 0, 'migrate');
    const ports = [String(await findFreePort()), String(await findFreePort())];
    for (const PORT of ports) run('api', { PORT, SANDBOX_PROPERTIES: '2000' });
    run('worker');
    for (const [index, port] of ports.entries()) {
      // Each check starts a Node process, so poll slowly.
      for (const api = children[1 + index]; !isHealthy(port); await sleep(LOOK_EVERY_MS))
        assert.equal(api.exitCode, null, 'an api ended before it was healthy');
    }
    for (const port of ports) {
      const page = await fetch(`http://127.0.0.1:${port}/`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<script type="module"/, 'the web app was built ahead');
    }
    for (const child of children.slice(1)) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
    }
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  }
}

const [rootfs, databaseUrl] = process.argv.slice(2);
assert.ok(rootfs && databaseUrl, 'Name a bare root file system and an empty database.');
const folder = mkdtempSync(join(tmpdir(), 'platbook-image-'));
try {
  const image = build(folder, resolve(rootfs));
  const size = execFileSync('du', ['-sm', join(image.stage.root, 'app')], { encoding: 'utf8' }).split('\t')[0];
  await tryServices(image, databaseUrl);
  console.log(`\nThe image builds, and migrate, two api and a worker ran from it. The program takes ${size} MB.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
