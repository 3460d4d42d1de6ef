// Downloads a layer of an ArcGIS server as one file with a feature per line, by feature id: paging by offset skips and
// repeats rows on servers without a stable order, and ids reveal missing rows.
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../../base/lib/command-error.ts';
import { featureReader, type Feature, type ReadFeatures } from './arcgis-feature.ts';
import { NeedsToken, openLayer, query, type Answer, type Layer } from './arcgis-layer.ts';
import { cachePath, NotThere, readNote, Refused, Unwell, type DownloadOptions } from './download.ts';

/** Servers cap longer pages at their own limit, which is 1,000 or 2,000 almost everywhere. */
const PAGE = 1_000;
/** Pause between requests, so a small county's server has time for others. */
const PAUSE_MS = 100;
/** If more rows than this cannot be read, the server is down rather than the layer flawed. */
const MOST_UNREAD = 0.01;
const FEWEST_UNREAD = 20;
/** Maximum rounds for fetching newly added rows of a layer edited all day. */
const MOST_ROUNDS = 3;
/** Attempts per part while bisecting a rejected page: with five, finding one bad row among a thousand took three
    minutes. */
const HALVING_ATTEMPTS = 2;

/** Recorded facts of a layer, for change detection. */
interface Stamp {
  total: number | null;
  edited: number | null;
}

/** Progress of an interrupted download. */
interface Begun extends Stamp {
  bytes: number;
}

export interface LayerOptions extends DownloadOptions {
  /** Keeps codes; by default they are replaced by labels. */
  keepsCodes?: boolean;
  /** Receives notes on anything unusual about the layer. */
  onNote?: (text: string) => void;
}

/** `url` is a layer of an ArcGIS server, or its `…/query?where=…`. */
export async function downloadFeatures(url: string, options: LayerOptions): Promise<string> {
  const path = `${cachePath(url, options.cache)}.geojsonl`;
  const layer = await openLayer(url, options);
  const stamp = await stampOf(layer, options);
  if (isUnchanged(path, stamp)) return path;
  const sink = openSink(path, stamp);
  try {
    await new Reading(layer, sink, { ...options, total: stamp.total }).readAll();
  } finally {
    sink.close();
  }
  fs.renameSync(sink.part, path);
  fs.rmSync(sink.note, { force: true });
  fs.writeFileSync(`${path}.json`, JSON.stringify(stamp));
  return path;
}

async function stampOf(layer: Layer, options: DownloadOptions): Promise<Stamp> {
  const { editingInfo } = layer.facts;
  const counted = await query(layer, { returnCountOnly: 'true' }, 'count', options).catch(passRefusal);
  return {
    total: counted?.count ?? null,
    edited: editingInfo?.dataLastEditDate ?? editingInfo?.lastEditDate ?? null,
  };
}

/** Falls back if a server does not support a request, but not if it is down. */
function passRefusal(error: unknown): undefined {
  const isAnswer = error instanceof Refused || error instanceof Unwell;
  if (!isAnswer || error instanceof NotThere || error instanceof NeedsToken) throw error;
  return undefined;
}

const isSame = (a: Stamp | undefined, b: Stamp): boolean => a?.total === b.total && a.edited === b.edited;

/** Only if the layer states its last edit date. */
const isUnchanged = (path: string, stamp: Stamp): boolean =>
  stamp.edited !== null && fs.existsSync(path) && isSame(readNote<Stamp>(`${path}.json`), stamp);

/** Resumes after the last complete page of an interrupted download, unless the layer has changed since. */
function openSink(path: string, stamp: Stamp) {
  const [part, note] = [`${path}.part`, `${path}.part.json`];
  const begun = fs.existsSync(part) ? readNote<Begun>(note) : undefined;
  const have = new Set<number>();
  let [bytes, rows] = [0, 0];
  if (begun && isSame(begun, stamp)) {
    // Rows written after the last checkpoint would be fetched twice.
    fs.truncateSync(part, begun.bytes);
    bytes = begun.bytes;
    const lines = fs.readFileSync(part, 'utf8').split('\n').filter(Boolean);
    for (const line of lines) have.add((JSON.parse(line) as Feature).id);
    rows = lines.length;
  } else fs.writeFileSync(part, '');
  const file = fs.openSync(part, 'a');
  return {
    part,
    note,
    /** Ids already written; a layer joined to a table repeats some. */
    have,
    countRows: () => rows,
    write(features: Feature[]) {
      bytes += fs.writeSync(file, features.map((feature) => `${JSON.stringify(feature)}\n`).join(''));
      fs.writeFileSync(note, JSON.stringify({ ...stamp, bytes } satisfies Begun));
      for (const { id } of features) have.add(id);
      rows += features.length;
    },
    close: () => fs.closeSync(file),
  };
}

type Sink = ReturnType<typeof openSink>;

const FEATURES = { outFields: '*', outSR: '4326', geometryPrecision: '7', returnTrueCurves: 'false' };
/** Ids per request, limited by URL length. */
const LISTED_IDS = 100;

type ReadingOptions = LayerOptions & { total: number | null };

/** One reading of a layer, from its first request to its last row. */
class Reading {
  private readonly layer: Layer;
  private readonly sink: Sink;
  private readonly options: ReadingOptions;
  private readonly read: ReadFeatures;
  private readonly name: string;
  /** Lowered if the server sends fewer. */
  private page: number;
  private unread = 0;
  private gone = 0;
  /** A server that is up rejected a page: its parts are requested with fewer retries, until the bad row is found. */
  private isHalving = false;

  constructor(layer: Layer, sink: Sink, options: ReadingOptions) {
    this.layer = layer;
    this.sink = sink;
    this.options = options;
    this.read = featureReader(layer, options);
    this.name = new URL(layer.url).pathname.split('/').slice(-3).join('/');
    this.page = Math.max(1, Math.min(PAGE, layer.facts.maxRecordCount || PAGE));
  }

  async readAll(): Promise<void> {
    const { total } = this.options;
    const ids = total === 0 ? [] : await this.listIds();
    if (ids) await this.readByIds(ids);
    else if (!(await this.readUpward().catch(passRefusal))) await this.readByOffset();
    const have = this.sink.countRows();
    // With ids, every row is accounted for; otherwise only the count can be checked.
    if (!ids && total !== null && have < total)
      throw new CommandError(`${this.layer.url} ended after ${have} of ${total} features.`);
    if (this.unread > 0) this.tell(`${this.unread} rows cannot be read from the server and count as bad rows`);
    if (this.gone > 0) this.tell(`${this.gone} rows were deleted while the layer was read`);
  }

  /** Undefined if the server lists none, or only the first ones. */
  private async listIds(): Promise<number[] | undefined> {
    const answer = await this.ask({ returnIdsOnly: 'true' }, 'objectIds').catch(passRefusal);
    const ids = (answer?.objectIds ?? []).map(Number).filter(Number.isFinite);
    if (answer?.objectIdFieldName) this.layer.idField = answer.objectIdFieldName;
    const isCut = !answer || answer.exceededTransferLimit || ids.length < (this.options.total ?? 1);
    return isCut ? undefined : [...new Set(ids)].toSorted((a, b) => a - b);
  }

  /** Also fetches rows added during the read. */
  private async readByIds(first: number[]): Promise<void> {
    const asked = new Set(first);
    let ids = first.filter((id) => !this.sink.have.has(id));
    for (let round = 0; ids.length > 0 && round < MOST_ROUNDS; round++) {
      await this.readPages(ids);
      const now = await this.listIds();
      ids = (now ?? []).filter((id) => !asked.has(id));
      for (const id of ids) asked.add(id);
    }
  }

  private async readPages(ids: number[]): Promise<void> {
    for (let at = 0; at < ids.length;) {
      const page = ids.slice(at, at + this.page);
      await this.readPage(page);
      at += page.length;
    }
  }

  /** Bisects a page that the server cannot answer, or answers with nothing new, down to the bad row. */
  private async readPage(ids: number[]): Promise<void> {
    const [first, last] = [ids[0], ids.at(-1)];
    const had = this.sink.have.size;
    const { idField } = this.layer;
    const selects: Record<string, string> =
      ids.length <= LISTED_IDS
        ? { objectIds: ids.join(',') }
        : { where: `${idField} >= ${first} AND ${idField} <= ${last}` };
    try {
      const answer = await this.ask({ ...FEATURES, ...selects }, 'features', ids.length);
      const features = withIds(this.read(answer), ids);
      this.keep(features);
      if (features.length > 0 && features.length < ids.length) this.lower(features.length, answer);
    } catch (error) {
      if (error instanceof NotThere || error instanceof NeedsToken) throw error;
      await this.refuseDown(error as Error);
      if (ids.length === 1) return this.setAside(first, error as Error);
    }
    const left = ids.filter((id) => !this.sink.have.has(id));
    if (left.length === 0) return;
    if (ids.length === 1) return this.missOne(first);
    if (this.sink.have.size > had) return this.readPages(left);
    const middle = Math.ceil(left.length / 2);
    for (const half of [left.slice(0, middle), left.slice(middle)]) if (half.length > 0) await this.readPage(half);
  }

  /** A listed row that is not returned: deleted meanwhile, or unreadable for the server. */
  private async missOne(id: number): Promise<void> {
    if ((await this.countOf(`${this.layer.idField} = ${id}`)) > 0)
      return this.setAside(id, new CommandError(`row ${id} is counted and not sent`));
    this.gone += 1;
  }

  /** Reads id range after id range with `where` conditions only, as long as there are higher ids. False if rows are
      missing or indistinguishable. */
  private async readUpward(): Promise<boolean> {
    const { total } = this.options;
    if (total === null) {
      // The first answer reveals the page size.
      const first = this.read(await this.ask(FEATURES, 'features'));
      if (first.some(({ id }) => Number.isNaN(id))) return false;
      this.page = Math.max(1, Math.min(this.page, first.length));
    }
    const from = async (id: number) => this.countOf(`${this.layer.idField} >= ${id}`);
    for (let [first, last] = [0, this.page]; (await from(first)) > 0; [first, last] = [last + 1, 2 * last])
      await this.readRange(first, last);
    return total === null || this.sink.countRows() >= total;
  }

  private async readRange(from: number, to: number): Promise<void> {
    const { idField } = this.layer;
    const where = `${idField} >= ${from} AND ${idField} <= ${to}`;
    const count = await this.countOf(where);
    if (count === 0) return;
    // Without counts, a full page may be incomplete.
    if (count < this.page || (count === this.page && this.options.total !== null) || from === to) {
      try {
        const answer = await this.ask({ ...FEATURES, where }, 'features', count);
        const features = this.read(answer);
        const isWhole = features.length >= count;
        this.keep(
          isWhole
            ? withIds(
                features,
                features.map((_, i) => from + i),
              )
            : features,
        );
        if (isWhole || from === to) return;
        if (features.length > 0) this.lower(features.length, answer);
      } catch (error) {
        await this.refuseDown(error as Error);
        if (from === to) return this.setAside(from, error as Error);
      }
    }
    const middle = Math.floor((from + to) / 2);
    await this.readRange(from, middle);
    await this.readRange(middle + 1, to);
  }

  /** The number of rows that match a condition; if the server cannot count, the number it returns. */
  private async countOf(where: string): Promise<number> {
    if (this.options.total !== null) return (await this.ask({ where, returnCountOnly: 'true' }, 'count')).count ?? 0;
    return (await this.ask({ ...FEATURES, where, returnGeometry: 'false' }, 'features')).features!.length;
  }

  /** Overlapping or skipped pages are corrected by rereading. */
  private async readByOffset(): Promise<void> {
    const { total } = this.options;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (let [offset, last] = [0, '']; offset < (total ?? Infinity);) {
        const page = { resultOffset: String(offset), resultRecordCount: String(this.page) };
        const answer = await this.ask({ ...FEATURES, orderByFields: this.layer.idField, ...page }, 'features');
        const features = this.read(answer);
        if (features.length === 0) break;
        if (JSON.stringify(answer.features) === last)
          throw new CommandError(`${this.layer.url} answers with its first rows, whichever are asked for.`);
        last = JSON.stringify(answer.features);
        const numbers = features.map((_, i) => offset + i);
        this.keep(withIds(features, numbers));
        offset += features.length;
      }
      if (total === null || this.sink.countRows() >= total) return;
    }
  }

  /** A server may truncate a page silently; half a page may also mean deleted rows. */
  private lower(size: number, { exceededTransferLimit }: Answer): void {
    if (size >= this.page || !(exceededTransferLimit || size < this.page / 2)) return;
    this.page = size;
    this.tell(`sends at most ${size} rows at once`);
  }

  private keep(features: Feature[]): void {
    const fresh = features.filter(({ id }) => Number.isFinite(id) && !this.sink.have.has(id));
    if (fresh.length === 0) return;
    this.sink.write(fresh);
    this.options.onBytes?.(this.name, this.sink.countRows(), this.options.total ?? undefined);
  }

  /** A row whose shape breaks the server is kept without it; an unreadable one goes to quarantine. */
  private async setAside(id: number, cause: Error): Promise<void> {
    this.isHalving = false;
    const bare = { ...FEATURES, objectIds: String(id), returnGeometry: 'false' };
    const answer = await this.ask(bare, 'features').catch(() => undefined);
    this.keep(withIds(answer ? this.read(answer) : [], [id]));
    if (this.sink.have.has(id)) return;
    this.unread += 1;
    if (this.unread > Math.max(FEWEST_UNREAD, MOST_UNREAD * (this.options.total ?? 0)))
      throw new CommandError(`${this.unread} rows of ${this.layer.url} cannot be read: ${cause.message}`);
    this.keep([{ type: 'Feature', id, properties: { [this.layer.idField]: id }, geometry: null }]);
  }

  /** A server that answers nothing is down: the download resumes once it is back. */
  private async refuseDown(cause: Error): Promise<void> {
    try {
      await this.ask({ returnCountOnly: 'true' }, 'count');
    } catch {
      throw cause;
    }
    this.isHalving = true;
  }

  /** A single row is not abandoned for a transient error. */
  private async ask(parameters: Record<string, string>, wanted: keyof Answer, rows = 1): Promise<Answer> {
    await sleep(this.options.pauseMs ?? PAUSE_MS);
    const attempts = this.isHalving && rows > 1 ? HALVING_ATTEMPTS : this.options.attempts;
    return query(this.layer, parameters, wanted, { ...this.options, attempts });
  }

  private tell(text: string): void {
    this.options.onNote?.(`${this.name}: ${text}.`);
  }
}

/** A server that omits ids from its features sends them in id order. */
const withIds = (features: Feature[], ids: number[]): Feature[] =>
  features.length === ids.length && features.every(({ id }) => Number.isNaN(id))
    ? features.map((feature, i) => ({ ...feature, id: ids[i] }))
    : features;
