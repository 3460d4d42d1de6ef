// Parses CQL2 text, the language of OGC filters, into a condition on columns and at most one place.
import { isDay, isInstant } from '../../base/http/validation.ts';
import { fail } from '../../base/lib/errors.ts';
import { COMPARISONS, type Expression } from '../../records/properties/expression.ts';
import type { Geometry } from '../../records/properties/geometry.ts';
import type { Static } from 'typebox';
import type { Column } from './columns.ts';

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|("(?:[^"]|"")+"|[A-Za-z_][\w.]*)|([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(<>|<=|>=|[=<>(),]))/iy;
const MAX_TERMS = 100;
const MAX_DEPTH = 20;

interface Token {
  kind: 'text' | 'word' | 'number' | 'sign';
  value: string;
}
type Value = string | number | boolean;

export interface ParsedFilter {
  expression?: Expression;
  geometry?: Static<typeof Geometry>;
}

/** `columns` are those the caller may filter by; `find` rejects others with its own error. */
export function readCql2(text: string, find: (name: string) => Column): ParsedFilter {
  const reader = new Reader(tokensOf(text), find);
  const expression = reader.readAll();
  return { expression, geometry: reader.geometry };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const [, quoted, word, number, sign] =
      TOKEN.exec(text) ?? refuse(`\`${text.slice(at, at + 20).trim()}\` is not CQL2`);
    if (quoted !== undefined) tokens.push({ kind: 'text', value: quoted.slice(1, -1).replaceAll(`''`, `'`) });
    else if (word !== undefined)
      tokens.push({ kind: 'word', value: word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else tokens.push({ kind: 'sign', value: sign });
  }
  return tokens;
}

/** Recursive descent: or, and, not, then one test. */
class Reader {
  geometry: ParsedFilter['geometry'];
  private at = 0;
  private terms = 0;
  private readonly tokens: Token[];
  private readonly find: (name: string) => Column;

  constructor(tokens: Token[], find: (name: string) => Column) {
    this.tokens = tokens;
    this.find = find;
  }

  readAll(): Expression | undefined {
    const expression = this.readOr(0, true);
    if (this.at < this.tokens.length) refuse(`\`${this.tokens[this.at].value}\` is not expected there`);
    return expression;
  }

  /** `isTop` if all conditions must hold: only then can a place narrow the search. */
  private readOr(depth: number, isTop: boolean): Expression | undefined {
    if (depth > MAX_DEPTH) refuse(`it is nested more than ${MAX_DEPTH} levels deep`);
    const hasOr = isTop && this.hasOrHere();
    const parts = [this.readAnd(depth, isTop && !hasOr)];
    while (this.takeWord('OR')) parts.push(this.readAnd(depth, false));
    return combine('or', parts);
  }

  private readAnd(depth: number, isTop: boolean): Expression | undefined {
    const parts = [this.readNot(depth, isTop)];
    while (this.takeWord('AND')) parts.push(this.readNot(depth, isTop));
    return combine('and', parts);
  }

  private readNot(depth: number, isTop: boolean): Expression | undefined {
    if (this.takeWord('NOT')) return { op: 'not', of: required(this.readNot(depth + 1, false)) };
    if (this.takeSign('(')) {
      const inner = this.readOr(depth + 1, isTop);
      this.expectSign(')');
      return inner;
    }
    if (++this.terms > MAX_TERMS) refuse(`it has more than ${MAX_TERMS} conditions`);
    return this.isWord('S_INTERSECTS') ? this.readPlace(isTop) : this.readTest();
  }

  /** Whether there is an OR at this level of parentheses, which makes each of its parts optional. */
  private hasOrHere(): boolean {
    let depth = 0;
    for (const { kind, value } of this.tokens.slice(this.at)) {
      if (kind === 'sign' && value === '(') depth += 1;
      if (kind === 'sign' && value === ')' && --depth < 0) return false;
      if (depth === 0 && kind === 'word' && value.toUpperCase() === 'OR') return true;
    }
    return false;
  }

  private readTest(): Expression {
    const next = this.tokens.at(this.at);
    if (next && (next.kind !== 'word' || this.isLiteral())) return this.readReversed();
    const column = this.find(this.take('word', 'a property').value);
    if (this.takeWord('IS')) {
      const isNot = this.takeWord('NOT');
      if (!this.takeWord('NULL')) refuse('`IS` is followed by `NULL` or `NOT NULL`');
      const test: Expression = { op: 'null', operand: column };
      return isNot ? { op: 'not', of: test } : test;
    }
    const isNot = this.takeWord('NOT');
    const test = this.readListOrRange(column);
    if (test) return isNot ? { op: 'not', of: test } : test;
    const sign = this.take('sign', 'a comparison').value;
    return { op: 'compare', operand: column, is: comparisonOf(sign), value: this.readValue(column) };
  }

  private readListOrRange(operand: Column): Expression | undefined {
    if (this.takeWord('LIKE')) {
      if (operand.type !== 'string') refuse('`LIKE` is for texts');
      return { op: 'like', operand, pattern: this.take('text', 'a pattern').value };
    }
    if (this.takeWord('BETWEEN')) {
      const low = this.readValue(operand);
      if (!this.takeWord('AND')) refuse('`BETWEEN` needs two values with `AND`');
      return { op: 'between', operand, low, high: this.readValue(operand) };
    }
    if (!this.takeWord('IN')) return undefined;
    this.expectSign('(');
    const values = [this.readValue(operand)];
    while (this.takeSign(',')) values.push(this.readValue(operand));
    this.expectSign(')');
    return { op: 'in', operand, values };
  }

  /** A value before its property: 3 < bedrooms. */
  private readReversed(): Expression {
    const start = this.at;
    while (this.at < this.tokens.length && !this.isComparison()) this.at += 1;
    const sign = comparisonOf(this.take('sign', 'a comparison').value);
    const column = this.find(this.take('word', 'a property').value);
    const end = this.at;
    this.at = start;
    const value = this.readValue(column);
    this.at = end;
    return { op: 'compare', operand: column, is: MIRRORED[sign] ?? sign, value };
  }

  private readValue({ type, title }: Column): Value {
    const wrapper = this.takeWord('DATE') || this.takeWord('TIMESTAMP');
    if (wrapper) this.expectSign('(');
    const { kind, value } = this.tokens.at(this.at++) ?? refuse('it ends where a value is expected');
    if (wrapper) this.expectSign(')');
    if (type === 'integer' || type === 'number') {
      if (kind !== 'number' || !Number.isFinite(Number(value)))
        refuse(`${title} is compared with a number, not \`${value}\``);
      // PostgreSQL would round 2.5 to an integer and change the meaning.
      if (type === 'integer' && !Number.isSafeInteger(Number(value))) refuse(`${title} is a whole number`);
      return Number(value);
    }
    if (type === 'boolean') {
      const word = value.toLowerCase();
      return word === 'true' || word === 'false'
        ? word === 'true'
        : refuse(`${title} is TRUE or FALSE, not \`${value}\``);
    }
    if (kind !== 'text') refuse(`${title} is compared with a text in single quotes, not \`${value}\``);
    if (type !== 'string' && !isDay(value) && !(type === 'instant' && isInstant(value)))
      refuse(`${title} is a ${type === 'date' ? 'day' : 'time'}, not \`${value}\``);
    return value;
  }

  private readPlace(isTop: boolean): undefined {
    if (!isTop || this.geometry) refuse('`S_INTERSECTS` may be used once, beside conditions that all hold');
    this.at += 1;
    this.expectSign('(');
    this.take('word', 'the geometry');
    this.expectSign(',');
    this.geometry = this.readShape();
    this.expectSign(')');
  }

  private readShape(): NonNullable<ParsedFilter['geometry']> {
    const word = this.take('word', 'a polygon').value.toUpperCase();
    if (word === 'BBOX' || word === 'ENVELOPE') {
      const [west, south, east, north, ...more] = this.readNumbers();
      if (north === undefined || more.length > 0) refuse('a box has four numbers');
      const ring = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ];
      return { type: 'Polygon', coordinates: [ring] };
    }
    if (word === 'POLYGON') return { type: 'Polygon', coordinates: this.readNested(1) };
    if (word === 'MULTIPOLYGON') return { type: 'MultiPolygon', coordinates: this.readNested(2) };
    return refuse('a place is a POLYGON, a MULTIPOLYGON or a BBOX');
  }

  private readNumbers(): number[] {
    this.expectSign('(');
    const numbers: number[] = [];
    do numbers.push(Number(this.take('number', 'a number').value));
    while (this.takeSign(','));
    this.expectSign(')');
    return numbers;
  }

  /** Lists of rings, and at depth 0 the positions of a ring. */
  private readNested(depth: number): unknown[] {
    this.expectSign('(');
    const items: unknown[] = [];
    do {
      if (depth > 0) items.push(this.readNested(depth - 1));
      else
        items.push([Number(this.take('number', 'a longitude').value), Number(this.take('number', 'a latitude').value)]);
    } while (this.takeSign(','));
    this.expectSign(')');
    return items;
  }

  private isWord(word: string, at = this.at): boolean {
    const token = this.tokens.at(at);
    return token?.kind === 'word' && token.value.toUpperCase() === word;
  }
  private isLiteral = () => ['DATE', 'TIMESTAMP', 'TRUE', 'FALSE'].some((word) => this.isWord(word));
  private isComparison = () => {
    const { kind, value } = this.tokens[this.at];
    return kind === 'sign' && value !== '(' && value !== ')';
  };
  private takeWord(word: string): boolean {
    const isThere = this.isWord(word);
    if (isThere) this.at += 1;
    return isThere;
  }
  private takeSign(sign: string): boolean {
    const token = this.tokens.at(this.at);
    const isThere = token?.kind === 'sign' && token.value === sign;
    if (isThere) this.at += 1;
    return isThere;
  }
  private expectSign(sign: string): void {
    if (!this.takeSign(sign))
      refuse(`\`${sign}\` is missing before \`${this.tokens.at(this.at)?.value ?? 'its end'}\``);
  }
  private take(kind: Token['kind'], what: string): Token {
    const token = this.tokens.at(this.at++);
    return token?.kind === kind ? token : refuse(`${what} is expected before \`${token?.value ?? 'its end'}\``);
  }
}

const MIRRORED: Partial<Record<string, (typeof COMPARISONS)[number]>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

const comparisonOf = (sign: string) =>
  COMPARISONS.find((each) => each === sign) ?? refuse(`\`${sign}\` is not a comparison`);

/** Combines the parts other than the place, which was already extracted. */
function combine(op: 'and' | 'or', parts: (Expression | undefined)[]): Expression | undefined {
  const of = parts.filter((each) => each !== undefined);
  return of.length > 1 ? { op, of } : of[0];
}

const required = (expression: Expression | undefined) => expression ?? refuse('a condition is missing');

function refuse(why: string): never {
  const detail = `filter: ${why}`;
  return fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/filter', code: 'invalid', detail }] });
}
