// Checks a tool's arguments against its input shape. Errors read as in REST: code, place, allowed values.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { nearestWord } from '../../base/lib/suggest.ts';
import { memberAt } from './fit.ts';
import type { ApiCall, Arguments, Tool } from './tool.ts';

export interface BadArgument {
  code: 'unknown_parameter' | 'invalid_request';
  detail: string;
  argument: string;
  /** The tool's argument names, or the values an argument may have. */
  allowed?: string[];
  nearest?: string;
}

/** `allErrors`, so that an unknown name is found even if something else is missing. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

export function createArgumentCheck(tool: Tool): (args: Arguments) => BadArgument | undefined {
  const names = Object.keys(tool.input.properties);
  const validate: ValidateFunction = ajv.compile(tool.input);
  return (args) => {
    if (validate(args)) return undefined;
    const problems = validate.errors ?? [];
    const unknown = problems.find(({ keyword, instancePath }) => keyword === 'additionalProperties' && !instancePath);
    return unknown
      ? describeUnknown(String(unknown.params.additionalProperty), names)
      : describeProblem(tool, problems, args);
  };
}

/** The allowed word closest to the input, and a "did you mean" sentence. */
function suggest(word: string, allowed: string[]): { meant: string; nearest: { nearest?: string } } {
  const nearest = nearestWord(word, allowed);
  return nearest ? { meant: ` Did you mean \`${nearest}\`?`, nearest: { nearest } } : { meant: '', nearest: {} };
}

/** The error for a value that is not an allowed word. */
function badWord(argument: string, word: string, allowed: string[]): BadArgument {
  const { meant, nearest } = suggest(word, allowed);
  const detail = `\`${argument}\` must be one of ${allowed.join(', ')}.${meant}`;
  return { code: 'invalid_request', detail, argument, allowed, ...nearest };
}

function describeUnknown(argument: string, allowed: string[]): BadArgument {
  const { meant, nearest } = suggest(argument, allowed);
  const detail = `\`${argument}\` is not an argument of this tool.${meant} Its arguments: ${allowed.join(', ')}.`;
  return { code: 'unknown_parameter', detail, argument, allowed, ...nearest };
}

function describeProblem(tool: Tool, problems: ErrorObject[], args: Arguments): BadArgument {
  // Among a union's errors, the enum error is the most informative.
  const problem = problems.find(({ keyword }) => keyword === 'enum') ?? problems[0];
  if (problem.keyword === 'required') {
    const argument = String(problem.params.missingProperty);
    const { enum: allowed } = tool.input.properties[argument] as { enum?: string[] };
    const detail = `\`${argument}\` is required${allowed ? `: one of ${allowed.join(', ')}` : ''}.`;
    return { code: 'invalid_request', detail, argument, ...(allowed && { allowed }) };
  }
  const [argument = '', ...place] = problem.instancePath.split('/').slice(1);
  const value = memberAt(args, [argument, ...place]);
  if (problem.keyword === 'enum')
    return badWord(argument, String(value), (problem.params.allowedValues as unknown[]).map(String));
  const named = [argument, ...place.map((step) => `[${step}]`)].join('');
  return { code: 'invalid_request', detail: `\`${named}\` ${ruleOf(problem, value)}.`, argument };
}

const TYPES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  boolean: 'true or false',
};

/** Echoing the input helps a model correct it. */
function ruleOf({ keyword, params, message = 'is not valid' }: ErrorObject, value: unknown): string {
  if (keyword === 'minLength' && params.limit === 1) return 'must not be blank';
  if (keyword !== 'type') return message;
  const type = String(params.type);
  return `must be ${TYPES[type] ?? type}, not ${JSON.stringify(value)?.slice(0, 60)}`;
}

/** Checks the layer names in a tool's arguments. Names that are not built in are looked up among the loaded layers. */
export async function checkLayers(tool: Tool, args: Arguments, callApi: ApiCall): Promise<BadArgument | undefined> {
  if (!tool.layers || args[tool.layers.argument] === undefined) return undefined;
  const { argument, builtIn } = tool.layers;
  const names = [args[argument]].flat().flatMap((name) => String(name).split(','));
  if (names.every((name) => builtIn.includes(name.trim()))) return undefined;
  const { body } = await callApi({ path: '/layers' });
  const listed = ((body as Arguments | undefined)?.data ?? []) as { name: string }[];
  const allowed = [...new Set([...builtIn, ...listed.map(({ name }) => name)])];
  const odd = names.find((name) => !allowed.includes(name.trim()));
  return odd === undefined ? undefined : badWord(argument, odd, allowed);
}
