// Failed calls grouped by their cause, the most frequent first, each with its fix.
import { useState } from 'react';
import { ago, plural, routeName } from '../../format.ts';
import { Badge, Button, Card } from '../../ui/parts.tsx';
import type { LoggedRequest } from '../answers.ts';
import { ErrorHelp } from './error-help.tsx';
import { statusTone } from './status.ts';

interface Group {
  name: string;
  code: string;
  rows: LoggedRequest[];
}

function groupErrors(rows: LoggedRequest[]): Group[] {
  const failed = rows.filter(({ status }) => status >= 400);
  return [...Map.groupBy(failed, (row) => `${row.error_code ?? row.status} ${row.method} ${row.route}`)]
    .map(([name, own]) => ({ name, code: own[0].error_code ?? '', rows: own }))
    .toSorted((a, b) => b.rows.length - a.rows.length);
}

export function ErrorGroups({ rows, onShow }: { rows: LoggedRequest[]; onShow: (row: LoggedRequest) => void }) {
  const groups = groupErrors(rows);
  const [open, setOpen] = useState<string>();
  if (groups.length === 0) return null;
  return (
    <Card flush title="Errors" lead={`${plural(groups.length, 'cause')} in the calls below`}>
      <ul className="error-groups">
        {groups.map(({ name, code, rows: own }) => (
          <li key={name}>
            <div className="row spread">
              <span className="row">
                <Badge tone={statusTone(own[0].status)}>{own[0].status}</Badge>
                <span>
                  <strong>{code || 'Failed'}</strong>{' '}
                  <code>
                    {own[0].method} {routeName(own[0].route)}
                  </code>
                </span>
              </span>
              <span className="row">
                <span className="fine">
                  {plural(own.length, 'time')}, last {ago(own[0].at)}
                </span>
                <Button small onClick={() => onShow(own[0])}>
                  Last one
                </Button>
                {code && (
                  <Button small aria-expanded={open === name} onClick={() => setOpen(open === name ? undefined : name)}>
                    How to fix
                  </Button>
                )}
              </span>
            </div>
            {open === name && <ErrorHelp code={code} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}
