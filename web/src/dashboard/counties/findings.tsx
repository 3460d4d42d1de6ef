// What the examination of a county's file found, and which of it the operator takes on.
import { whole } from '../../format.ts';
import { Badge, Notice } from '../../ui/parts.tsx';
import type { Finding } from './draft.ts';

interface Accepting {
  accepted: ReadonlySet<string>;
  onAccept: (id: string, isAccepted: boolean) => void;
}

export const isStop = ({ severity, accepted_by }: Finding) => severity === 'stop' && accepted_by === null;

/** Those that stop the load come first. With `accepting`, each of them can be taken on. */
export function Findings({ findings, accepting }: { findings: Finding[]; accepting?: Accepting }) {
  if (findings.length === 0)
    return <Notice tone="good" title="Examined: nothing was found that looks wrong in this file." />;
  return (
    <section className="stack" aria-label="Findings">
      <h3>What the examination found</h3>
      <ul className="findings">
        {findings
          .toSorted((a, b) => Number(isStop(b)) - Number(isStop(a)))
          .map((finding) => (
            <li key={finding.id} className="stack">
              <div className="row">
                <Badge tone={isStop(finding) ? 'bad' : 'warn'}>{labelOf(finding)}</Badge>
                <strong>{finding.title}</strong>
                <span className="fine">
                  {whole(finding.count)} of {whole(finding.total)}
                </span>
              </div>
              {finding.examples.length > 0 && <p className="fine">For example {finding.examples.join('; ')}</p>}
              <p className="fine">
                Probably: {finding.cause}. To mend it: <code>{finding.mend}</code>
              </p>
              {accepting && isStop(finding) && (
                <label className="check">
                  <input
                    type="checkbox"
                    checked={accepting.accepted.has(finding.id)}
                    onChange={(event) => accepting.onAccept(finding.id, event.target.checked)}
                  />
                  I have checked it: load all the same
                </label>
              )}
            </li>
          ))}
      </ul>
    </section>
  );
}

function labelOf(finding: Finding): string {
  if (isStop(finding)) return 'Stops the load';
  return finding.severity === 'stop' ? `Accepted by ${finding.accepted_by}` : 'Warning';
}
