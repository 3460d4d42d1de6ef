// Emulates Google's Apps Script and Excel's add-in runtime, so the spreadsheet functions run as served: services with
// the same names, limits and quirks, over real HTTP.
// oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins
import vm from 'node:vm';
import {
  isMainThread,
  MessageChannel,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

const MAX_CACHED_BYTES = 100 * 1024;
const MAX_CACHED_SECONDS = 21_600;

interface Fetched {
  status: number;
  headers: Record<string, string>;
  text: string;
  failure?: string;
}

type FetchOptions = { method: string; headers: Record<string, string>; body?: string };

interface FetchParameters {
  method?: string;
  headers?: Record<string, string>;
  contentType?: string;
  payload?: string;
  muteHttpExceptions?: boolean;
}

/** A sheet as rows of cells; ranges are addressed from zero. */
export class Sheet {
  cells: unknown[][];
  selection = { row: 0, column: 0, rows: 1, columns: 1 };

  constructor(cells: unknown[][]) {
    this.cells = cells;
  }

  range({ row, column, rows, columns }: Sheet['selection']): any {
    const read = () =>
      Array.from({ length: rows }, (_, r) =>
        Array.from({ length: columns }, (_cell, c) => this.cells[row + r]?.[column + c] ?? ''),
      );
    return {
      getValues: read,
      getNumColumns: () => columns,
      getA1Notation: () => `R${row}C${column}:R${row + rows - 1}C${column + columns - 1}`,
      offset: (down: number, right: number, height: number, width: number) =>
        this.range({ row: row + down, column: column + right, rows: height, columns: width }),
      setValues: (values: unknown[][]) => {
        if (values.length !== rows || values.some((line) => line.length !== columns))
          throw new Error('The number of rows in the data does not match the number of rows in the range.');
        for (const [r, line] of values.entries())
          for (const [c, cell] of line.entries()) (this.cells[row + r] ??= [])[column + c] = cell;
      },
    };
  }
}

/** The effects of a script call. */
export interface Ran {
  result: any;
  requests: string[];
  /** Dialog texts. */
  shown: string[];
  cells: unknown[][];
  properties: Record<string, string>;
  menu: [label: string, name: string][];
}

export interface Situation {
  cells?: unknown[][];
  selection?: Sheet['selection'];
  /** The user's answers to prompts, in order. */
  typed?: string[];
  /** Whether the user confirms questions. */
  yes?: boolean;
}

export interface AppsScript {
  /** Calls a function of the script, as a cell or a menu does. */
  run(name: string, args?: unknown[], situation?: Situation): Promise<Ran>;
  close(): Promise<void>;
}

/** The script blocks on each answer without `await`, so it runs on its own thread; this one makes its requests. */
export function openAppsScript(script: string): AppsScript {
  const flag = new SharedArrayBuffer(4);
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { script, flag, port: port2 },
    transferList: [port2],
  });
  port1.on('message', async ([url, options]: [string, FetchOptions]) => {
    const answer = await fetch(url, options).then(
      async (response): Promise<Fetched> => ({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      }),
      (error: Error): Fetched => ({ status: 0, headers: {}, text: '', failure: error.message }),
    );
    port1.postMessage(answer);
    Atomics.store(new Int32Array(flag), 0, 1);
    Atomics.notify(new Int32Array(flag), 0);
  });
  return {
    run: (name, args = [], situation = {}) =>
      new Promise((resolve, reject) => {
        worker.once('message', (ran: Ran & { failure?: string }) =>
          ran.failure === undefined ? resolve(ran) : reject(new Error(ran.failure)),
        );
        worker.postMessage({ name, args, situation });
      }),
    close: async () => {
      port1.close();
      await worker.terminate();
    },
  };
}

/** In the thread of the script: its services, as long as it lives. */
function serveScript({ script, flag, port }: { script: string; flag: SharedArrayBuffer; port: MessagePort }): void {
  const properties = new Map<string, string>();
  const cache = new Map<string, string>();
  let sheet = new Sheet([]);
  let situation: Situation = {};
  let ran: Pick<Ran, 'requests' | 'shown' | 'menu'> = { requests: [], shown: [], menu: [] };
  const fetchNow = (url: string, options: FetchOptions): Fetched => {
    const waiting = new Int32Array(flag);
    Atomics.store(waiting, 0, 0);
    port.postMessage([url, options]);
    Atomics.wait(waiting, 0, 0);
    const answer = receiveMessageOnPort(port)!.message as Fetched;
    if (answer.failure !== undefined) throw new Error(`Address unavailable: ${url}`);
    return answer;
  };
  const userCache = {
    getAll: (names: string[]) =>
      Object.fromEntries(names.flatMap((name) => (cache.has(name) ? [[name, cache.get(name)]] : []))),
    put: (name: string, value: string, seconds: number) => {
      if (name.length > 250) throw new Error('Argument too large: key');
      if (Buffer.byteLength(value) > MAX_CACHED_BYTES) throw new Error('Argument too large: value');
      if (seconds > MAX_CACHED_SECONDS) throw new Error('Invalid argument: expirationInSeconds');
      cache.set(name, value);
    },
  };
  const Button = { OK: 'OK', YES: 'YES', NO: 'NO', CANCEL: 'CANCEL' };
  const ui = {
    Button,
    ButtonSet: { OK: 'OK', OK_CANCEL: 'OK_CANCEL', YES_NO: 'YES_NO' },
    createMenu: () => {
      const adding = {
        addItem: (label: string, name: string) => {
          ran.menu.push([label, name]);
          return adding;
        },
        addToUi() {},
      };
      return adding;
    },
    prompt: (_title: string, words: string) => {
      ran.shown.push(words);
      const typed = situation.typed?.shift();
      return {
        getResponseText: () => typed ?? '',
        getSelectedButton: () => (typed === undefined ? Button.CANCEL : Button.OK),
      };
    },
    alert: (_title: string, words: string) => {
      ran.shown.push(words);
      return situation.yes === false ? Button.NO : Button.YES;
    },
  };
  const context = vm.createContext({
    UrlFetchApp: {
      fetch: (url: string, parameters: FetchParameters) => {
        const { method = 'get', headers = {}, contentType, payload, muteHttpExceptions } = parameters;
        const sent = { ...headers, ...(payload !== undefined && contentType && { 'content-type': contentType }) };
        ran.requests.push(`${method.toUpperCase()} ${new URL(url).pathname.replace(/batch_\w+/, '{id}')}`);
        const answer = fetchNow(url, { method: method.toUpperCase(), headers: { ...sent }, body: payload });
        if (answer.status >= 400 && !muteHttpExceptions) throw new Error(`Request failed: code ${answer.status}.`);
        return {
          getResponseCode: () => answer.status,
          getContentText: () => answer.text,
          getHeaders: () => answer.headers,
        };
      },
    },
    CacheService: { getUserCache: () => userCache },
    PropertiesService: {
      getUserProperties: () => ({
        getProperty: (name: string) => properties.get(name) ?? null,
        setProperty: (name: string, value: string) => properties.set(name, value),
        deleteProperty: (name: string) => properties.delete(name),
      }),
    },
    Utilities: { sleep: (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) },
    SpreadsheetApp: { getUi: () => ui, getActiveRange: () => sheet.range(sheet.selection) },
  });
  new vm.Script(script, { filename: 'platbook.gs' }).runInContext(context);
  parentPort!.on(
    'message',
    ({ name, args, situation: given }: { name: string; args: unknown[]; situation: Situation }) => {
      situation = given;
      sheet = new Sheet(given.cells ?? []);
      if (given.selection) sheet.selection = given.selection;
      ran = { requests: [], shown: [], menu: [] };
      try {
        // Values come from the script's own realm.
        const returned = (context as Record<string, (...given: unknown[]) => unknown>)[name](...args);
        const result: unknown = returned === undefined ? undefined : JSON.parse(JSON.stringify(returned));
        parentPort!.postMessage({ ...ran, result, cells: sheet.cells, properties: Object.fromEntries(properties) });
      } catch (error) {
        parentPort!.postMessage({ failure: (error as Error).stack });
      }
    },
  );
}

export interface Excel {
  call(name: string, ...args: unknown[]): Promise<any>;
  stored: Map<string, string>;
  requests: string[];
}

/** Excel's runtime, without the task pane: functions are found under the ids that the script associates. */
export async function openExcel(script: string): Promise<Excel> {
  const stored = new Map<string, string>();
  const functions = new Map<string, (...args: unknown[]) => Promise<unknown>>();
  const requests: string[] = [];
  const context = vm.createContext({
    setTimeout,
    fetch: (url: string, options: RequestInit) => {
      requests.push(`${options.method} ${new URL(url).pathname}`);
      return fetch(url, options);
    },
    Office: { onReady: (work: () => void) => work() },
    CustomFunctions: { associate: (id: string, work: never) => functions.set(id, work) },
    OfficeRuntime: {
      storage: {
        getItem: async (name: string) => stored.get(name) ?? null,
        setItem: async (name: string, value: string) => void stored.set(name, value),
        removeItem: async (name: string) => void stored.delete(name),
      },
    },
  });
  new vm.Script(script, { filename: 'functions.js' }).runInContext(context);
  return {
    call: async (name, ...args) => JSON.parse(JSON.stringify(await functions.get(name)!(...args))) as unknown,
    stored,
    requests,
  };
}

if (!isMainThread) serveScript(workerData as Parameters<typeof serveScript>[0]);
