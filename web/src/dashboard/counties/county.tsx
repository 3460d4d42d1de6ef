// One county on its way in: file, columns, preview, load, training. The server keeps all of it, so a reload loses nothing.
import { useEffect, useRef, useState } from 'react';
import { useCall } from '../../caller.tsx';
import { bytes, percent, plural } from '../../format.ts';
import { navigate } from '../../router.tsx';
import { Button, Card, Field, Notice, PageHead, ProblemNotice, Skeleton, SureButton } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useApi } from '../../use-api.ts';
import { Columns } from './columns.tsx';
import {
  activeStep,
  doneFor,
  findingsOf,
  isUploaded,
  stepOf,
  stopsIn,
  type Draft,
  type Finding,
  type PreviewResult,
  type StepKind,
  type TrainResult,
} from './draft.ts';
import { Findings, isStop } from './findings.tsx';
import { RecipeEditor } from './recipe.tsx';
import { describeRows, LoadResults, PlaceLinks, PreviewResults, TrainResults } from './results.tsx';
import { StateBadge, StepCard } from './step.tsx';
import { uploadFile } from './upload.ts';

const POLL_MS = 1_000;
const STEPS: [kind: StepKind, title: string][] = [
  ['read', '1. File and columns'],
  ['preview', '2. Preview'],
  ['load', '3. Load'],
  ['train', '4. Train'],
];

interface Asked {
  kind: StepKind;
  quick?: boolean;
  force?: boolean;
  accept?: string[];
}

export function CountySection({ id }: { id: string }) {
  const call = useCall();
  const say = useToast();
  const draft = useApi<Draft>(`/session/counties/${id}`);
  const { reload, data } = draft;
  const isBusy = data !== undefined && activeStep(data) !== undefined;
  useEffect(() => {
    if (!isBusy || draft.isLoading) return undefined;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isBusy, draft.isLoading, reload]);
  const act = useAct(async (asked: Asked | 'cancel' | 'delete') => {
    if (asked === 'delete') {
      await call(`/session/counties/${id}`, { method: 'DELETE' });
      say('Draft deleted. Records loaded from it stay.');
      navigate('/dashboard/counties');
      return;
    }
    if (asked === 'cancel') await call(`/session/counties/${id}/cancel`, { method: 'POST' });
    else await call(`/session/counties/${id}/steps`, { body: { ...asked, recipe_version: data?.recipe_version } });
    reload();
  });
  if (!data) return draft.problem ? <ProblemNotice problem={draft.problem} onRetry={reload} /> : <Skeleton lines={6} />;
  const run = (asked: Asked) => void act.run(asked);
  const common = { draft: data, isBusy: isBusy || act.isRunning, run, cancel: () => void act.run('cancel') };
  return (
    <>
      <PageHead
        title={data.place.name}
        lead={`${data.place.county}, ${data.place.state} · FIPS ${data.place.fips}`}
        actions={
          <SureButton sure="Confirm delete" disabled={isBusy} onSure={() => void act.run('delete')}>
            Delete draft
          </SureButton>
        }
      />
      <ol className="steps" aria-label="Steps">
        {STEPS.map(([kind, title]) => (
          <li key={kind}>
            <a href={`#${kind}`}>{title}</a>
            <StateBadge step={stepOf(data, kind)} isStale={isStale(data, kind)} />
          </li>
        ))}
      </ol>
      {/* A poll that fails while the server restarts is repeated with the next one. */}
      <ProblemNotice problem={act.problem ?? draft.problem} onRetry={reload} />
      <div className="sections">
        <FileStep {...common} reload={reload} />
        {data.recipe !== null && <PreviewStep {...common} />}
        {data.recipe !== null && <LoadStep {...common} />}
        {data.recipe !== null && <TrainStep {...common} />}
      </div>
    </>
  );
}

const isStale = (draft: Draft, kind: StepKind) =>
  (kind === 'preview' || kind === 'load') && doneFor(draft, kind) === undefined;

interface StepProps {
  draft: Draft;
  isBusy: boolean;
  run: (asked: Asked) => void;
  cancel: () => void;
}

function FileStep({ draft, isBusy, run, cancel, reload }: StepProps & { reload: () => void }) {
  const { file } = draft;
  const step = stepOf(draft, 'read');
  const facts = [
    file.name,
    file.bytes !== null && bytes(file.bytes),
    file.type?.toUpperCase(),
    file.rows !== null && describeRows(file.rows, file.has_more),
    file.shapes > 0 && `${plural(file.shapes, 'shape')}`,
  ];
  const readFindings =
    step?.state === 'done' ? (step.result as { findings?: Finding[] | null } | null)?.findings : null;
  if (!isUploaded(draft)) return <ContinueUpload draft={draft} onDone={reload} />;
  return (
    <StepCard
      id="read"
      title={STEPS[0][1]}
      lead={facts.filter(Boolean).join(' · ')}
      step={step}
      onCancel={cancel}
      actions={
        step?.state !== 'done' && (
          <Button look="primary" disabled={isBusy} onClick={() => run({ kind: 'read' })}>
            Try again
          </Button>
        )
      }
    >
      {step?.state === 'failed' && draft.recipe === null && (
        <p className="fine">If it is the wrong file, delete this draft and start over with another.</p>
      )}
      {readFindings && <Findings findings={readFindings} />}
      {draft.columns.length > 0 && <Columns draft={draft} onChange={reload} />}
      {draft.recipe !== null && <RecipeEditor draft={draft} onChange={reload} />}
    </StepCard>
  );
}

function ContinueUpload({ draft, onDone }: { draft: Draft; onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [share, setShare] = useState(draft.file.received_bytes / (draft.file.bytes ?? 1));
  const upload = useAct(async () => {
    const chosen = input.current?.files?.[0];
    if (!chosen) return;
    await uploadFile(draft, chosen, setShare);
    onDone();
  });
  return (
    <Card title={STEPS[0][1]} lead={`${draft.file.name} · ${bytes(draft.file.bytes)}`}>
      <div className="stack">
        <Notice tone="warn" title={`The upload stopped at ${percent(share, 0)}`}>
          <p>Choose the same file again to go on from there.</p>
        </Notice>
        <Field label="File">{(id) => <input id={id} ref={input} type="file" />}</Field>
        <ProblemNotice problem={upload.problem} />
        <div>
          <Button look="primary" isRunning={upload.isRunning} onClick={() => void upload.run()}>
            Continue upload
          </Button>
        </div>
      </div>
    </Card>
  );
}

function PreviewStep({ draft, isBusy, run, cancel }: StepProps) {
  const step = stepOf(draft, 'preview');
  return (
    <StepCard
      id="preview"
      title={STEPS[1][1]}
      lead="Loads everything into a database that is thrown away, and shows what would be kept."
      step={step}
      isStale={isStale(draft, 'preview')}
      onCancel={cancel}
      actions={
        <Button
          look={doneFor(draft, 'preview') ? 'plain' : 'primary'}
          disabled={isBusy}
          onClick={() => run({ kind: 'preview' })}
        >
          {step ? 'Preview again' : 'Preview'}
        </Button>
      }
    >
      {step?.state === 'done' && <PreviewResults step={step} draftId={draft.id} />}
    </StepCard>
  );
}

function LoadStep({ draft, isBusy, run, cancel }: StepProps) {
  const step = stepOf(draft, 'load');
  const preview = doneFor(draft, 'preview');
  const mayLoad = preview !== undefined;
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const found = findingsOf((preview?.result as unknown as PreviewResult | undefined)?.reports ?? []) ?? [];
  const stops = found.filter(isStop);
  // A load is also compared with the one before, and may stop at what a preview could not see.
  const others = stopsIn(step?.error).filter((id) => !stops.some((finding) => finding.id === id));
  const isOpen = stops.some(({ id }) => !accepted.has(id));
  const accept = (id: string, isAccepted: boolean) =>
    setAccepted((before) => new Set(isAccepted ? [...before, id] : [...before].filter((other) => other !== id)));
  return (
    <StepCard
      id="load"
      title={STEPS[2][1]}
      lead={mayLoad ? 'Writes the records to the live database.' : 'Preview the recipe first.'}
      step={step}
      isStale={isStale(draft, 'load')}
      onCancel={cancel}
      actions={
        <Button
          look={mayLoad && !doneFor(draft, 'load') ? 'primary' : 'plain'}
          disabled={isBusy || !mayLoad || isOpen}
          onClick={() => run({ kind: 'load', ...(accepted.size > 0 && { accept: [...accepted] }) })}
        >
          {step ? 'Load again' : 'Load'}
        </Button>
      }
    >
      {stops.length > 0 && <Findings findings={stops} accepting={{ accepted, onAccept: accept }} />}
      {others.map((id) => (
        <label key={id} className="check">
          <input type="checkbox" checked={accepted.has(id)} onChange={(event) => accept(id, event.target.checked)} />
          I have checked <code>{id}</code>: load all the same
        </label>
      ))}
      {step?.state === 'done' && <LoadResults step={step} />}
    </StepCard>
  );
}

function TrainStep({ draft, isBusy, run, cancel }: StepProps) {
  const [isQuick, setQuick] = useState(false);
  const step = stepOf(draft, 'train');
  const load = stepOf(draft, 'load');
  const mayTrain = load?.state === 'done';
  const result = step?.state === 'done' ? (step.result as unknown as TrainResult) : undefined;
  const preview = stepOf(draft, 'preview')?.result as unknown as PreviewResult | null;
  return (
    <StepCard
      id="train"
      title={STEPS[3][1]}
      lead={
        mayTrain
          ? 'Trains a model, tests it on sales it has not seen, and values every home.'
          : 'Load the county first.'
      }
      step={step}
      onCancel={cancel}
      actions={
        <>
          <label className="check">
            <input type="checkbox" checked={isQuick} onChange={(event) => setQuick(event.target.checked)} />
            Quick first look
          </label>
          {result && !result.is_published && (
            <SureButton
              sure="Publish all the same?"
              disabled={isBusy}
              onSure={() => run({ kind: 'train', quick: isQuick, force: true })}
            >
              Publish anyway
            </SureButton>
          )}
          <Button
            look={mayTrain && !result ? 'primary' : 'plain'}
            disabled={isBusy || !mayTrain}
            onClick={() => run({ kind: 'train', quick: isQuick })}
          >
            {step ? 'Train again' : 'Train'}
          </Button>
        </>
      }
    >
      {result && step && <TrainResults step={step} />}
      {mayTrain && draft.market && <PlaceLinks market={draft.market} sample={preview?.samples[0]} />}
    </StepCard>
  );
}
