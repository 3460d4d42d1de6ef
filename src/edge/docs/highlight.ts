// Syntax highlighting: comments, strings, numbers and keywords, found in one regular expression pass.

const KEYWORDS: Record<string, string> = {
  ts: 'import|from|export|const|let|for|of|in|await|async|function|return|if|else|try|catch|throw|new|type|instanceof|true|false|null|undefined|while',
  python: 'import|from|for|in|if|else|elif|try|except|as|with|def|return|print|raise|while|not|and|or|True|False|None',
  json: 'true|false|null',
  sh: 'curl|export|npx|npm|node|claude|jq|printf|echo|cat',
};
const COMMENTS: Record<string, string> = { ts: '\\/\\/[^\\n]*', python: '#[^\\n]*', sh: '(?<=^|\\s)#[^\\n]*' };

export function highlight(code: string, language: string): string {
  const keywords = KEYWORDS[language];
  if (keywords === undefined) return escapeCode(code);
  const comment = COMMENTS[language] ?? '(?!)';
  const variable = language === 'sh' ? '\\$\\{?\\w+\\}?|(?<=\\s)--?[a-zA-Z][\\w-]*' : '(?!)';
  // In a shell, a quoted string may contain variables; they stay part of the string.
  const pattern = new RegExp(
    `(?<comment>${comment})|(?<string>"(?:[^"\\\\\\n]|\\\\.)*"|'[^']*'|\`[^\`]*\`)(?<colon>\\s*:)?|(?<variable>${variable})|(?<number>\\b\\d[\\d_]*(?:\\.\\d+)?\\b)|(?<keyword>\\b(?:${keywords})\\b)`,
    'gm',
  );
  let html = '';
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    html += escapeCode(code.slice(at, match.index));
    at = match.index + match[0].length;
    const { comment: note, string, colon, variable: name, number, keyword } = match.groups!;
    if (string !== undefined) {
      const isMember = language === 'json' && colon !== undefined;
      html += span(isMember ? 'm' : 's', string) + escapeCode(colon ?? '');
    } else html += span(note ? 'c' : name ? 'v' : number ? 'n' : 'k', note ?? name ?? number ?? keyword ?? '');
  }
  return html + escapeCode(code.slice(at));
}

const span = (kind: string, text: string): string => `<span class="t-${kind}">${escapeCode(text)}</span>`;

function escapeCode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
