// Settings: the name and logo of the account on what it hands out, and the digests that this person gets.
import { useState, type FormEvent } from 'react';
import { useCall, useCaller } from '../caller.tsx';
import { Button, Card, Field, PageHead, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAct, useApi } from '../use-api.ts';

interface Branding {
  name: string | null;
  logo: string | null;
  updated_at: string | null;
}

interface Choice {
  watchlists: boolean;
  loans: boolean;
  receipts: boolean;
  areas: { kind: string; area: string; market?: string }[];
}

export function SettingsSection() {
  const { session } = useCaller();
  return (
    <>
      <PageHead title="Settings" lead="What others see of your account, and what you get by email." />
      <div className="sections">
        <BrandingCard />
        {session && <DigestCard />}
      </div>
    </>
  );
}

const readAsUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Error('The file could not be read.')));
    reader.readAsDataURL(file);
  });

function BrandingCard() {
  const call = useCall();
  const say = useToast();
  const branding = useApi<Branding>('account/branding');
  const save = useAct(async (body: object) => {
    await call('account/branding', { method: 'PUT', body });
    say('Name and logo saved.');
    branding.reload();
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = String(form.get('name')).trim();
    const file = form.get('logo') as File;
    // Anything else would be refused by its content; this says so without sending it.
    const logo = file.size > 0 ? (await readAsUrl(file)).replace(/^data:[^,]*,/, '') : undefined;
    await save.run({ name: name === '' ? null : name, ...(logo && { logo }) });
  };
  const known = branding.data;
  return (
    <Card
      title="Your name and logo"
      lead="On every page of lender’s files and appraisal reviews, and on pages that you share."
    >
      <ProblemNotice problem={branding.problem} onRetry={branding.reload} />
      {!known && branding.isLoading && <Skeleton />}
      {known && (
        <form className="stack" key={known.updated_at ?? 'new'} onSubmit={(event) => void submit(event)}>
          {known.logo && (
            <p className="shared-by">
              <img src={known.logo} alt="Your logo" />
            </p>
          )}
          <Field label="Name">
            {(id) => <input id={id} name="name" type="text" maxLength={80} defaultValue={known.name ?? ''} />}
          </Field>
          <Field label="Logo" hint="PNG or JPEG, at most 200 kB and 1,000 pixels wide and high.">
            {(id, described) => (
              <input id={id} name="logo" type="file" accept="image/png,image/jpeg" aria-describedby={described} />
            )}
          </Field>
          <ProblemNotice problem={save.problem} />
          <div className="row">
            <Button look="primary" type="submit" isRunning={save.isRunning}>
              Save name and logo
            </Button>
            {known.logo && (
              <Button look="quiet" onClick={() => void save.run({ logo: null })}>
                Remove logo
              </Button>
            )}
          </div>
        </form>
      )}
    </Card>
  );
}

/** `zip 00103`, one area per line. */
const textOf = (areas: Choice['areas']) =>
  areas.map(({ kind, area, market }) => [kind, area, market && `in ${market}`].filter(Boolean).join(' ')).join('\n');
const areasOf = (text: string): Choice['areas'] =>
  text
    .split('\n')
    .map((line) => /^(\w+) +(.+?)(?: +in +(\S+))?$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, kind, area, market]) => ({ kind: kind.toLowerCase(), area, ...(market && { market }) }));

function DigestCard() {
  const call = useCall();
  const say = useToast();
  const { mode, session } = useCaller();
  const choice = useApi<Choice>(`/session/digests?mode=${mode}`);
  const [saved, setSaved] = useState(0);
  const save = useAct(async (form: FormData) => {
    const body = {
      mode,
      watchlists: form.get('watchlists') === 'on',
      loans: form.get('loans') === 'on',
      receipts: form.get('receipts') === 'on',
      areas: areasOf(String(form.get('areas'))),
    };
    await call('/session/digests', { method: 'PUT', body });
    say('Digests saved.');
    setSaved(saved + 1);
    choice.reload();
  });
  const known = choice.data;
  return (
    <Card
      title="Digests by email"
      lead={`To ${session?.user.email ?? 'you'}, about ${mode === 'live' ? 'live data' : 'the sandbox'}. Nothing is sent when there is nothing to say.`}
    >
      <ProblemNotice problem={choice.problem} onRetry={choice.reload} />
      {!known && choice.isLoading && <Skeleton />}
      {known && (
        <form
          className="stack"
          key={`${mode} ${saved}`}
          onSubmit={(event) => {
            event.preventDefault();
            void save.run(new FormData(event.currentTarget));
          }}
        >
          <label className="check">
            <input type="checkbox" name="watchlists" defaultChecked={known.watchlists} />
            Every Monday: what changed on watchlists
          </label>
          <label className="check">
            <input type="checkbox" name="loans" defaultChecked={known.loans} />
            On the first of every month: what became known of loans
          </label>
          <label className="check">
            <input type="checkbox" name="receipts" defaultChecked={known.receipts} />
            Every hour: the signed roots of new receipts, to hold as a witness
          </label>
          <Field
            label="Areas to follow, every Monday"
            hint="One per line: its kind and name, such as zip 00103 or city Port Ellowby."
          >
            {(id, described) => (
              <textarea id={id} name="areas" rows={3} defaultValue={textOf(known.areas)} aria-describedby={described} />
            )}
          </Field>
          <ProblemNotice problem={save.problem} />
          <div className="row">
            <Button look="primary" type="submit" isRunning={save.isRunning}>
              Save digests
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
