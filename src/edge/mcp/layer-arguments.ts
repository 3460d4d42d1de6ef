// Checks the names of layers among a tool's arguments. A server may have loaded more than the program knows, so a name
// that is not built in is looked up.
import { nearestWord } from '../../base/lib/suggest.ts';
import type { BadArgument } from './arguments.ts';
import type { ApiCall, Arguments, Tool } from './tool.ts';

export async function checkLayers(tool: Tool, args: Arguments, callApi: ApiCall): Promise<BadArgument | undefined> {
  if (!tool.layers || args[tool.layers.argument] === undefined) return undefined;
  const { argument, builtIn } = tool.layers;
  const names = [args[argument]].flat().flatMap((name) => String(name).split(','));
  if (names.every((name) => builtIn.includes(name.trim()))) return undefined;
  const { body } = await callApi({ path: '/layers' });
  const listed = ((body as Arguments | undefined)?.data ?? []) as { name: string }[];
  const allowed = [...new Set([...builtIn, ...listed.map(({ name }) => name)])];
  const odd = names.find((name) => !allowed.includes(name.trim()));
  if (odd === undefined) return undefined;
  const nearest = nearestWord(odd, allowed);
  const meant = nearest ? ` Did you mean \`${nearest}\`?` : '';
  const detail = `\`${argument}\` must be one of ${allowed.join(', ')}.${meant}`;
  return { code: 'invalid_request', detail, argument, allowed, ...(nearest && { nearest }) };
}
