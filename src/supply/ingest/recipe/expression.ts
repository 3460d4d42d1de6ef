// Expressions of a recipe: CEL over the cells of a row. They can access only those cells, cannot loop endlessly, and
// match patterns only on short text.
import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { isoDate } from '../../../base/lib/clock.ts';
import { CommandError } from '../../../base/lib/command-error.ts';
import { recordId } from '../../../base/lib/ids.ts';
import type { Field, Value } from '../source.ts';
import { BadValue } from '../map/values.ts';
import { compilePattern, LONGEST_MATCHED } from './pattern.ts';

/** An expression is at most a few lines: anything longer is a program and belongs elsewhere. */
const LIMITS = { maxAstNodes: 1000, maxDepth: 60, maxListElements: 100, maxMapEntries: 200, maxCallArguments: 16 };

/** Cells repeat within a column, so most rows hit the memo. */
const MEMO_SIZE = 20_000;
const MEMO_TRIAL = 2000;

type Cells = Record<string, unknown>;
type Evaluate = (cells: Cells) => unknown;

/** The item of a record with `each`; its members are the columns that begin with a dot. */
const ITEM = 'item';

export function expressionField(text: string): Field {
  const { columns, evaluate } = compile(text);
  // CEL's own matches() would accept text of any length.
  const isMatched = /\bmatches\s*\(/.test(text);
  const members = columns.filter((column) => column.startsWith('.'));
  const rowOf = (cells: string[]): Cells => {
    const row: Cells = { [NOTHING]: null };
    for (let i = 0; i < cells.length; i++) row[columns[i]] = cells[i];
    if (members.length > 0) row[ITEM] = Object.fromEntries(members.map((member) => [member.slice(1), row[member]]));
    return row;
  };
  const memo = new Map<string, Value>();
  let [asked, found] = [0, 0];
  return {
    kind: `expression ${text}`,
    columns,
    read(cells) {
      const trimmed = cells.map((cell) => cell?.trim() ?? '');
      if (isMatched) trimmed.forEach(short);
      // Memoization does not pay off if hardly any cell occurs twice.
      if (asked > MEMO_TRIAL && found < asked / 2) return toValue(evaluate, rowOf(trimmed));
      const key = trimmed.length === 1 ? trimmed[0] : trimmed.join('\u0001');
      asked++;
      let value = memo.get(key);
      if (value === undefined) {
        value = toValue(evaluate, rowOf(trimmed));
        if (memo.size >= MEMO_SIZE) memo.clear();
        memo.set(key, value);
      } else found++;
      return value;
    },
  };
}

function toValue(evaluate: Evaluate, row: Cells): Value {
  let result: unknown;
  try {
    result = evaluate(row);
  } catch (error) {
    if (error instanceof BadValue) throw error;
    throw new BadValue('expression_failed');
  }
  if (typeof result === 'bigint') return Number(result);
  if (result === undefined || result === '' || (typeof result === 'number' && !Number.isFinite(result))) return null;
  return result as Value;
}

function compile(text: string): { columns: string[]; evaluate: Evaluate } {
  try {
    const columns = columnsOf(vocabulary().parse(text).ast);
    const environment = vocabulary();
    for (const name of columns) if (!name.startsWith('.')) environment.registerVariable(name, 'string');
    environment.registerVariable(ITEM, 'map<string, string>');
    const parsed = environment.parse(text);
    const checked = parsed.check();
    if (!checked.valid) throw checked.error ?? new Error('it is not valid');
    return { columns, evaluate: parsed };
  } catch (error) {
    throw new CommandError(`the expression \`${text}\` cannot be used: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** The columns an expression reads: every name that is not bound by a macro such as `filter(x, …)`. */
function columnsOf(ast: ASTNode): string[] {
  const found = new Set<string>();
  const visit = (node: ASTNode, bound: ReadonlySet<string>): void => {
    const { op, args } = node as { op: string; args: unknown };
    if (op === 'id') {
      if (!bound.has(args as string)) found.add(args as string);
      return;
    }
    if (op === '.') {
      const [object, member] = args as [ASTNode, string];
      if (object.op === 'id' && object.args === ITEM) found.add(`.${member}`);
      else visit(object, bound);
      return;
    }
    if (op === 'rcall' || op === 'call') {
      const list = args as [string, ...unknown[]];
      const operands = (list.at(-1) as ASTNode[]) ?? [];
      checkPatterns(list[0], operands);
      const first = operands[0] as ASTNode | undefined;
      const binds = op === 'rcall' && MACROS.has(list[0]) && first?.op === 'id';
      const inner = binds ? new Set([...bound, first.args]) : bound;
      if (op === 'rcall') visit(list[1] as ASTNode, bound);
      for (const operand of binds ? operands.slice(1) : operands) visit(operand, inner);
      return;
    }
    if (op === 'value') return;
    for (const part of Array.isArray(args) ? args.flat() : [args]) if (isNode(part)) visit(part, bound);
  };
  visit(ast, new Set());
  return [...found].filter((name) => name !== ITEM && name !== NOTHING);
}

const MACROS = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** Patterns are literals, so that they can be checked before the first row. */
function checkPatterns(name: string, operands: ASTNode[]): void {
  if (!['matches', 'replace', 'extract'].includes(name)) return;
  const pattern = name === 'matches' ? operands.at(-1) : operands[1];
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string')
    throw new Error(`${name}() takes a pattern in quotes`);
  compilePattern(pattern.args);
}

const numberOf = (value: unknown): number | null => {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  const bare = String(value ?? '').replace(/[$,\s]/g, '');
  const number = Number(bare);
  return bare === '' || !Number.isFinite(number) ? null : number;
};
const needed = (value: unknown): number => {
  const number = numberOf(value);
  if (number === null) throw new BadValue('not_a_number');
  return number;
};
const rounded = (value: unknown, digits: number) => Math.round(needed(value) * 10 ** digits) / 10 ** digits;
const short = (text: string): string => {
  if (text.length > LONGEST_MATCHED) throw new BadValue('too_long');
  return text;
};
const arithmetic: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

/** CEL requires both sides of `? :` to have the same type; this one is compatible with any. */
const NOTHING = 'nothing';

let words: Environment | undefined;
/** Created once: there are two for each of hundreds of expressions. */
const vocabulary = () => (words ??= makeVocabulary()).clone();

/** Functions that expressions have beyond CEL itself. docs/internals/recipes.md lists them. */
function makeVocabulary(): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS })
    .registerVariable(NOTHING, 'dyn')
    .registerFunction('number(dyn): dyn', (value) => numberOf(value))
    .registerFunction('number(dyn, dyn): dyn', (value, otherwise) => numberOf(value) ?? numberOf(otherwise))
    .registerFunction('nonzero(dyn): dyn', (value) => numberOf(value) || null)
    .registerFunction('round(dyn): dyn', (value) => rounded(value, 0))
    .registerFunction('round(dyn, int): dyn', (value, digits) => rounded(value, Number(digits)))
    .registerFunction('floor(dyn): double', (value) => Math.floor(needed(value)))
    .registerFunction('smaller(dyn, dyn): double', (a, b) => Math.min(needed(a), needed(b)))
    .registerFunction('larger(dyn, dyn): double', (a, b) => Math.max(needed(a), needed(b)))
    .registerFunction('text(dyn): string', (value) => String(value ?? ''))
    .registerFunction('upper(string): string', (text) => text.toUpperCase())
    .registerFunction('lower(string): string', (text) => text.toLowerCase())
    .registerFunction('pad(string, int): string', (text, width) => text.padStart(Math.min(Number(width), 100), '0'))
    .registerFunction('cut(string, int, int): string', (text, from, to) => text.slice(Number(from), Number(to)))
    .registerFunction(
      'part(string, string, int): string',
      (text, separator, index) => text.split(separator)[Number(index)]?.trim() ?? '',
    )
    .registerFunction('replace(string, string, string): string', (text, pattern, other) =>
      short(text).replace(compilePattern(pattern, 'g'), other),
    )
    .registerFunction('extract(string, string): string', (text, pattern) => {
      const found = compilePattern(pattern).exec(short(text));
      return found?.[1] ?? found?.[0] ?? '';
    })
    .registerFunction('joined(list, string): string', (list, separator) =>
      list.filter((item: unknown) => item !== '' && item !== null).join(separator),
    )
    .registerFunction('first(list): dyn', (list) => list.find((item: unknown) => item !== '' && item !== null) ?? null)
    .registerFunction('digest(list): string', (list) => recordId(...(list as [string, ...string[]])))
    .registerFunction('day_of_milliseconds(dyn): string', (value) => isoDate(new Date(needed(value))));
  for (const [sign, work] of Object.entries(arithmetic)) {
    environment.registerOperator(`double ${sign} int`, (a, b) => work(a, Number(b)));
    environment.registerOperator(`int ${sign} double`, (a, b) => work(Number(a), b));
  }
  return environment.registerOperator('double % double', arithmetic['%']);
}
