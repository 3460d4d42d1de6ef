// Counties that operators are bringing in, and the form that begins one.
import { useState } from 'react';
import { useCall } from '../../caller.tsx';
import { ago, bytes, percent, words } from '../../format.ts';
import { Link, navigate } from '../../router.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Button, Card, Empty, Field, PageHead, ProblemNotice, Skeleton, type Tone } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useAct, useList } from '../../use-api.ts';
import { activeStep, isUploaded, TONES, type Draft, type DraftSummary } from './draft.ts';
import { FindCounty } from './find-county.tsx';
import { uploadFile } from './upload.ts';

const KINDS = '.csv,.tsv,.txt,.gz,.zip,.xlsx,.json,.geojson,.topojson,.gpkg,.parquet';

export function CountiesSection() {
  const list = useList<DraftSummary>('/session/counties');
  const [isNew, setNew] = useState(false);
  const start = (
    <Button look="primary" icon="plus" onClick={() => setNew(true)}>
      New county
    </Button>
  );
  return (
    <>
      <PageHead
        title="Counties"
        lead="Bring in public records: find a county or upload a file, check its columns, preview, load, and train a model."
        actions={start}
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <div className="sections">
        <FindCounty />
        <Card title="Drafts" flush>
          {!list.data && list.isLoading && <Skeleton />}
          {list.data?.length === 0 && (
            <Empty icon="map" title="No counties yet">
              Find a county above, or upload a file of parcels or sales: CSV, Excel, GeoJSON, a zipped shapefile,
              GeoPackage, or Parquet.
            </Empty>
          )}
          {list.data && list.data.length > 0 && (
            <Table
              caption="Counties"
              rows={list.data}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Place', cell: (row) => <Link href={`/dashboard/counties/${row.id}`}>{row.place.name}</Link> },
                { head: 'State', cell: (row) => <StateOf draft={row} /> },
                { head: 'County', cell: (row) => `${row.place.county}, ${row.place.state}` },
                { head: 'File', cell: (row) => row.file.name },
                { head: 'Size', align: 'right', cell: (row) => bytes(row.file.bytes) },
                { head: 'Changed', cell: (row) => ago(row.updated_at) },
              ]}
            />
          )}
        </Card>
      </div>
      {isNew && <NewCounty onClose={() => setNew(false)} />}
    </>
  );
}

const DONE: Record<string, string> = { train: 'Trained', load: 'Loaded', preview: 'Previewed', read: 'Read' };

function StateOf({ draft }: { draft: DraftSummary }) {
  const [tone, text] = stateOf(draft);
  return <Badge tone={tone}>{text}</Badge>;
}

function stateOf(draft: DraftSummary): [Tone, string] {
  if (!isUploaded(draft)) return ['warn', 'Upload not finished'];
  const active = activeStep(draft);
  const last = active ?? draft.steps.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0];
  if (!last) return ['neutral', 'Waiting'];
  if (last.state === 'done') return ['good', DONE[last.kind]];
  return [TONES[last.state], `${words(last.kind)}: ${last.state}`];
}

function NewCounty({ onClose }: { onClose: () => void }) {
  const call = useCall();
  const [from, setFrom] = useState<'file' | 'url'>('file');
  const [share, setShare] = useState<number>();
  const act = useAct(async (form: FormData) => {
    const file = form.get('file') as File | null;
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const place = { county: text('county'), place: text('place'), fips: text('fips') };
    const draft = await call<Draft>('/session/counties', {
      body: {
        ...place,
        ...(from === 'url' ? { url: text('url') } : { file_name: file!.name, file_bytes: file!.size }),
      },
    });
    if (from === 'file') {
      setShare(0);
      await uploadFile(draft, file!, setShare);
    }
    navigate(`/dashboard/counties/${draft.id}`);
  });
  return (
    <FormDialog
      title="New county"
      submit={share === undefined ? 'Begin' : `Uploading, ${percent(share, 0)}`}
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="County">
        {(id) => <input id={id} name="county" type="text" required maxLength={100} placeholder="Durham County" />}
      </Field>
      <Field label="Place" hint="What customers see. Its first part becomes the city where the file names none.">
        {(id, described) => (
          <input
            id={id}
            name="place"
            type="text"
            required
            minLength={2}
            maxLength={100}
            placeholder="Durham, North Carolina"
            aria-describedby={described}
          />
        )}
      </Field>
      <Field label="County FIPS code" hint="Five digits: two for the state, three for the county.">
        {(id, described) => (
          <input
            id={id}
            name="fips"
            type="text"
            inputMode="numeric"
            required
            pattern="[0-9]{5}"
            maxLength={5}
            placeholder="37063"
            aria-describedby={described}
          />
        )}
      </Field>
      <fieldset>
        <legend>Where the file is</legend>
        <div className="row">
          {(['file', 'url'] as const).map((kind) => (
            <label key={kind} className="check">
              <input type="radio" name="from" checked={from === kind} onChange={() => setFrom(kind)} />
              {kind === 'file' ? 'On this computer' : 'At a web address'}
            </label>
          ))}
        </div>
      </fieldset>
      {from === 'file' ? (
        <Field label="File" hint="CSV, Excel, GeoJSON, zipped shapefile, GeoPackage, or Parquet. It may be gzipped.">
          {(id, described) => (
            <input id={id} name="file" type="file" required accept={KINDS} aria-describedby={described} />
          )}
        </Field>
      ) : (
        <Field
          label="Web address"
          hint="A public https:// address that leads to the file itself, or a layer of an ArcGIS server."
        >
          {(id, described) => (
            <input
              id={id}
              name="url"
              type="url"
              required
              placeholder="https://data.example.gov/parcels.csv"
              aria-describedby={described}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
