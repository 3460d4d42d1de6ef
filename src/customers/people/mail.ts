// Sends email by SMTP; without it every message is written to a local folder, so that sign-up works on a fresh clone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import type { Connections } from '../../base/deps.ts';

export interface Letter {
  to: string;
  subject: string;
  text: string;
  /** Where an answer goes, if not to the sender. */
  replyTo?: string;
  /** Where a mail program ends emails of this kind with one POST. */
  unsubscribe?: string;
  /** What the email is for; printed where there is no SMTP. */
  link?: string;
}

interface Mailer {
  send(letter: Letter): Promise<void>;
}

/** Work done after the response is sent, so response timing reveals nothing about it. */
interface Background {
  run(name: string, work: () => Promise<void>): void;
  /** Waits until nothing is under way. */
  settle(): Promise<void>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    mailer: Mailer;
    background: Background;
  }
}

type MailDeps = Pick<Connections, 'config' | 'log' | 'clock'>;

const SEND_TRIES = 3;
const PAUSE_MS = 1_000;

export function createMailer(deps: MailDeps): Mailer {
  const { smtpUrl, mailFrom } = deps.config;
  const transport = smtpUrl ? nodemailer.createTransport(smtpUrl) : undefined;
  return {
    async send(letter) {
      const { to, subject, text, replyTo, unsubscribe } = letter;
      const headers = unsubscribe && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
      const message = { from: mailFrom, to, subject, text, ...(replyTo && { replyTo }), ...(headers && { headers }) };
      if (!transport) return writeToOutbox(deps, letter, message);
      for (let left = SEND_TRIES; left > 0; left--) {
        try {
          await transport.sendMail(message);
          return;
        } catch (error) {
          if (left === 1) throw error;
          await sleep(PAUSE_MS);
        }
      }
    },
  };
}

export function createBackground({ log }: Pick<Connections, 'log'>): Background {
  const running = new Set<Promise<void>>();
  return {
    run(name, work) {
      const promise = Promise.resolve()
        .then(work)
        .catch((error: Error) => log.error({ err: error, work: name }, 'work after an answer failed'))
        .finally(() => running.delete(promise));
      running.add(promise);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function writeToOutbox(deps: MailDeps, letter: Letter, message: object): Promise<void> {
  const folder = join(deps.config.home, 'mail');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { message: raw } = await nodemailer.createTransport({ streamTransport: true, buffer: true }).sendMail(message);
  const stamp = deps.clock().toISOString().replace(/[:.]/g, '-');
  const name = `${stamp}-${letter.subject.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${process.hrtime.bigint()}.eml`;
  writeFileSync(join(folder, name), raw as Buffer, { mode: 0o600 });
  // The link is a credential: it is printed for the person at this machine and kept out of the log.
  if (deps.config.logLevel !== 'silent') {
    console.log(`Email to ${letter.to}: ${letter.subject}${letter.link ? `\n  ${letter.link}` : ''}`);
  }
}
