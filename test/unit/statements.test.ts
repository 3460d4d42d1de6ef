// Statements as tagged templates: what travels as a parameter, and what is part of the text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Queryable } from '../../src/base/db/postgres.ts';
import { changeRows, findRow, getRow, listRows, raw } from '../../src/base/db/statements.ts';

function recorder(rows: object[]) {
  const sent: unknown[] = [];
  const query = async (statement: unknown) => {
    sent.push(statement);
    return { rows, rowCount: rows.length };
  };
  return { db: { query } as unknown as Queryable, sent };
}

describe('a statement', () => {
  it('sends values as parameters, numbered in their order, and text of our own as it is', async () => {
    const { db, sent } = recorder([]);
    const columns = raw('id, name');
    await listRows(db)`select ${columns} from users where id = ${`'; drop table users; --`} or name = ${null}`;
    assert.deepEqual(sent, [
      {
        name: undefined,
        text: 'select id, name from users where id = $1 or name = $2',
        values: [`'; drop table users; --`, null],
      },
    ]);
  });

  it('is prepared under its name', async () => {
    const { db, sent } = recorder([]);
    await findRow(db, 'find_user')`select 1 from users where id = ${7}`;
    assert.deepEqual(sent, [{ name: 'find_user', text: 'select 1 from users where id = $1', values: [7] }]);
  });

  it('answers with all rows, the first, or their number', async () => {
    const { db } = recorder([{ n: 1 }, { n: 2 }]);
    assert.deepEqual(await listRows(db)`select n from t`, [{ n: 1 }, { n: 2 }]);
    assert.deepEqual(await findRow(db)`select n from t`, { n: 1 });
    assert.deepEqual(await getRow(db)`select n from t`, { n: 1 });
    assert.equal(await changeRows(db)`delete from t`, 2);
    assert.equal(await findRow(recorder([]).db)`select n from t`, undefined);
  });
});
