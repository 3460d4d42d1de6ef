// What the docs say about an error: why it happens and what to do.
import { useEffect, useState } from 'react';

/** The pages are short Markdown; a section runs to the next heading. */
function sectionOf(markdown: string, heading: string): string {
  const [, text = ''] =
    new RegExp(`^## ${heading}\\n+([\\s\\S]*?)(?=^## |\\n*$(?![\\s\\S]))`, 'm').exec(markdown) ?? [];
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim();
}

export function ErrorHelp({ code }: { code: string }) {
  const [help, setHelp] = useState<{ why: string; fix: string }>();
  useEffect(() => {
    const abort = new AbortController();
    fetch(`/docs/errors/${code}.md`, { signal: abort.signal })
      .then(async (response) => (response.ok ? await response.text() : ''))
      .then((text) => setHelp({ why: sectionOf(text, 'Why it happens'), fix: sectionOf(text, 'What to do') }))
      .catch(() => {});
    return () => abort.abort();
  }, [code]);
  return (
    <div className="error-help">
      <p>
        <strong>
          <code>{code}</code>
        </strong>
      </p>
      {help?.why && <p>{help.why}</p>}
      {help?.fix && <p>{help.fix}</p>}
      <p>
        <a href={`/docs/errors/${code}`}>More about this error</a>
      </p>
    </div>
  );
}
