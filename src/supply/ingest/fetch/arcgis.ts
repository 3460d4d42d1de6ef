// Downloads a layer of an ArcGIS server, which hands out a limited number of features per request, as one file with a
// feature per line.
import * as fs from 'node:fs';
import { CommandError } from '../../../base/lib/command-error.ts';
import { cachePath, readPage, Refused, retry, type DownloadOptions } from './download.ts';

/** Servers cut a longer page to their own limit, which is 1,000 or 2,000 almost everywhere. */
const PAGE = 1_000;

interface Page {
  features?: object[];
  count?: number;
  error?: { code?: number; message?: string; details?: string[] };
}

/** Progress of an interrupted download. */
interface Begun {
  total: number;
  features: number;
  bytes: number;
}

/** `url` is the layer's `…/query?where=…`. Features come in the order of their ids, so that pages neither overlap nor
    skip. */
export async function downloadFeatures(url: string, options: DownloadOptions): Promise<string> {
  const path = `${cachePath(url, options.cache)}.geojsonl`;
  const [part, note] = [`${path}.part`, `${path}.part.json`];
  const { count: total } = await ask(url, { returnCountOnly: 'true', f: 'json' }, options);
  if (total === undefined) throw new Refused(`${url} does not say how many features it has.`);
  const begun = fs.existsSync(note) ? (JSON.parse(fs.readFileSync(note, 'utf8')) as Begun) : undefined;
  // A layer that changed in the meantime is read from its beginning.
  const isSame = begun?.total === total && fs.existsSync(part);
  let have = isSame ? begun.features : 0;
  if (!isSame) fs.writeFileSync(part, '');
  // Rows written after the last checkpoint would be fetched twice.
  else fs.truncateSync(part, begun.bytes);
  while (have < total) {
    const page = await ask(
      url,
      {
        outFields: '*',
        orderByFields: 'OBJECTID',
        resultOffset: String(have),
        resultRecordCount: String(PAGE),
        outSR: '4326',
        f: 'geojson',
      },
      options,
    );
    const features = page.features ?? [];
    if (features.length === 0) {
      fs.rmSync(note, { force: true });
      throw new CommandError(`${url} ended after ${have} of ${total} features.`);
    }
    fs.appendFileSync(part, features.map((feature) => `${JSON.stringify(feature)}\n`).join(''));
    have += features.length;
    fs.writeFileSync(note, JSON.stringify({ total, features: have, bytes: fs.statSync(part).size } satisfies Begun));
    options.onBytes?.(new URL(url).pathname.split('/').slice(-3).join('/'), have, total);
  }
  fs.renameSync(part, path);
  fs.rmSync(note, { force: true });
  return path;
}

/** Errors come with status 200 and an `error` in the body. */
function ask(url: string, parameters: Record<string, string>, options: DownloadOptions): Promise<Page> {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    if (name !== 'outFields' || !address.searchParams.has(name)) address.searchParams.set(name, value);
  }
  return retry(options, async () => {
    const page = parsePage(await readPage(address.href, options), url);
    if (!page.error) return page;
    const { code = 0, message = 'error', details = [] } = page.error;
    const text = `${address.pathname} answered ${code}: ${[message, ...details].join(' ')}`;
    throw code >= 500 ? new CommandError(text) : new Refused(text);
  });
}

function parsePage(text: string, url: string): Page {
  try {
    return JSON.parse(text) as Page;
  } catch {
    throw new Refused(`${url} answered with a web page instead of features; open it in a browser to see why.`);
  }
}
