// Passwords: argon2id as OWASP recommends (19 MiB, two passes) with bounded concurrency, and zxcvbn to reject easily
// guessed ones. Where the operator names a service, breached passwords are refused as well.
import { createHash } from 'node:crypto';
import { createTurns } from '../../base/lib/turns.ts';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { fail } from '../../base/lib/errors.ts';

// 2 is argon2id; the package declares its names as const enums, which do not exist at run time.
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 10;
const MAX_LENGTH = 200;
/** Of 0 to 4. 3 means at least 10^8 guesses: out of reach for guessing online, and slow against a stolen hash. */
const MIN_SCORE = 3;
/** The estimator is quadratic in length; the start of a long password is a good enough sample. */
const MAX_JUDGED = 64;
/** As many as an idle process hashes in about two seconds; beyond that callers get a 503. */
const MAX_WAITING = 64;
const RETRY_AFTER_SECONDS = 5;
const BREACHED_TIMEOUT_MS = 3_000;
const BREACHED = 'This password was found in a breach of another service. Choose one that you use nowhere else.';

interface About {
  email: string;
  name?: string;
  company?: string | null;
}

interface Passwords {
  /** Throws `invalid_request` with the reason when the password is too easy to guess. */
  check(password: string, about: About): Promise<void>;
  hash(password: string): Promise<string>;
  /** Does the same work for a user who does not exist or has no password. */
  isRight(stored: string | null | undefined, password: string): Promise<boolean>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    passwords: Passwords;
  }
}

interface PasswordOptions {
  /** Tests that sign in often pay for cheaper hashes. */
  cost?: typeof OPTIONS;
  /** Of a service that answers as Have I Been Pwned does: `<url>/<first five digits of the SHA-1>`. */
  breachedUrl?: string;
  onUnreachable?: (error: Error) => void;
}

export function createPasswords({ cost = OPTIONS, breachedUrl, onUnreachable }: PasswordOptions = {}): Passwords {
  // Rejects callers when the queue is full, instead of slowing everyone.
  const run = createTurns({
    most: Math.max(1, Math.floor(availableParallelism() / 2)),
    mostWaiting: MAX_WAITING,
    refuse: () =>
      fail('unavailable', 'Too many sign-ins at the moment. Try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  });
  let estimator: Promise<ZxcvbnFactory> | undefined;
  let decoy: Promise<string> | undefined;
  return {
    async check(password, about) {
      const problem =
        findProblem(await (estimator ??= loadEstimator()), password, about) ??
        (breachedUrl !== undefined && (await isBreached(breachedUrl, password).catch(onUnreachable))
          ? BREACHED
          : undefined);
      if (problem === undefined) return;
      fail('invalid_request', problem, {
        errors: [{ pointer: '/body/password', code: 'weak', detail: problem.replace(/\.$/, '') }],
      });
    },
    hash: (password) => run(() => hash(password, cost)),
    async isRight(stored, password) {
      const known = stored ?? (await (decoy ??= hash('nobody has this password', cost)));
      const isMatch = await run(() => verify(known, password));
      return isMatch && stored != null;
    },
  };
}

/** Sends a hash prefix shared by hundreds of passwords, so the service learns none. Fails open if unavailable. */
async function isBreached(url: string, password: string): Promise<boolean> {
  const sha1 = createHash('sha1').update(password).digest('hex').toUpperCase();
  const answer = await fetch(`${url}/${sha1.slice(0, 5)}`, {
    headers: { 'add-padding': 'true' },
    signal: AbortSignal.timeout(BREACHED_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`the list of breached passwords answered ${answer.status}`);
  // Padding has a count of zero.
  return new RegExp(`^${sha1.slice(5)}:[1-9]`, 'm').test(await answer.text());
}

/** Loaded on first use: the dictionaries take megabytes that most commands never need. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [core, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new core.ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  });
}

function findProblem(estimator: ZxcvbnFactory, password: string, about: About): string | undefined {
  const { email, name = '', company } = about;
  if (password.length < MIN_LENGTH) return `Use at least ${MIN_LENGTH} characters.`;
  if (password.length > MAX_LENGTH) return `Use at most ${MAX_LENGTH} characters.`;
  const personal = [
    email,
    ...email.split(/[@.+_-]/),
    ...name.split(/\s+/),
    ...(company ?? '').split(/\s+/),
    'platbook',
  ];
  const words = personal.filter((word) => word.length > 2);
  const own = words.reduce((rest, word) => rest.replaceAll(word.toLowerCase(), ''), password.toLowerCase());
  if (own.length < MIN_LENGTH) return 'Leave your name, email and company out of your password.';
  const { score, feedback } = estimator.check(password.slice(0, MAX_JUDGED), words);
  if (score >= MIN_SCORE) return undefined;
  const reason = feedback.warning || 'This password is easy to guess.';
  const advice = feedback.suggestions[0] ?? 'Add more words that are less common.';
  return `${reason} ${advice}`;
}
