// The switches for layers over the map, with the census figure of tracts and the period of sales.
import { useEffect, useState } from 'react';
import {
  monthAfter,
  monthsBetween,
  OVERLAYS,
  TRACT_FIGURES,
  type OverlayId,
  type Period,
  type TractFigureId,
} from '../map/overlays.ts';
import { month } from '../format.ts';
import type { LoadedLayer } from '../map/loaded-layers.ts';
import { Icon } from '../ui/icons.tsx';
import { Button } from '../ui/parts.tsx';

export function OverlayMenu({
  overlays,
  tractFigure,
  loaded,
  onChange,
  onTractFigure,
  onLoaded,
}: {
  /** Layers by recipe that can be drawn, and the one that is. */
  loaded: { layers: LoadedLayer[]; chosen: LoadedLayer | undefined };
  onLoaded: (name: string | undefined) => void;
  overlays: OverlayId[];
  tractFigure: TractFigureId;
  onChange: (overlays: OverlayId[]) => void;
  onTractFigure: (figure: TractFigureId) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const toggle = (id: OverlayId) =>
    onChange(overlays.includes(id) ? overlays.filter((one) => one !== id) : [...overlays, id]);
  return (
    <div className="map-tool">
      <button type="button" className="map-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="layers" size={17} />
        Layers
      </button>
      {isOpen && (
        <fieldset className="map-menu">
          <legend className="unseen">Layers on the map</legend>
          {OVERLAYS.map(([id, label]) => (
            <label key={id} className="check">
              <input type="checkbox" checked={overlays.includes(id)} onChange={() => toggle(id)} />
              {label}
            </label>
          ))}
          {loaded.layers.length > 0 && (
            <label className="stack tight">
              <span className="label">Loaded layer</span>
              <select value={loaded.chosen?.name ?? ''} onChange={(event) => onLoaded(event.target.value || undefined)}>
                <option value="">None</option>
                {loaded.layers.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          )}
          {overlays.includes('tracts') && (
            <label className="stack tight">
              <span className="label">Shade tracts by</span>
              <select value={tractFigure} onChange={(event) => onTractFigure(event.target.value as TractFigureId)}>
                {TRACT_FIGURES.map(([id, label]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          )}
        </fieldset>
      )}
    </div>
  );
}

const SPAN_MONTHS = 12;
const PLAY_MS = 700;

/** One year of sales, moved along the years by hand or by itself. */
export function SalesSlider({
  period,
  newest,
  onChange,
  onClose,
}: {
  period: Period;
  /** The month of the last known sale. */
  newest: number;
  onChange: (period: Period) => void;
  onClose: () => void;
}) {
  const [isPlaying, setPlaying] = useState(false);
  const oldest = monthAfter(newest, -15 * 12);
  const lastStart = monthAfter(newest, 1 - SPAN_MONTHS);
  const at = Math.max(0, monthsBetween(oldest, period.from));
  const most = monthsBetween(oldest, lastStart);
  const move = (steps: number) => {
    const from = monthAfter(oldest, steps);
    onChange({ from, to: monthAfter(from, SPAN_MONTHS - 1) });
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(() => (at >= most ? setPlaying(false) : move(Math.min(most, at + 3))), PLAY_MS);
    return () => clearTimeout(timer);
  });
  const words = `${monthName(period.from)} – ${monthName(period.to)}`;
  return (
    <div className="sales-slider" role="group" aria-label="Sales by date">
      <Button small look="quiet" onClick={() => (at >= most ? (move(0), setPlaying(true)) : setPlaying(!isPlaying))}>
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <input
        type="range"
        min={0}
        max={most}
        value={Math.min(at, most)}
        aria-label="Twelve months of sales"
        aria-valuetext={words}
        onChange={(event) => move(Number(event.target.value))}
      />
      <output>{words}</output>
      <button type="button" className="icon-button" aria-label="Hide sales" onClick={onClose}>
        <Icon name="close" size={15} />
      </button>
    </div>
  );
}

const monthName = (yearMonth: number): string =>
  month(`${Math.floor(yearMonth / 100)}-${String(yearMonth % 100).padStart(2, '0')}-15`);
