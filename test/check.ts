// `npm run check`: format, lint, types.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['src', 'test', 'bench', 'chaos', 'sources', 'sandbox', 'bin', 'web', 'sdk', 'mcpb', 'tools'].filter(
  (folder) => existsSync(`${ROOT}/${folder}`),
);

function runChecks(): void {
  const steps: [string, string[]][] = [
    ['oxfmt', ['--check', ...FOLDERS]],
    ['oxlint', ['--type-aware', ...FOLDERS]],
    ['tsc', ['-p', '.']],
    ['tsc', ['-p', 'web']],
    ['tsc', ['-p', 'sdk', '--noEmit']],
  ];
  for (const [tool, args] of steps) {
    const { status } = spawnSync(`${ROOT}/node_modules/.bin/${tool}`, args, { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

runChecks();
