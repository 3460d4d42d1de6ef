// Draws an area by clicking, or from the keyboard by panning the map and adding corners at the crosshair.
import { useEffect } from 'react';
import type { Position } from '../map/place.ts';
import { plural } from '../format.ts';
import { Button } from '../ui/parts.tsx';

const ENOUGH = 3;

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
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isOnMap = event.target instanceof HTMLCanvasElement;
      if (event.key === 'Escape') onCancel();
      else if (isOnMap && event.key === 'Enter') add();
      else if (isOnMap && event.key === 'Backspace') undo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
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
