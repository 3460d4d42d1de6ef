// Parses the request of a snippet's single curl command, so a page can run it and show the answer. Pure.

interface SnippetRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const FLAGS = new Set(['-s', '-sS', '-i', '--fail-with-body', '--silent']);

/** Undefined if a page cannot run it, such as a pipe or a file upload. The reader's key is omitted. */
export function readCurl(script: string): SnippetRequest | undefined {
  const commands = script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() && !line.trim().startsWith('#'));
  const words = commands.length === 1 ? splitWords(commands[0]) : [];
  if (words[0] !== 'curl' || words.includes('|') || words.some((word) => /^>|\$\(/.test(word))) return undefined;
  const headers: Record<string, string> = {};
  const data: string[] = [];
  let [method, url]: (string | undefined)[] = [];
  let isGet = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (FLAGS.has(word)) continue;
    if (word === '--get' || word === '-G') isGet = true;
    else if (word === '-X') method = words[++at];
    else if (word === '-H') {
      const [name, ...value] = words[++at].split(':');
      if (name.toLowerCase() !== 'x-api-key') headers[name.toLowerCase()] = value.join(':').trim();
    } else if (word === '-d' || word === '--data') data.push(words[++at]);
    else if (word === '--data-urlencode') {
      const [name, ...value] = words[++at].split('=');
      data.push(`${name}=${encodeURIComponent(value.join('='))}`);
    } else if (word.startsWith('$PLATBOOK_URL')) url = word.slice('$PLATBOOK_URL'.length);
    else return undefined;
  }
  if (!url || data.some((each) => each.startsWith('@'))) return undefined;
  if (isGet && data.length > 0) return { method: method ?? 'GET', url: `${url}?${data.join('&')}`, headers };
  if (data.length === 0) return { method: method ?? 'GET', url, headers };
  return { method: method ?? 'POST', url, headers, body: data.join('&') };
}

/** Splits like a shell: double quotes around words with spaces, single quotes around JSON. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
