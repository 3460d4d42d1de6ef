// Generates the SDK's types (src/types.ts, which is also their declaration) and operation table (src/operations.ts) from the
// OpenAPI document. `npx platbook openapi` writes them.

type Json = Record<string, any>;

export function generateTypes(document: object): string {
  const { components } = document as Json;
  const schemas = Object.entries(components.schemas as Record<string, Json>)
    .filter(([, schema]) => typeof schema === 'object')
    .map(([name, schema]) => declare(name, schema));
  return `${head(document)}
${schemas.join('\n\n')}

/** Every operation of the API: what goes into its path, query and body, and what comes back. */
export interface Operations {
${operationsOf(document).map(describeOperation).join('\n')}
}
`;
}

export function generateOperations(document: object): string {
  const rows = operationsOf(document).map(
    ({ operation, method, path }) => `  ${operation.operationId}: ['${method}', '${path}'],`,
  );
  return `${head(document)}import type { Operations } from './types.ts';

/** Method and path of every operation. */
export const OPERATIONS: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {
${rows.join('\n')}
};
`;
}

interface Operation {
  method: string;
  path: string;
  operation: Json;
}

const operationsOf = (document: object): Operation[] =>
  Object.entries((document as Json).paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const head = (document: object): string =>
  `// Made from the OpenAPI document of version ${(document as Json).info.version} by sdk/generate.ts. Do not edit.
/* eslint-disable */
`;

function declare(name: string, schema: Json): string {
  const isPlainObject = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
  const text = typeOf(schema, '');
  return `${comment(schema.description, '')}export ${isPlainObject ? `interface ${name} ${text}` : `type ${name} = ${text};`}`;
}

function describeOperation({ method, path, operation }: Operation): string {
  const parameters = (operation.parameters ?? []) as Json[];
  const parts = [
    ['path', parametersOf(parameters, 'path')],
    ['query', parametersOf(parameters, 'query')],
    ['body', bodyOf(operation)],
    ['response', responseOf(operation)],
  ];
  const members = parts.map(([name, type]) => `    ${name}: ${type};`);
  const summary = [operation.summary, `${method} ${path}`].filter(Boolean).join('. ');
  return `${comment(summary, '  ')}  ${operation.operationId}: {\n${members.join('\n')}\n  };`;
}

function parametersOf(parameters: Json[], where: string): string {
  const own = parameters.filter((parameter) => parameter.in === where);
  if (own.length === 0) return 'undefined';
  const members = own.map(
    ({ name, required, description, schema }) =>
      `${comment(description, '      ')}      ${quote(name)}${required ? '' : '?'}: ${parameterType(schema)};`,
  );
  return `{\n${members.join('\n')}\n    }`;
}

/** A list in a query may be one value or an array, which the client joins with commas. */
function parameterType(schema: Json): string {
  if (schema.type !== 'array') return typeOf(schema, '      ');
  const item = typeOf(schema.items, '      ');
  return `${item} | ReadonlyArray<${item}>`;
}

function bodyOf(operation: Json): string {
  const content = operation.requestBody?.content as Record<string, { schema: Json }> | undefined;
  if (!content) return 'undefined';
  const json = content['application/json'];
  return json ? typeOf(json.schema, '    ') : 'string';
}

/** The type of the successful JSON response. Other formats, such as CSV, are text. */
function responseOf(operation: Json): string {
  const successes = Object.entries(operation.responses as Record<string, Json>).filter(([status]) =>
    status.startsWith('2'),
  );
  const types = successes.map(([, response]) => {
    const content = response.content as Record<string, { schema: Json }> | undefined;
    if (!content) return 'undefined';
    const json = content['application/json'];
    return json ? typeOf(json.schema, '    ') : 'unknown';
  });
  return [...new Set(types)].join(' | ') || 'undefined';
}

function typeOf(schema: Json, indent: string): string {
  if (schema.$ref) return String(schema.$ref).split('/').pop()!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ');
  for (const choice of ['anyOf', 'oneOf'])
    if (schema[choice])
      return join(
        schema[choice].map((each: Json) => typeOf(each, indent)),
        ' | ',
      );
  if (schema.allOf)
    return join(
      schema.allOf.map((each: Json) => typeOf(each, indent)),
      ' & ',
    );
  if (Array.isArray(schema.type))
    return join(
      schema.type.map((type: string) => typeOf({ ...schema, type }, indent)),
      ' | ',
    );
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayOf(schema, indent);
    case 'object':
      return objectOf(schema, indent);
  }
  return 'unknown';
}

function arrayOf(schema: Json, indent: string): string {
  const items = typeOf(schema.items ?? {}, indent);
  return /^[\w.]+$/.test(items) ? `${items}[]` : `Array<${items}>`;
}

function objectOf(schema: Json, indent: string): string {
  const entries = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const values = (schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0]) as
    | Json
    | boolean
    | undefined;
  if (entries.length === 0)
    return typeof values === 'object' ? `Record<string, ${typeOf(values, indent)}>` : 'Record<string, unknown>';
  const required = new Set<string>(schema.required ?? []);
  const inner = `${indent}  `;
  const members = entries.map(
    ([name, member]) =>
      `${comment(member.description, inner)}${inner}${quote(name)}${required.has(name) ? '' : '?'}: ${typeOf(member, inner)};`,
  );
  return `{\n${members.join('\n')}\n${indent}}`;
}

function join(types: string[], separator: string): string {
  return [...new Set(types)]
    .map((type) => (type.includes(' ') && separator === ' & ' ? `(${type})` : type))
    .join(separator);
}

function comment(description: string | undefined, indent: string): string {
  return description ? `${indent}/** ${description.replaceAll('*/', '* /').replace(/\s*\n\s*/g, ' ')} */\n` : '';
}

function quote(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
