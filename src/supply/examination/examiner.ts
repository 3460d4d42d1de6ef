// Examines a load in one pass over its rows: every cell that is read, every record that is made, every parcel number.
import { entryOf } from '../../base/lib/must.ts';
import { ROW_CHECKS } from './checks/rows.ts';
import { WHOLE_CHECKS } from './checks/whole.ts';
import { CELL_CHECKS, readWritten, type CellCheck, type CheckText, type Found } from './check.ts';
import { type DateOrders, Examined, type PlaceColumn } from './examined.ts';
import type { Finding, Limits } from './finding.ts';
import { FIELDS } from './figures.ts';
import { present } from './present.ts';
import { FieldProfile, type FieldSummary } from './sample.ts';
import type { Subject } from './subject.ts';
import { emptyTally, note, type Tally } from './tally.ts';

/** The row as it was read and the records it became. */
export interface SeenRow {
  line: number;
  cells: string[];
  records: { target: string; values: unknown[] }[];
}

type RowCheck = (typeof ROW_CHECKS)[number];

interface CellWatch {
  column: string;
  at: number;
  tests: { check: CellCheck; tally: Tally }[];
  orders?: DateOrders;
}

/** What a home has once, whatever row tells of it. */
const FACTS = [...FIELDS].filter(([, { fact }]) => fact).map(([path]) => path.split('.'));
/** Columns by their names. */
const NAMED = new Map([...readWritten<string>('columns')].map(([kind, pattern]) => [kind, new RegExp(pattern, 'i')]));
const isNamed = (kind: string, name: string) => entryOf(NAMED, kind).test(name);
const MOST_PLACES = 500;
/** The count of a check that a cell has refuted: no number of wrong cells raises it above zero again. */
const REFUTED = -Infinity;

/** Kinds of reading by what their cells must look like. */
const readsOf = (kind: string): CellCheck['reads'] | undefined => {
  if (/^(whole|dollars)\b/.test(kind)) return 'amounts';
  if (/^date\b/.test(kind)) return 'dates';
  return /^(text|upper|lower|title|join|names)\b/.test(kind) ? 'words' : undefined;
};
const UNREAD_KINDS = /^(whole|decimal|times|longitude|zip|date)\b/;
/** Nothing, zero, or a day that stands for none. */
const MEANS_NOTHING =
  /^[\s0.,$-]*$|^(?:NULL|<Null>|\\N|N\/?A|#N\/A|None|NaN|NaT)$|^0?1.?0?1.?(?:1[0-8]|190)|190[01].?01.?01|1899.?12|9999|^0001/i;

export class Examiner {
  readonly exam: Examined;
  readonly #positions = new Map<string, Map<string, number>>();
  #rowTests: { check: RowCheck; tally: Tally; on: { name: string; target: string; at: number }[] }[] = [];
  #profiles: { target: string; at: number; profile: FieldProfile }[] = [];
  #cells: CellWatch[] = [];
  readonly #cellTallies = new Map<string, { check: CellCheck; column: string; tally: Tally }>();
  #mailLines: number[] = [];
  #last: { key: string; door: string; cells: string[] } | undefined;

  /** `columnsOf` lists the staged columns of a table, in the order of a record's values. */
  constructor(subject: Subject, columnsOf: (target: string) => string[]) {
    this.exam = new Examined(subject);
    const targets = new Set(subject.fields.map(({ target }) => target));
    const isRead = new Set(subject.fields.map(({ target, name }) => `${target}.${name}`));
    for (const target of targets) this.#positions.set(target, new Map(columnsOf(target).map((name, i) => [name, i])));
    const place = (path: string) => {
      const [target, name] = path.split('.');
      return { name, target, at: this.#positions.get(target)?.get(name) ?? -1 };
    };
    const isThere = (path: string) => (isRead.has(path) || FIELDS.get(path)?.derived) && place(path).at >= 0;
    this.#rowTests = ROW_CHECKS.filter(({ on }) => on.every(isThere)).map((check) => ({
      check,
      tally: emptyTally(),
      on: check.on.map(place),
    }));
    for (const path of FIELDS.keys()) {
      if (!isThere(path)) continue;
      const profile = new FieldProfile();
      this.exam.fields.set(path, profile);
      this.#profiles.push({ ...place(path), profile });
    }
  }

  openFile(header: string[], find: (column: string) => number): void {
    const { exam } = this;
    const { subject } = exam;
    exam.header = header;
    this.#mailLines = header.flatMap((name, at) => (isNamed('mail_line', name) ? [at] : []));
    for (const mail of exam.mail) mail.at = header.findIndex((name) => isNamed(`mail_${mail.about}`, name));
    exam.telling = { pairs: 0, byColumn: header.map(() => 0) };
    this.#last = undefined;
    // Next to a mailing address, a state without a kind is where the owner gets mail.
    const hasMail = header.some((name) => /mail/i.test(name));
    exam.placeColumns = header.flatMap((name, at): PlaceColumn[] => {
      if (subject.personal.has(name.toLowerCase()) || /own|mail|tax/i.test(name)) return [];
      if (hasMail && /^(?:state|st)/i.test(name)) return [];
      const kind = (['county', 'state', 'mark'] as const).find((each) => isNamed(each, name));
      const before = exam.placeColumns.find((column) => column.name === name);
      return kind ? [{ name, kind, at, values: before?.values ?? new Map() }] : [];
    });
    const watched = new Map<string, CellWatch>();
    for (const { kind, columns } of subject.fields) {
      const reads = readsOf(kind);
      for (const column of reads ? columns : []) {
        const at = find(column);
        if (at < 0 || watched.has(column)) continue;
        watched.set(column, {
          column,
          at,
          tests: CELL_CHECKS.filter((check) => check.reads === reads).map((check) =>
            kept(this.#cellTallies, `${check.id}:${column}`, () => ({ check, column, tally: emptyTally() })),
          ),
          ...(reads === 'dates' && { orders: kept(exam.dates, column, () => noOrders(column)) }),
        });
      }
    }
    this.#cells = [...watched.values()];
    for (const field of subject.fields) {
      const valueAt = this.#positions.get(field.target)?.get(field.name) ?? -1;
      if (field.columns.length !== 1 || !UNREAD_KINDS.test(field.kind) || valueAt < 0) continue;
      const at = find(field.columns[0]);
      const known = exam.unread.find((entry) => entry.field === field);
      if (known) known.at = at;
      else exam.unread.push({ ...emptyTally(), field, at, valueAt });
    }
  }

  see(row: SeenRow): void {
    const { exam } = this;
    exam.rows++;
    this.#seeCells(row);
    if (row.records.length === 0) return;
    const first = new Map<string, unknown[]>();
    for (const { target, values } of row.records) if (!first.has(target)) first.set(target, values);
    for (const { target, at, profile } of this.#profiles) {
      const values = first.get(target);
      if (values) profile.add(values[at]);
    }
    this.#seeUnread(row, first);
    this.#testRow(row, first);
    this.#seeKey(row, first);
    this.#seeMail(row, first);
    exam.neighbors.see(row.line, (target, name) => this.#valueOf(first, target, name));
  }

  #seeCells({ cells, line, records }: SeenRow): void {
    for (const { kind, at, values } of this.exam.placeColumns) {
      if (kind === 'mark' && records.length === 0) continue;
      const value = (cells[at] ?? '').trim().toUpperCase();
      if (value !== '' && (values.size < MOST_PLACES || values.has(value)))
        values.set(value, (values.get(value) ?? 0) + 1);
    }
    for (const { column, at, tests, orders } of this.#cells) {
      const cell = cells[at];
      if (cell === undefined || cell === '') continue;
      for (const { check, tally } of tests) {
        if (check.isRefuted(cell)) tally.count = REFUTED;
        note(tally, check.isWrong(cell), () => this.#shown(column, cell, line));
      }
      if (orders) followOrder(orders, cell, line);
    }
  }

  #shown(column: string, cell: string, line: number): string {
    if (this.exam.subject.personal.has(column.toLowerCase())) return `line ${line}`;
    return `line ${line}: ${cell.replace(/\s+/g, ' ').slice(0, 60)}`;
  }

  #seeUnread({ cells, line }: SeenRow, first: Map<string, unknown[]>): void {
    for (const unread of this.exam.unread) {
      const values = first.get(unread.field.target);
      if (!values) continue;
      const isRead = (values[unread.valueAt] ?? null) !== null;
      const cell = cells[unread.at] ?? '';
      if (isRead || !MEANS_NOTHING.test(cell))
        note(unread, !isRead, () => this.#shown(unread.field.columns[0], cell, line));
    }
  }

  #testRow({ line }: SeenRow, first: Map<string, unknown[]>): void {
    const { subject } = this.exam;
    for (const { check, tally, on } of this.#rowTests) {
      const values = on.map(({ target, at }) => first.get(target)?.[at] ?? null);
      const isAsked = check.isAsked?.(values) ?? !values.some((value) => value === null || value === '');
      const isWrong = isAsked ? check.isWrong(values, subject) : undefined;
      const shown = () => `line ${line}: ${on.map(({ name }, i) => `${name} ${String(values[i])}`).join(', ')}`;
      if (isWrong !== undefined) note(tally, isWrong, shown);
    }
  }

  #valueOf(first: Map<string, unknown[]>, target: string, name: string): unknown {
    return first.get(target)?.[this.#positions.get(target)?.get(name) ?? -1] ?? null;
  }

  #seeKey({ cells, line }: SeenRow, first: Map<string, unknown[]>): void {
    const { exam } = this;
    const property = first.get('properties');
    if (!property) return;
    const valueOf = (name: string, target = 'properties') => this.#valueOf(first, target, name);
    const key = valueOf('property_id');
    const apn = valueOf('apn');
    if (typeof apn === 'string') exam.parcels.add(apn);
    const [latitude, longitude] = [valueOf('latitude'), valueOf('longitude')];
    if (typeof latitude === 'number' && typeof longitude === 'number') exam.points.add([latitude, longitude]);
    const address = valueOf('address_line1');
    if (typeof address === 'string') this.#seeAddress(address);
    if (typeof key !== 'string') return;
    const [soldOn, precision] = ['sale_date', 'date_precision'].map((name) => valueOf(name, 'transactions'));
    const isByMonth = soldOn !== null && precision === 'month';
    const door = doorOf(address, valueOf('address_unit'));
    const seen = exam.keys.see(
      {
        key,
        door,
        row: cells.join('\u0001'),
        // A home may be sold twice in a month.
        day: isByMonth ? String(line) : `${String(soldOn)} ${String(valueOf('year', 'assessments'))}`,
        facts: FACTS.map(([target, name]) => valueOf(name, target)).join(),
      },
      () => `line ${line}: ${String(apn)}, ${String(address ?? 'no address')}`,
    );
    if (seen === 'clash' && this.#last?.key === key && this.#last.door !== door) {
      exam.telling.pairs++;
      for (let i = 0; i < cells.length; i++)
        if (cells[i] !== this.#last.cells[i] && cells[i] !== '') exam.telling.byColumn[i]++;
    }
    this.#last = { key, door, cells };
  }

  #seeMail({ cells, line }: SeenRow, first: Map<string, unknown[]>): void {
    const plain = (at: number) => (cells[at] ?? '').trim().replace(/\s+/g, ' ').toUpperCase();
    const address = this.#valueOf(first, 'properties', 'address_line1');
    if (!this.#mailLines.some((at) => plain(at) === address)) return;
    for (const mail of this.exam.mail) {
      const [own, said] = [this.#valueOf(first, 'properties', mail.about), plain(mail.at)];
      if (typeof own === 'string' && said !== '') note(mail, !said.startsWith(own.toUpperCase()), () => `line ${line}`);
    }
  }

  /** A sample, because reading an address takes ten times as long as everything else here. */
  #seeAddress(line: string): void {
    const { addresses, subject } = this.exam;
    const { unfiled, untyped } = addresses;
    if (!subject.addresses || (unfiled.total > 2000 && this.exam.rows % 64 !== 0)) return;
    const key = subject.addresses.keyOf(line);
    note(unfiled, key === undefined, () => line);
    note(untyped, key?.split('|')[3] === '' && !/BROADWAY/i.test(line), () => line);
  }

  /** The findings in the order of the tables, and the figures by which the next load is compared. */
  finish(): { findings: Finding[]; figures: Record<string, FieldSummary> } {
    const findings: Finding[] = [];
    const add = (check: CheckText & Limits, found: Found) => findings.push(...present(check, found));
    for (const { check, tally } of this.#rowTests) add(check, tally);
    for (const { check, column, tally } of this.#cellTallies.values()) add(check, { ...tally, about: column });
    this.exam.neighbors.finish();
    for (const check of WHOLE_CHECKS) for (const found of check.find(this.exam)) add(check, found);
    const figures = [...this.exam.fields].map(([path, profile]) => [path, profile.summary] as const);
    return { findings, figures: Object.fromEntries(figures) };
  }
}

/** What a map has under a key; made where it has nothing. */
function kept<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const noOrders = (column: string): DateOrders => ({ column, monthFirst: 0, dayFirst: 0, either: 0, examples: [] });

/** The house number and the unit: all spellings of one address agree in them. */
function doorOf(address: unknown, unit: unknown): string {
  const words = typeof address === 'string' ? address.toUpperCase().split(/\s+/) : [];
  const number = /^\d+/.exec(words[0] ?? '')?.[0] ?? '';
  const inLine = typeof address === 'string' ? (/(?:#|\b(?:UNIT|APT|STE))\s*(\S+)\s*$/i.exec(address)?.[1] ?? '') : '';
  const door = typeof unit === 'string' && unit !== '' ? unit : inLine;
  return number === '' && door === '' ? '' : `${number}|${door.toUpperCase()}`;
}

const NUMERIC_DATE = /^\s*(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}\b/;

function followOrder(orders: DateOrders, cell: string, line: number): void {
  const found = NUMERIC_DATE.exec(cell);
  if (!found) return;
  const [first, second] = [Number(found[1]), Number(found[2])];
  if (first > 12) {
    orders.dayFirst++;
    if (orders.examples.length < 3) orders.examples.push(`line ${line}: ${cell.slice(0, 30)}`);
  } else if (second > 12) orders.monthFirst++;
  else if (first !== second) orders.either++;
}
