// Enter an area as text, for people who have coordinates or prefer not to draw.
import { useState } from 'react';
import { FormDialog } from '../ui/dialog.tsx';
import { Field } from '../ui/parts.tsx';
import { areaParameter, readArea, writeArea, type Ring } from './area.ts';

export function AreaDialog({
  ring,
  onApply,
  onClose,
}: {
  ring: Ring | undefined;
  onApply: (area: string) => void;
  onClose: () => void;
}) {
  const [wrong, setWrong] = useState<string>();
  const apply = (form: FormData) => {
    const area = readArea(String(form.get('area')));
    if (typeof area === 'string') setWrong(area);
    else onApply(areaParameter(area));
  };
  return (
    <FormDialog
      title="Enter an area"
      submit="Search this area"
      isRunning={false}
      problem={undefined}
      onSubmit={apply}
      onClose={onClose}
    >
      <Field
        label="Corners"
        hint="One latitude, longitude pair per line, a GeoJSON polygon, or WKT."
        {...(wrong !== undefined && { error: wrong })}
      >
        {(id, describedBy) => (
          <textarea
            id={id}
            name="area"
            rows={8}
            required
            spellCheck={false}
            aria-describedby={describedBy}
            aria-invalid={wrong !== undefined}
            placeholder={'36.50, -57.00\n36.50, -56.95\n36.45, -56.95'}
            defaultValue={writeArea(ring)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
