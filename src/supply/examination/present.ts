// Writes the finding of a check, if there is enough of it.
import type { CheckText, Found } from './check.ts';
import { severityOf, type Finding, type Limits } from './finding.ts';

/** Written on a command line without quotes. */
const slugged = (about: string) =>
  about
    .toLowerCase()
    .replace(/[^\w.]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);

/** Empty below the limits of the check. */
export function present(check: CheckText & Limits, found: Found): Finding[] {
  const severity = severityOf(found.count, found.total, found.limits ?? check);
  if (!severity) return [];
  const said = (text: string) => text.replaceAll('{about}', found.about ?? '').slice(0, 300);
  return [
    {
      id: found.about ? `${check.id}:${slugged(found.about)}` : check.id,
      severity,
      title: said(found.title ?? check.title),
      count: found.count,
      total: found.total,
      examples: (found.examples ?? []).slice(0, 3).map((text) => text.slice(0, 200)),
      cause: said(found.cause ?? check.cause),
      mend: said(found.mend ?? check.mend),
      accepted_by: null,
      accepted_at: null,
    },
  ];
}
