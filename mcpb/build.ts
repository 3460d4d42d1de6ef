// `npx platbook mcpb [file]`: bundles the stdio server and its dependencies into one file, packed as a desktop extension.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { describeTool, TOOLS } from '../src/edge/mcp/mcp.ts';
import { VERSION } from '../src/base/version.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function packBundle(args: string[]): Promise<void> {
  const target = resolve(args[0] ?? join(ROOT, 'dist', `platbook-${VERSION}.mcpb`));
  const folder = mkdtempSync(join(tmpdir(), 'platbook-mcpb-'));
  try {
    await bundleServer(join(folder, 'server'));
    writeFileSync(join(folder, 'manifest.json'), describeBundle());
    // From this file Node knows that index.js is an ES module.
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'platbook', version: VERSION, type: 'module' }));
    mkdirSync(dirname(target), { recursive: true });
    const packed = join(folder, '..', `${Date.now()}.mcpb`);
    run('validate', join(folder, 'manifest.json'));
    run('pack', folder, packed);
    cpSync(packed, target);
    rmSync(packed);
    console.log(`Packed ${target}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundleServer(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(ROOT, 'mcpb', 'entry.ts'),
      outDir: folder,
      target: 'node20',
      emptyOutDir: true,
      rollupOptions: { output: { entryFileNames: 'index.js', codeSplitting: false } },
    },
  });
}

function describeBundle(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'mcpb', 'manifest.json'), 'utf8')) as object;
  const tools = TOOLS.map((tool) => ({ name: tool.name, description: describeTool(tool) }));
  return JSON.stringify({ ...manifest, version: VERSION, tools }, null, 2);
}

function run(...args: string[]): void {
  const program = join(ROOT, 'node_modules', '@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mcpb ${args[0]} failed:\n${stdout}${stderr}`);
}

await packBundle(process.argv.slice(2));
