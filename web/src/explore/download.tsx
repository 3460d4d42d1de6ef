// The current search as CSV: at once while it fits in one page of results, as an export where it does not.
import { useState } from 'react';
import { send, type Credential } from '../api.ts';
import { useCall, useCaller } from '../caller.tsx';
import { whole } from '../format.ts';
import { Link, navigate } from '../router.tsx';
import { saveFile } from '../save-file.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button, ProblemNotice } from '../ui/parts.tsx';
import { useAct } from '../use-api.ts';

const MAX_ROWS = 500;

export function DownloadButton({ body, total }: { body: Record<string, unknown>; total: number }) {
  const { credential } = useCaller();
  const [isAsking, setAsking] = useState(false);
  const start = () => (total > MAX_ROWS ? setAsking(true) : void downloadCsv(credential, body));
  return (
    <>
      <Button small look="quiet" icon="export" onClick={start} aria-label="Download CSV">
        CSV
      </Button>
      {isAsking && <ManyRows body={body} total={total} onClose={() => setAsking(false)} />}
    </>
  );
}

function ManyRows({ body, total, onClose }: { body: Record<string, unknown>; total: number; onClose: () => void }) {
  const { credential, isGuest } = useCaller();
  const call = useCall();
  const first = useAct(async () => {
    await downloadCsv(credential, body);
    onClose();
  });
  const all = useAct(async () => {
    const made = await call<{ id: string }>('exports', {
      body: {
        name: `Explorer search, ${whole(total)} properties`,
        dataset: 'properties',
        format: 'csv',
        filter: filterOf(body),
        destination: { type: 'folder' },
      },
    });
    navigate(`/dashboard/exports/${made.id}`);
  });
  return (
    <Dialog title={`${whole(total)} properties`} onClose={onClose}>
      <div className="stack">
        <p>
          A download holds up to {MAX_ROWS} rows. An export writes all {whole(total)} of them to a file, which you
          download when it is ready.
        </p>
        {isGuest && (
          <p>
            Exports belong to an account. <Link href="/sign-up">Sign up free</Link>
          </p>
        )}
        <ProblemNotice problem={all.problem ?? first.problem} />
        <footer className="dialog-foot">
          <Button isRunning={first.isRunning} onClick={() => void first.run()}>
            First {MAX_ROWS} as CSV
          </Button>
          {!isGuest && (
            <Button look="primary" isRunning={all.isRunning} onClick={() => void all.run()}>
              Export all
            </Button>
          )}
        </footer>
      </div>
    </Dialog>
  );
}

/** What a search asks for, without how its answer should look. */
function filterOf({
  include_total: _total,
  fields: _fields,
  sort: _sort,
  limit: _limit,
  ...filter
}: Record<string, unknown>) {
  return filter;
}

async function downloadCsv(credential: Credential | undefined, body: Record<string, unknown>): Promise<void> {
  const { include_total: _total, fields: _fields, ...search } = body;
  const response = await send(credential, 'properties/search', { body: { ...search, format: 'csv', limit: MAX_ROWS } });
  saveFile(await response.blob(), 'properties.csv');
}
