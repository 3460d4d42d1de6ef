// The harness for tests of people: a mail server that records messages, and a browser with cookies and an origin.
import { after } from 'node:test';
import { SMTPServer } from 'smtp-server';
import type { App } from '../src/base/http/types.ts';
import type { TestAnswer } from './harness.ts';

export interface Mailbox {
  url: string;
  letters: { to: string; subject: string; head: string; text: string }[];
  /** The newest email to someone, with the `token` of its link. */
  last(to: string): { subject: string; head: string; text: string; token: string };
}

export async function startMailbox(): Promise<Mailbox> {
  const letters: Mailbox['letters'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        const [head, ...body] = raw.split('\r\n\r\n');
        const text = body.join('\n\n').replace(/=\r\n/g, '').replace(/=3D/g, '=');
        const subject = /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '';
        for (const { address } of session.envelope.rcptTo) letters.push({ to: address, subject, head, text });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters,
    last(to) {
      const letter = letters.findLast((each) => each.to === to);
      if (!letter) throw new Error(`No email to ${to}.`);
      return { ...letter, token: /token=([\w-]+)/.exec(letter.text)?.[1] ?? '' };
    },
  };
}

export interface Browser {
  /** The session cookie. */
  cookie: string | undefined;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
}

/** Sends requests like our pages: with cookies and origin. */
export function openBrowser(app: App): Browser {
  const others = new Map<string, string>();
  const browser: Browser = {
    cookie: undefined,
    async send(method, path, body, headers = {}) {
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          host: 'localhost',
          origin: 'http://localhost',
          ...((browser.cookie || others.size > 0) && {
            cookie: [browser.cookie, ...others.values()].filter(Boolean).join('; '),
          }),
          ...headers,
        },
        ...(body !== undefined && { payload: body as object }),
      });
      for (const set of [response.headers['set-cookie'] ?? []].flat()) {
        const pair = set.includes('Max-Age=0') ? undefined : set.split(';')[0];
        const name = set.split('=')[0];
        if (name.endsWith('platbook_session')) browser.cookie = pair;
        else if (pair) others.set(name, pair);
        else others.delete(name);
      }
      const isJson = String(response.headers['content-type']).includes('json');
      return {
        status: response.statusCode,
        headers: response.headers as Record<string, string | undefined>,
        body: isJson && response.payload !== '' ? response.json() : undefined,
        text: response.payload,
      };
    },
  };
  return browser;
}

/** Signs up, verifies and signs in; the verification response has the keys. */
export async function signUp(app: App, mailbox: Mailbox, email: string, password = PASSWORD) {
  const browser = openBrowser(app);
  const asked = await browser.send('POST', '/session/sign-up', { email, password, name: 'Ada', company: 'Ada & Co' });
  if (asked.status !== 202) throw new Error(asked.text);
  const verified = await browser.send('POST', '/session/verify', { token: mailbox.last(email).token });
  return { browser, verified };
}

export const PASSWORD = 'correct horse battery';
