// The SDK as a package that npm installs from this server: its sources without their types, its declarations, its
// command line, README and package.json in one tarball. Builds are reproducible.
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const inSdk = (path: string) => fileURLToPath(new URL(`../../../sdk/${path}`, import.meta.url));
const BLOCK = 512;

/** `baseUrl` is the default server of its command line. */
export function packSdk(baseUrl: string): Buffer {
  const files: [name: string, text: string][] = [
    ['package.json', packageJson(baseUrl)],
    ['README.md', readFileSync(inSdk('README.md'), 'utf8')],
    ...namesIn('src', '.ts').map((name): [string, string] => [`dist/${name}.js`, scriptOf(name)]),
    ...namesIn('declarations', '.d.ts').map((name): [string, string] => [
      `dist/${name}.d.ts`,
      readFileSync(inSdk(`declarations/${name}.d.ts`), 'utf8'),
    ]),
    ...namesIn('cli', '.mjs').map((name): [string, string] => [
      `cli/${name}.mjs`,
      readFileSync(inSdk(`cli/${name}.mjs`), 'utf8'),
    ]),
    // The generated types have no code, so the source is the declaration.
    ['dist/types.d.ts', readFileSync(inSdk('src/types.ts'), 'utf8')],
  ];
  const entries = files.flatMap(([name, text]) => tarEntry(`package/${name}`, Buffer.from(text)));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]));
}

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(inSdk(folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

/** Without scripts, because nothing is built at installation. */
function packageJson(baseUrl: string): string {
  const { scripts: _scripts, ...rest } = JSON.parse(readFileSync(inSdk('package.json'), 'utf8')) as { scripts: object };
  return `${JSON.stringify({ ...rest, platbook: { server: baseUrl } }, null, 2)}\n`;
}

function scriptOf(name: string): string {
  const script = stripTypeScriptTypes(readFileSync(inSdk(`src/${name}.ts`), 'utf8'));
  return script.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'").replace(/[ \t]+$/gm, '');
}

/** One file in the ustar format, dated 1985 like npm's, so that only its contents matter. */
function tarEntry(name: string, body: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  header.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(body.length, 124, 12);
  octal(499_162_500, 136, 12);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
}
