// Every statement on tables that are spread by county names its counties, so that it asks only the shards that hold them:
// one county, some counties, those of a stage, or the nation with a reason. Statements are read from the sources and parsed
// by PostgreSQL's own parser.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModule, parseSync } from 'libpg-query';
import { parseSync as parseSource } from 'vite';
import { DISTRIBUTED_TABLES } from '../../src/base/db/distribution.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
await loadModule();

const FILTER = 'filterConditions adds `p.fips = any(…)` wherever that leaves out shards';
const SALES = 'saleTables and isSale name the counties';
const OF_PROPERTIES = 'asks for the counties of the properties it is given';
const WINDOW = 'inWindow names the counties';
const TILE = 'the condition comes from conditionOf, which names the counties that the tile touches';

/** Statements whose counties come in a part that is made elsewhere, and from where. */
const SOME_BY_PARTS: Record<string, string> = {
  'src/base/db/distribution.ts createStageTable': 'fills a table of a load with what it is given',
  'src/supply/ingest/write/facts-sql.ts refreshSummaries': 'sums up the rows of `seen`, a table of the load',
  'src/insight/analytics/sql.ts listSalesOfHomes': SALES,
  'src/records/properties/sql.ts listAssessments': OF_PROPERTIES,
  'src/records/properties/sql.ts listLineage': OF_PROPERTIES,
  'src/records/properties/sql.ts listOwners': OF_PROPERTIES,
  'src/records/properties/sql.ts listProperties': OF_PROPERTIES,
  'src/records/properties/sql.ts listShapes': OF_PROPERTIES,
  'src/records/properties/sql.ts listSuppressed': OF_PROPERTIES,
  'src/records/properties/sql.ts listTaxes': OF_PROPERTIES,
  'src/records/properties/sql.ts listTransactions': OF_PROPERTIES,
  'src/supply/layers/sql.ts listOfProperties': OF_PROPERTIES,
  'src/supply/layers/sql.ts listStamps': OF_PROPERTIES,
  'src/supply/map-aggregates/sql.ts countHomes': WINDOW,
  'src/supply/map-aggregates/sql.ts listSquares': WINDOW,
  'src/insight/analytics/sql.ts readSales': SALES,
  'src/records/properties/search-sql.ts countMatches': FILTER,
  'src/records/properties/search-sql.ts listAmongFirst': FILTER,
  'src/records/properties/search-sql.ts listByArms': FILTER,
  'src/records/properties/search-sql.ts listByScan': FILTER,
  'src/records/properties/search-sql.ts listInCells': FILTER,
  'src/records/properties/search-sql.ts pageOf': FILTER,
  'src/records/tiles/sql.ts listTileCells': TILE,
  'src/records/tiles/sql.ts listTileFlags': TILE,
  'src/records/tiles/sql.ts listTileProperties': TILE,
  'src/records/tiles/sql.ts listTileShapes': TILE,
};

const CONTROL = 'is about tables of the control plane';
const PREVIEW = 'a preview has a database of its own, which is not spread';

/** Statements that may ask every shard, by file and function, and why. */
const NATION: Record<string, string> = {
  'src/records/properties/sql.ts deleteParties': 'a word of a name stays in the list while any county has it',
  'src/records/address/store/sql.ts listTypedAddresses':
    'a number and the first letters of a street may be typed for any county',
  'src/records/address/store/sql.ts listTypedNumbers': 'a number alone may be typed for any county',
  'src/base/db/rebuild.ts tablesToRebuild': 'tables are built anew only where they are not spread',
  'src/delivery/exports/load-statements.ts replaceByKey': 'is text for the database of a customer',
  'src/base/db/rows.ts insertRow': CONTROL,
  'src/base/measures/sql.ts addToMeasurements': CONTROL,
  'src/base/measures/sql.ts replaceMeasurements': CONTROL,
  'src/base/db/rows.ts insertRows': CONTROL,
  'src/base/db/rows.ts updateRow': CONTROL,
  'src/customers/accounts/own-sql.ts countOwn': CONTROL,
  'src/customers/accounts/own-sql.ts deleteOwn': CONTROL,
  'src/customers/accounts/own-sql.ts findOwn': CONTROL,
  'src/customers/accounts/own-sql.ts readOwnPage': CONTROL,
  'src/customers/accounts/retention-sql.ts deleteLot': CONTROL,
  'src/customers/clocks/sql.ts deleteClock': CONTROL,
  'src/customers/people/proof-sql.ts deleteExpired': CONTROL,
  'src/operate/preview/sql.ts countFilled': PREVIEW,
  'src/operate/preview/sql.ts listBestDescribed': PREVIEW,
  'src/operate/preview/sql.ts listPoints': PREVIEW,
  'src/supply/layers/sql.ts listOfTracts': 'is about tables of tracts, which are not spread',
  'src/supply/layers/sql.ts listZonesOf2027': 'is about tables of tracts, which are not spread',
  'src/insight/quality/sql.ts listSamples': 'the samples of all markets are sealed in one chain',
};

/** A load's own tables, which hold rows of its counties only and lie beside their shards. */
const STAGE =
  /^(stage_\w+|touched|seen|merged|restamped|changed_facts|fresh_facts|changed_shapes|changed_claims|located)$/;

type Kind = 'one county' | 'some counties' | 'staged counties' | 'the nation';

interface Statement {
  /** `src/records/risk/sql.ts listOf` */
  place: string;
  text: string;
}

const VERB = /^\s*(with|select|insert|update|delete|declare)\b[\s\S]*\b(from|into|update|set)\b/i;
const HAS_TABLE_HOLE = /\b(from|into|update|join) \0/i;
const TABLES = new RegExp(`\\b(${DISTRIBUTED_TABLES.join('|')})\\b`);

function listStatements(): Statement[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .sort()
    .flatMap((file) => statementsOf(file, readFileSync(join(ROOT, file), 'utf8')));
}

/** A node of a source's syntax tree. */
type Node = any;

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((child: Node) => typeof child?.type === 'string');

function statementsOf(file: string, source: string): Statement[] {
  const { program } = parseSource(file, source);
  const constants = new Map<string, string>();
  partNames = namesOfParts(source);
  const constantOf = new Map<Node, string>();
  const used = new Set<string>();
  const found: (Statement & { constant: string | undefined })[] = [];
  const visit = (node: Node, place: string, isTop: boolean): void => {
    const name = node.type === 'FunctionDeclaration' || isTop ? node.id?.name : undefined;
    const here = name ?? place;
    const text = textOf(node, constants);
    if (node.type === 'VariableDeclarator' && node.init && textOf(node.init, constants) !== undefined) {
      constants.set(node.id.name, textOf(node.init, constants)!);
      constantOf.set(node.init, node.id.name);
    }
    if (node.type === 'TemplateLiteral') for (const part of node.expressions) used.add(nameOf(part));
    // The holes of a tagged template are parameters, but for those that name a text of our own.
    if (node.type === 'TaggedTemplateExpression') return visit({ ...node.quasi, isTagged: true }, here, false);
    if (text !== undefined && VERB.test(text) && (TABLES.test(text) || HAS_TABLE_HOLE.test(text))) {
      // A query that only lends its columns to a new table reads nothing.
      if (!text.endsWith('with no data'))
        found.push({ place: `${file} ${here}`, text, constant: constantOf.get(node) });
      return;
    }
    const opensTop = ['Program', 'ExportNamedDeclaration', 'VariableDeclaration'].includes(node.type);
    for (const child of childrenOf(node)) visit(child, here, opensTop && (isTop || node.type === 'Program'));
  };
  visit(program, '', true);
  // A constant that is part of a statement was read with it.
  return found.filter(({ constant }) => constant === undefined || !used.has(constant));
}

/** Names in the file at hand that hold a part of a statement rather than a value. */
let partNames = new Set<string>();

const namesOfParts = (source: string): Set<string> =>
  new Set([
    'where',
    ...[...source.matchAll(/\b(\w+)\??: (?:Part\b|ReturnType<typeof whereOf>)/g)].map(([, name]) => name),
    ...[...source.matchAll(/const (\w+) =\s[^;]*?\b(?:part`|raw\(|joined\()/g)].map(([, name]) => name),
  ]);

/** The text of a literal, with constants filled in; whatever is only known at run time is a hole, `\0`. */
function textOf(node: Node, constants: Map<string, string>): string | undefined {
  if (node.type === 'CallExpression' && node.callee.name === 'raw') return textOf(node.arguments[0], constants);
  if (node.type === 'TaggedTemplateExpression' && node.tag.name === 'part')
    return textOf({ ...node.quasi, isTagged: true }, constants);
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis
    .map(({ value }: Node, i: number) => value.cooked + (i < node.expressions.length ? fill(node.expressions[i]) : ''))
    .join('');
  function fill(expression: Node): string {
    const isText =
      ['CallExpression', 'ConditionalExpression', 'LogicalExpression'].includes(expression.type) ||
      constants.has(nameOf(expression)) ||
      partNames.has(expression.property?.name ?? expression.name);
    return constants.get(nameOf(expression)) ?? (node.isTagged && !isText ? '$1' : '\0');
  }
}

/** `COLUMNS`, also inside of `raw(COLUMNS)` and `COLUMNS.text`. */
const nameOf = (node: Node): string => node.name ?? node.arguments?.[0]?.name ?? node.object?.name;

/** Something that could stand in a hole: a name, nothing, a condition, a join, a number, a query. */
const FILLERS = ['hole', '', 'hole = hole', 'and hole = hole', 'hole on hole = hole', '1', 'select 1 as hole'];
const MOST_TRIES = 20_000;

function parse(text: string): object | undefined {
  const parts = text.replace(/^\s*declare \w+ no scroll cursor for/i, '').split('\0');
  for (let number = 0; number < Math.min(FILLERS.length ** (parts.length - 1), MOST_TRIES); number++) {
    let rest = number;
    const filled = parts.reduce((sum, part) => {
      const filler = FILLERS[rest % FILLERS.length];
      rest = Math.floor(rest / FILLERS.length);
      return sum + filler + part;
    });
    try {
      return parseSync(filled);
    } catch {
      // The next filling.
    }
  }
  return undefined;
}

interface Facts {
  tables: Set<string>;
  kinds: Set<Kind>;
}

/** The tables of a statement, and how it names counties. */
function factsOf(tree: unknown, facts: Facts = { tables: new Set(), kinds: new Set() }): Facts {
  if (Array.isArray(tree)) for (const item of tree) factsOf(item, facts);
  else if (tree && typeof tree === 'object') {
    for (const [key, value] of Object.entries(tree)) {
      if (key === 'RangeVar' || key === 'relation') facts.tables.add(value.relname);
      if (key === 'A_Expr') addKind(value, facts.kinds);
      if (key === 'InsertStmt') addKindOfInsert(value, facts.kinds);
      factsOf(value, facts);
    }
  }
  return facts;
}

function addKind(expression: any, kinds: Set<Kind>): void {
  const column = expression.lexpr?.ColumnRef?.fields?.at(-1)?.String?.sval;
  if (column !== 'fips' || expression.name?.[0]?.String?.sval !== '=') return;
  if (!isParameter(expression.rexpr)) return;
  kinds.add(expression.kind === 'AEXPR_OP_ANY' ? 'some counties' : 'one county');
}

/** Rows that are given, not read, say themselves where they go. */
function addKindOfInsert({ cols, selectStmt }: any, kinds: Set<Kind>): void {
  const position = (cols ?? []).findIndex(({ ResTarget }: any) => ResTarget.name === 'fips');
  const row = selectStmt?.SelectStmt.valuesLists?.[0]?.List.items;
  if (position >= 0 && row && isParameter(row[position])) kinds.add('one county');
  else if (position >= 0 && factsOf(selectStmt).tables.size === 0) kinds.add('some counties');
}

const isParameter = (node: any): boolean =>
  node?.ParamRef !== undefined ||
  node?.A_Const?.sval !== undefined ||
  (node?.TypeCast !== undefined && isParameter(node.TypeCast.arg));

function kindOf({ place, text }: Statement): Kind | undefined {
  const tree = parse(text);
  assert.ok(tree, `${place}: cannot be read:\n${text.replaceAll('\0', '…')}`);
  const { tables, kinds } = factsOf(tree);
  const isSpread = [...tables].some(
    (name) => (DISTRIBUTED_TABLES as readonly string[]).includes(name) || name === 'hole',
  );
  if (!isSpread) return undefined;
  if (kinds.has('one county')) return 'one county';
  if (kinds.has('some counties') || place in SOME_BY_PARTS) return 'some counties';
  const isStaged = (name: string) =>
    STAGE.test(name) || (name === 'hole' && place.startsWith('src/supply/ingest/write/'));
  return [...tables].some(isStaged) ? 'staged counties' : 'the nation';
}

describe('tables that are spread by county', () => {
  it('are those with a row for each property, but for the change feed, which needs one order', () => {
    const schema = readFileSync(join(ROOT, 'db/schema.sql'), 'utf8');
    const tables = [...schema.matchAll(/create table data\.(\w+) \(([\s\S]*?)\n\)/g)];
    assert.ok(tables.length > DISTRIBUTED_TABLES.length);
    const ofProperty = tables.filter(([, name, columns]) => /^\s*property_id /m.test(columns) && name !== 'changes');
    const spread: readonly string[] = DISTRIBUTED_TABLES;
    assert.deepEqual(
      ofProperty.map(([, name]) => name).filter((name) => !spread.includes(name)),
      [],
    );
  });
});

describe('statements on tables that are spread by county', () => {
  const kinds = listStatements().map((statement) => ({ ...statement, kind: kindOf(statement) }));
  const spread = kinds.filter(({ kind }) => kind !== undefined);

  it('name one county, some, those of a stage, or the nation with a reason', () => {
    const nation = spread.filter(({ kind }) => kind === 'the nation').map(({ place }) => place);
    assert.deepEqual([...new Set(nation)].sort(), Object.keys(NATION).sort());
  });

  it('that are listed exist', () => {
    const places = new Set(spread.map(({ place }) => place));
    assert.deepEqual(
      Object.keys(SOME_BY_PARTS).filter((place) => !places.has(place)),
      [],
    );
  });

  it('are found: every room that reads them has some of each kind', () => {
    const counts = Map.groupBy(spread, ({ kind }) => kind);
    assert.ok(spread.length > 100, String(spread.length));
    for (const kind of ['one county', 'some counties', 'staged counties'] as const) {
      assert.ok((counts.get(kind)?.length ?? 0) > 10, kind);
    }
  });

  it('are found out otherwise', () => {
    const of = (text: string) => kindOf({ place: 'here', text });
    assert.equal(of('select * from properties where id = $1'), 'the nation');
    assert.equal(of('select * from properties where fips between $1 and $2'), 'the nation');
    assert.equal(of('select * from properties where fips = $1 and id = $2'), 'one county');
    assert.equal(of('delete from owners t where t.fips = any($1::int[])'), 'some counties');
    assert.equal(of('update properties p set value = 1 from merged m where p.fips = m.fips'), 'staged counties');
    assert.equal(of('select * from markets'), undefined);
  });
});
