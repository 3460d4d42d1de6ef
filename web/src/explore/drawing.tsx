// Draws an area by clicking, or from the keyboard by panning the map and adding corners at the crosshair.
import { useEffect } from 'react';
import type { Position } from '../map/place.ts';
import { plural } from '../format.ts';
import { Button } from '../ui/parts.tsx';
import { areaSqft, lengthFeet, writeArea, writeLength } from './measure.ts';

const ENOUGH = 3;

/** Corners from the keyboard: Enter sets one at the crosshair, Backspace takes the last one back, Escape ends it. */
function useCornerKeys({ add, undo, cancel }: { add: () => void; undo: () => void; cancel: () => void }): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isOnMap = event.target instanceof HTMLCanvasElement;
      if (event.key === 'Escape') cancel();
      else if (isOnMap && event.key === 'Enter') add();
      else if (isOnMap && event.key === 'Backspace') undo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
}

export function MeasuringBar({
  corners,
  center,
  onChange,
  onClose,
}: {
  corners: Position[];
  center: Position | undefined;
  onChange: (corners: Position[]) => void;
  onClose: () => void;
}) {
  const add = () => center && onChange([...corners, center]);
  const undo = () => onChange(corners.slice(0, -1));
  useCornerKeys({ add, undo, cancel: onClose });
  return (
    <>
      <span className="map-cross" aria-hidden="true" />
      <div className="drawing-bar" role="group" aria-label="Measure">
        <p role="status">
          {corners.length < 2 ? (
            <span className="fine">Click two points, or pan with the arrow keys and press Enter.</span>
          ) : (
            <>
              <strong>{writeLength(lengthFeet(corners))}</strong>
              {corners.length >= ENOUGH && <span className="fine"> · {writeArea(areaSqft(corners))} inside</span>}
            </>
          )}
        </p>
        <div className="row">
          <Button small onClick={add}>
            Add point at crosshair
          </Button>
          <Button small look="quiet" onClick={undo} disabled={corners.length === 0}>
            Undo
          </Button>
          <Button small look="quiet" onClick={() => onChange([])} disabled={corners.length === 0}>
            Clear
          </Button>
          <Button small look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </>
  );
}

export function DrawingBar({
  corners,
  center,
  onChange,
  onFinish,
  onCancel,
  onType,
}: {
  corners: Position[];
  center: Position | undefined;
  onChange: (corners: Position[]) => void;
  onFinish: () => void;
  onCancel: () => void;
  /** Switch to entering coordinates as text. */
  onType: () => void;
}) {
  const add = () => center && onChange([...corners, center]);
  const undo = () => onChange(corners.slice(0, -1));
  useCornerKeys({ add, undo, cancel: onCancel });
  return (
    <>
      <span className="map-cross" aria-hidden="true" />
      <div className="drawing-bar" role="group" aria-label="Draw an area">
        <p role="status">
          <strong>{plural(corners.length, 'corner')}</strong>{' '}
          <span className="fine">
            {corners.length < ENOUGH
              ? 'Click the map, or pan with the arrow keys and press Enter.'
              : 'Finish, or add more corners.'}
          </span>
        </p>
        <div className="row">
          <Button small onClick={add}>
            Add corner at crosshair
          </Button>
          <Button small look="quiet" onClick={undo} disabled={corners.length === 0}>
            Undo
          </Button>
          <Button small look="quiet" onClick={onType}>
            Enter coordinates
          </Button>
          <Button small look="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button small look="primary" icon="check" onClick={onFinish} disabled={corners.length < ENOUGH}>
            Finish
          </Button>
        </div>
      </div>
    </>
  );
}
