// Sends letters by SMTP; without one they are written to a local outbox, so that sign-up works on a fresh clone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Connections } from '../deps.ts';

export interface Letter {
  to: string;
  subject: string;
  text: string;
  /** What the letter is for; shown in the log where there is no SMTP. */
  link?: string;
}

export interface Mailer {
  send(letter: Letter): Promise<void>;
}

declare module '../deps.ts' {
  interface Deps {
    mailer: Mailer;
  }
}

type MailDeps = Pick<Connections, 'config' | 'log' | 'clock'>;

export function createMailer(deps: MailDeps): Mailer {
  const { smtpUrl, mailFrom } = deps.config;
  const transport = smtpUrl ? nodemailer.createTransport(smtpUrl) : undefined;
  return {
    async send(letter) {
      const message = { from: mailFrom, to: letter.to, subject: letter.subject, text: letter.text };
      if (transport) await transport.sendMail(message);
      else await writeToOutbox(deps, letter, message);
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
  // The link opens a session: it is printed for the person at this machine and kept out of the log file.
  if (deps.config.logLevel !== 'silent') {
    console.log(`Mail to ${letter.to}: ${letter.subject}${letter.link ? `\n  ${letter.link}` : ''}`);
  }
}
