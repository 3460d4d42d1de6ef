// Gives rows a point geometry from coordinate cells, such as state plane columns.
import { CommandError } from '../../../base/lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import type { Geometry } from './geometry.ts';
import { projectionNamed } from '../../../base/lib/projection.ts';
import type { Row, Table } from './rows.ts';

export function withPoints(table: Table, { point, projection }: FileFormat): Table {
  if (!point) return table;
  const [x, y] = (typeof point === 'string' ? [point] : [point.x, point.y]).map((name) => positionOf(name, table));
  const project = projection ? projectionNamed(projection) : undefined;
  const pointOf = (cells: string[]): Geometry | undefined => {
    const found = y === undefined ? pairIn(cells[x] ?? '') : [numberIn(cells[x]), numberIn(cells[y])];
    if (!found || Number.isNaN(found[0] + found[1]) || (found[0] === 0 && found[1] === 0)) return undefined;
    const [longitude, latitude] = project ? project(found[0], found[1]) : inDegrees(found[0], found[1]);
    // Zeros and typos end up far away.
    if (!(latitude > 17 && latitude < 72 && longitude > -180 && longitude < -64)) return undefined;
    return { type: 'point', point: { latitude, longitude } };
  };
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const batch of table.rows)
      yield batch.map((row) => ({ ...row, geometry: row.geometry ?? pointOf(row.cells) }));
  }
  return { ...table, rows: rows(), hasShapes: true };
}

function positionOf(name: string, { header }: Table): number {
  const found = header.findIndex((column) => column.toLowerCase() === name.toLowerCase());
  if (found < 0) throw new CommandError(`The file has no column ${name}, which \`point\` names.`);
  return found;
}

const numberIn = (cell: string | undefined) => (cell?.trim() ? Number(cell.replaceAll(',', '')) : Number.NaN);

/** `POINT (-78.5 38.03)`, `(38.03, -78.5)`, and the `M_105254_891892` of Massachusetts. */
function pairIn(text: string): number[] | undefined {
  const numbers = text.match(/-?\d+(?:\.\d+)?/g)?.map(Number);
  return numbers && numbers.length >= 2 ? numbers.slice(0, 2) : undefined;
}

/** In the US the negative one is the longitude, in either order. */
const inDegrees = (first: number, second: number): [number, number] => (second < 0 ? [second, first] : [first, second]);
