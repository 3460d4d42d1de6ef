// The time of an account: the instant of its test clock, or the present. A test clock's account is of the sandbox, and
// metered and billed like a live one.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { getValue, part, type Part } from '../../base/db/statements.ts';
import type { KeyMode } from './key-format.ts';
import type { AccountRow, KeyRow } from './sql.ts';

type Clocked = Pick<AccountRow, 'clock_at'>;

export const nowOf = ({ clock }: Pick<Deps, 'clock'>, account: Clocked): Date => account.clock_at ?? clock();

/** Whether calls are counted and charged to the account. */
export const isMetered = ({ account, key }: { account: Clocked; key: Pick<KeyRow, 'mode'> }): boolean =>
  key.mode === 'live' || account.clock_at !== null;

/** The mode of the account's invoice and usage events. */
export const modeOfBooks = (account: Clocked): KeyMode => (account.clock_at === null ? 'live' : 'test');

export const readNow = async ({ clock }: Pick<Deps, 'clock'>, db: Queryable, accountId: string): Promise<Date> =>
  (await getValue<Date | null>(db)`select clock_at from accounts where id = ${accountId}`) ?? clock();

/** Whether a row is due in the present, or for one account: the rows of a test clock wait until it is advanced. */
export const isScheduledFor = (accountId: string | undefined): Part =>
  accountId === undefined
    ? part`not exists (select from accounts c where c.id = account_id and c.clock_at is not null)`
    : part`account_id = ${accountId}`;
