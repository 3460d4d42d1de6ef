// A PLATBOOK_HOME with the sandbox market, kept next to the template database for suites that start the program:
// copying it takes a second, while a first start takes half a minute of both cores.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choosePlace, prepareBinaries, startEmbedded } from '../src/base/db/embedded.ts';
import { buildTemplate } from './template.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The name of the embedded server's own database. */
const DATABASE = 'platbook';

export function needsGoldenHome(file: string): boolean {
  return readFileSync(join(ROOT, file), 'utf8').includes('copyGoldenHome(');
}

/** Copies the cluster of a stopped server with the template, or builds one if the tests use another server. */
export async function keepGoldenHome(home: string, template: string | undefined): Promise<string> {
  const golden = join(home, 'golden');
  mkdirSync(golden, { mode: 0o711 });
  if (template) {
    for (const part of ['postgres', 'postgres.password']) copy(join(home, part), join(golden, part));
    nameDatabase(golden, template);
  } else {
    const server = await startEmbedded(golden);
    const built = await buildTemplate(server.url);
    await server.stop();
    nameDatabase(golden, built);
  }
  return golden;
}

/** Copies a home in which the program has already been started; everything in it belongs to `user`. */
export function copyGoldenHome(copyTo: string, user: { uid?: number; gid?: number } = {}): void {
  const { PLATBOOK_TEST_GOLDEN_HOME: golden } = process.env;
  if (!golden) throw new Error('Run the tests with `npm test`, or one file with `npm test -- <part of its path>`.');
  copy(golden, copyTo);
  if (user.uid !== undefined) succeed('chown', ['-R', `${user.uid}:${user.gid}`, copyTo]);
}

function copy(from: string, to: string): void {
  succeed('cp', process.platform === 'linux' ? ['-a', '--reflink=auto', from, to] : ['-a', from, to]);
}

/** Makes the template the server's own database, with PostgreSQL in single-user mode, and forgets the settings of the run. */
function nameDatabase(golden: string, template: string): void {
  const place = choosePlace(golden);
  writeFileSync(join(place.cluster, 'postgresql.auto.conf'), '');
  rmSync(join(place.cluster, 'postmaster.opts'), { force: true });
  const statements = `drop database if exists ${DATABASE};\nalter database ${template} rename to ${DATABASE};\n`;
  succeed(join(prepareBinaries(place), 'postgres'), ['--single', '-D', place.cluster, 'postgres'], {
    ...place.user,
    cwd: golden,
    env: {},
    input: statements,
  });
}

function succeed(command: string, args: string[], options: Parameters<typeof spawnSync>[2] = {}): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? String(stderr)}`);
}
