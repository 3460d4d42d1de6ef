// Makes a link that anyone can open, and shows it once.
import { useState } from 'react';
import type { Static } from 'typebox';
import type { NewShare, ShareWithLink } from '../../../src/delivery/shares/schema.ts';
import { useCall, useCaller } from '../caller.tsx';
import { day, plural } from '../format.ts';
import { Link } from '../router.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Button, Copy, Field, Notice } from '../ui/parts.tsx';
import { useAct } from '../use-api.ts';

const DAYS = [1, 7, 30, 90, 365];

export function ShareButton({
  what,
  calls,
  small,
  label = 'Share',
}: {
  what: Pick<NewShare, 'property_id' | 'area' | 'watchlist_id' | 'report_id'>;
  /** Standard calls that it costs in live mode. */
  calls: number;
  small?: boolean;
  label?: string;
}) {
  const { isGuest, session } = useCaller();
  const [isOpen, setOpen] = useState(false);
  // Viewers may not make links.
  if (isGuest || session?.role === 'viewer') return null;
  return (
    <>
      <Button small={small} icon={small ? undefined : 'share'} aria-label={label} onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && <ShareDialog what={what} calls={calls} onClose={() => setOpen(false)} />}
    </>
  );
}

function ShareDialog({ what, calls, onClose }: { what: object; calls: number; onClose: () => void }) {
  const call = useCall();
  const { mode } = useCaller();
  const [made, setMade] = useState<Static<typeof ShareWithLink>>();
  const act = useAct(async (form: FormData) => {
    const body = {
      ...what,
      expires_in_days: Number(form.get('days')),
      ...(form.get('owners') && { include_owners: true }),
    };
    setMade(await call('shares', { body }));
  });
  if (made) return <Made made={made} onClose={onClose} />;
  const mayHaveNames = 'property_id' in what || 'report_id' in what;
  return (
    <FormDialog
      title="Share"
      submit="Make link"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <p>
        Anyone with the link can open this page as it is now, without an account.{' '}
        {mode === 'live' && calls > 0 && `Uses ${plural(calls, 'standard call')}. Opening it costs nothing.`}
      </p>
      <Field label="Ends after">
        {(id) => (
          <select id={id} name="days" defaultValue={30}>
            {DAYS.map((days) => (
              <option key={days} value={days}>
                {plural(days, 'day')}
              </option>
            ))}
          </select>
        )}
      </Field>
      {mayHaveNames && (
        <label className="check">
          <input type="checkbox" name="owners" />
          Show the names of owners
        </label>
      )}
    </FormDialog>
  );
}

function Made({ made, onClose }: { made: Static<typeof ShareWithLink>; onClose: () => void }) {
  return (
    <Dialog title="Copy your link" onClose={onClose}>
      <div className="stack">
        <Notice tone="warn">
          This link won’t be shown again. It ends on {day(made.expires_at)}, or when you revoke it under{' '}
          <Link href="/dashboard/shares">Share links</Link>.
        </Notice>
        <div className="row secret">
          <code>{made.url}</code>
          <Copy text={made.url} />
        </div>
        <div className="dialog-foot">
          <a className="button" href={made.url} target="_blank" rel="noreferrer">
            Open
          </a>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
