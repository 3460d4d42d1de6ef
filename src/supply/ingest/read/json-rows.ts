// Reads a JSON list of lists whose first list holds the names: the format of the Census Bureau API.
import { json } from 'node:stream/consumers';
import { cellsOf, type Table } from './rows.ts';

/** Read whole: a response is one state's tracts, a megabyte or two. */
export async function readJsonRows(bytes: AsyncIterable<Buffer>): Promise<Table> {
  const [names = [], ...lists] = (await json(bytes)) as unknown[][];
  const header = names.map(String);
  async function* rows() {
    yield lists.map((list, i) => ({ line: i + 2, cells: cellsOf({ ...list }, Object.keys(header)) }));
  }
  return { header, rows: rows() };
}
