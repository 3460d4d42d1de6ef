// The filter form. Its values are written to the URL.
import { useEffect, useState } from 'react';
import { queryOf } from '../api.ts';
import { useApi } from '../use-api.ts';
import { Field } from '../ui/parts.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { plural, words } from '../format.ts';
import { bodyOfQuery, FLAGS, OWNER_TYPES, PLACES, PROPERTY_TYPES, RANGES } from './filter.ts';

export function FiltersDialog({
  query,
  center,
  bbox,
  onApply,
  onClose,
}: {
  query: URLSearchParams;
  center: [number, number] | undefined;
  /** What is in view, for the count. */
  bbox: string | undefined;
  onApply: (changes: Record<string, string | undefined>) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<Changes>();
  const count = useCount(query, draft, bbox);
  const read = (form: FormData): Changes => {
    const changes: Changes = {};
    for (const [name] of PLACES) changes[name] = text(form, name);
    changes.property_type = form.getAll('property_type').join(',') || undefined;
    for (const [name] of RANGES) {
      changes[`min_${name}`] = text(form, `min_${name}`);
      changes[`max_${name}`] = text(form, `max_${name}`);
    }
    for (const name of [
      ...FLAGS.map(([flag]) => flag),
      'owner_type',
      'permit_since',
      'updated_since',
      'radius_miles',
    ]) {
      changes[name] = text(form, name);
    }
    const isCircle = changes.radius_miles !== undefined && center !== undefined;
    changes.longitude = isCircle ? center[0].toFixed(5) : undefined;
    changes.latitude = isCircle ? center[1].toFixed(5) : undefined;
    if (isCircle) changes.area = undefined;
    return changes;
  };
  const apply = (form: FormData) => {
    onApply(read(form));
    onClose();
  };
  const types = new Set((query.get('property_type') ?? '').split(','));
  return (
    <FormDialog
      title="Filters"
      submit={count === undefined ? 'Show results' : `Show ${plural(count, 'result')}`}
      onInput={(form) => setDraft(read(form))}
      isRunning={false}
      problem={undefined}
      onSubmit={apply}
      onClose={onClose}
    >
      <fieldset>
        <legend>Property type</legend>
        <div className="checks">
          {PROPERTY_TYPES.map((type) => (
            <label key={type} className="check">
              <input type="checkbox" name="property_type" value={type} defaultChecked={types.has(type)} />
              {words(type)}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Ranges</legend>
        <div className="ranges">
          {RANGES.map(([name, label, kind]) => (
            <div key={name} className="range" role="group" aria-label={label}>
              <span className="label">{label}</span>
              {(['min', 'max'] as const).map((end) => (
                <input
                  key={end}
                  name={`${end}_${name}`}
                  type={kind === 'date' ? 'date' : 'number'}
                  min={kind === 'date' ? undefined : 0}
                  step={name === 'bathrooms' ? 0.5 : 'any'}
                  aria-label={`${label}, ${end === 'min' ? 'minimum' : 'maximum'}`}
                  placeholder={end === 'min' ? 'Min' : 'Max'}
                  defaultValue={query.get(`${end}_${name}`) ?? ''}
                />
              ))}
            </div>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Owner, risk, and activity</legend>
        <div className="pair">
          {FLAGS.map(([name, label]) => (
            <Field key={name} label={label}>
              {(id) => (
                <select id={id} name={name} defaultValue={query.get(name) ?? ''}>
                  <option value="">Any</option>
                  <option value="true">Yes</option>
                  <option value="false">No</option>
                </select>
              )}
            </Field>
          ))}
          <Field label="Owner type">
            {(id) => (
              <select id={id} name="owner_type" defaultValue={query.get('owner_type') ?? ''}>
                <option value="">Any</option>
                {OWNER_TYPES.map((type) => (
                  <option key={type} value={type}>
                    {words(type)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Permit issued since">
            {(id) => <input id={id} type="date" name="permit_since" defaultValue={query.get('permit_since') ?? ''} />}
          </Field>
          <Field label="Record updated since">
            {(id) => <input id={id} type="date" name="updated_since" defaultValue={query.get('updated_since') ?? ''} />}
          </Field>
        </div>
      </fieldset>
      <fieldset>
        <legend>Location</legend>
        <div className="pair">
          {PLACES.map(([name, label, example]) => (
            <Field key={name} label={label}>
              {(id) => (
                <input id={id} type="text" name={name} placeholder={example} defaultValue={query.get(name) ?? ''} />
              )}
            </Field>
          ))}
          <Field label="Miles from map center">
            {(id) => (
              <input
                id={id}
                type="number"
                name="radius_miles"
                min="0.05"
                max="100"
                step="any"
                placeholder="Any"
                defaultValue={query.get('radius_miles') ?? ''}
              />
            )}
          </Field>
        </div>
        <p className="fine">Separate multiple cities, ZIP codes, or counties with commas.</p>
      </fieldset>
    </FormDialog>
  );
}

type Changes = Record<string, string | undefined>;
const WAIT_MS = 300;

/** How many properties the form would leave, while it is being filled in. In live mode counts are rounded down. */
function useCount(query: URLSearchParams, draft: Changes | undefined, bbox: string | undefined): number | undefined {
  const wanted = new URLSearchParams(query);
  for (const [name, value] of Object.entries(draft ?? {})) {
    if (value === undefined) wanted.delete(name);
    else wanted.set(name, value);
  }
  const { geometry: _, ...body } = bodyOfQuery(wanted);
  const place = body.radius_miles === undefined && bbox ? { bbox } : {};
  const asked = queryOf({ ...(body as Record<string, string>), ...place });
  const [settled, setSettled] = useState(asked);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), WAIT_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  return useApi<{ count: number }>(`properties/count${settled}`).data?.count;
}

function text(form: FormData, name: string): string | undefined {
  const value = String(form.get(name) ?? '').trim();
  return value === '' ? undefined : value;
}
