// Names for SQL statements: the verb and the first table, such as `select properties`. The text itself is never shown.

const MAX_REMEMBERED = 2_000;
const VERB = /^\s*(?:--[^\n]*\n\s*)*(\w+)/;
const TABLE = /\b(?:from|into|update|join|copy|table)\s+(?:only\s+|lateral\s+)?([a-z_][a-z_.]*)/i;
/** Words that can stand where a table would: functions and keywords. */
const NO_TABLE = /^(?:unnest|select|jsonb_to_recordset|jsonb_array_elements|generate_series|set)$/;

/** Cached by text. There are few texts, because values are parameters. */
export function createStatementNames(): { of(query: unknown): string } {
  const known = new Map<string, string>();
  return {
    of(query) {
      const text = textOf(query);
      let name = known.get(text);
      if (name === undefined) {
        name = nameStatement(text);
        if (known.size < MAX_REMEMBERED) known.set(text, name);
      }
      return name;
    },
  };
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const { text } = (query ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

export function nameStatement(text: string): string {
  // A quoted string may hold anything, so it is removed before words are read.
  const bare = text.replace(/'(?:[^']|'')*'/g, "''");
  const verb = VERB.exec(bare)?.[1].toLowerCase() ?? 'statement';
  const tables = [...bare.matchAll(new RegExp(TABLE, 'gi'))].map(([, table]) => table.toLowerCase());
  const table = tables.find((name) => !NO_TABLE.test(name));
  return table === undefined ? verb : `${verb} ${table}`;
}
