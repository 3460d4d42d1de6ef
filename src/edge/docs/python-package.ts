// The Python client: its handwritten core and a method for every operation, as one file and as a wheel for pip.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../base/version.ts';
import { makeZip } from './zip.ts';

type Json = Record<string, any>;

const CORE = fileURLToPath(new URL('../../../sdk/python/core.py', import.meta.url));
export const WHEEL = `platbook-${VERSION}-py3-none-any.whl`;
/** Words that cannot name an argument. */
const RESERVED = new Set(['from', 'in', 'is', 'not', 'class', 'global', 'import', 'lambda', 'pass', 'with', 'async']);
const TYPES: Json = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', object: 'Json' };

export function writePython(openApi: object, baseUrl: string): string {
  const { paths } = openApi as { paths: Record<string, Record<string, Json>> };
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => writeMethod(method.toUpperCase(), path, operation)),
  );
  const core = readFileSync(CORE, 'utf8').replace('__BASE_URL__', baseUrl).replace('__VERSION__', VERSION);
  const end = core.indexOf('\n\n\ndef verify_webhook');
  return `${core.slice(0, end)}\n\n${methods.join('\n\n')}${core.slice(end)}`;
}

export function packWheel(openApi: object, baseUrl: string): Buffer {
  const info = `platbook-${VERSION}.dist-info`;
  const files: [string, Buffer][] = [
    ['platbook/__init__.py', Buffer.from(writePython(openApi, baseUrl))],
    // Type checkers read the annotations of packages with this marker.
    ['platbook/py.typed', Buffer.from('')],
    [
      `${info}/METADATA`,
      Buffer.from(
        `Metadata-Version: 2.1\nName: platbook\nVersion: ${VERSION}\nSummary: Client for the Platbook API\nRequires-Python: >=3.9\n`,
      ),
    ],
    [
      `${info}/WHEEL`,
      Buffer.from('Wheel-Version: 1.0\nGenerator: platbook\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
  ];
  const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url');
  const record = files.map(([name, body]) => `${name},sha256=${hashOf(body)},${body.length}`);
  return makeZip([...files, [`${info}/RECORD`, Buffer.from(`${record.join('\n')}\n${info}/RECORD,,\n`)]]);
}

function writeMethod(method: string, path: string, operation: Json): string {
  const parameters = (operation.parameters ?? []) as Json[];
  const inPath = parameters.filter((each) => each.in === 'path');
  const inQuery = parameters.filter((each) => each.in === 'query');
  const content = operation.requestBody?.content as Json | undefined;
  const isRequired = operation.requestBody?.required === true;
  const bodyType = content === undefined || 'application/json' in content ? 'Json' : 'str';
  const hasText = content !== undefined && Object.keys(content).some((type) => type.startsWith('text/'));
  const body = content && `body: ${hasText ? 'Union[Json, str]' : bodyType}`;
  const args = [
    'self',
    ...inPath.map(({ name, schema }) => `${argument(name)}: ${typeOf(schema)}`),
    ...(body ? [isRequired ? body : `${body.replace(': ', ': Optional[')}] = None`] : []),
    ...(inQuery.length > 0 ? ['*'] : []),
    ...inQuery.map(({ name, schema, required }) =>
      required ? `${argument(name)}: ${typeOf(schema)}` : `${argument(name)}: Optional[${typeOf(schema)}] = None`,
    ),
  ];
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => `{urllib.parse.quote(str(${argument(name)}), safe=':')}`,
  );
  const query = inQuery.map(({ name }) => `"${name}": ${argument(name)}`).join(', ');
  const summary = `${operation.summary}. ${method} ${path}`.replaceAll('\\', '').replaceAll('"""', '');
  return `    def ${operation.operationId}(${args.join(', ')}) -> Any:
        """${summary}"""
        return self._call("${method}", ${inPath.length > 0 ? 'f' : ''}"${filled}", {${query}}${content ? ', body' : ''})`;
}

const argument = (name: string): string => {
  const plain = name.replaceAll(/\W/g, '_');
  return RESERVED.has(plain) ? `${plain}_` : plain;
};

/** Lists are sent as comma-separated text, so a single value works like a list of one. */
const typeOf = (schema: Json | undefined): string =>
  schema?.type === 'array' ? 'Union[str, List[str]]' : (TYPES[schema?.type ?? ''] ?? 'Any');
