// Checks a tool's arguments against its input shape. Errors read as in REST: code, place, allowed values.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { nearestWord } from '../../base/lib/suggest.ts';
import type { Arguments, Tool } from './tool.ts';

export interface BadArgument {
  code: 'unknown_parameter' | 'invalid_request';
  detail: string;
  argument: string;
  /** The tool's argument names, or the values an argument may have. */
  allowed?: string[];
  nearest?: string;
}

export type ArgumentCheck = (args: Arguments) => BadArgument | undefined;

/** `allErrors`, so that an unknown name is found even if something else is missing. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

export function createArgumentCheck(tool: Tool): ArgumentCheck {
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

function describeUnknown(argument: string, allowed: string[]): BadArgument {
  const nearest = nearestWord(argument, allowed);
  const meant = nearest ? ` Did you mean \`${nearest}\`?` : '';
  const detail = `\`${argument}\` is not an argument of this tool.${meant} Its arguments: ${allowed.join(', ')}.`;
  return { code: 'unknown_parameter', detail, argument, allowed, ...(nearest && { nearest }) };
}

function describeProblem(tool: Tool, problems: ErrorObject[], args: Arguments): BadArgument {
  // Of a union's complaints the one about its words says most.
  const problem = problems.find(({ keyword }) => keyword === 'enum') ?? problems[0];
  if (problem.keyword === 'required') {
    const argument = String(problem.params.missingProperty);
    const { enum: allowed } = tool.input.properties[argument] as { enum?: string[] };
    const detail = `\`${argument}\` is required${allowed ? `: one of ${allowed.join(', ')}` : ''}.`;
    return { code: 'invalid_request', detail, argument, ...(allowed && { allowed }) };
  }
  const argument = problem.instancePath.split('/')[1] ?? '';
  const words = problem.keyword === 'enum' ? (problem.params.allowedValues as unknown[]).map(String) : undefined;
  const rule = words ? `must be one of ${words.join(', ')}` : ruleOf(problem, valueAt(args, problem.instancePath));
  const nearest = words && nearestWord(String(valueAt(args, problem.instancePath)), words);
  const meant = nearest ? ` Did you mean \`${nearest}\`?` : '';
  return {
    code: 'invalid_request',
    detail: `\`${argument}\` ${rule}.${meant}`,
    argument,
    ...(words && { allowed: words }),
    ...(nearest && { nearest }),
  };
}

const valueAt = (args: Arguments, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (at as Arguments | undefined)?.[step], args);

const TYPES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  boolean: 'true or false',
};

/** A model that is told what it sent sends something else. */
function ruleOf({ keyword, params, message = 'is not valid' }: ErrorObject, value: unknown): string {
  if (keyword !== 'type') return message;
  const type = String(params.type);
  return `must be ${TYPES[type] ?? type}, not ${JSON.stringify(value)?.slice(0, 60)}`;
}
