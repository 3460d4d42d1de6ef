// The legend: what the colors mean, how many homes have which figure, and brushing to filter by it.
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { compactMoney, percent, whole } from '../format.ts';
import {
  amountAmong,
  FIGURE_IDS,
  FIGURES,
  histogramOf,
  placeAmong,
  stepOf,
  type Bin,
  type FigureId,
  type Reading,
} from './figures.ts';
import { LEVEL_COLORS } from '../layers.ts';
import type { LoadedLayer } from './loaded-layers.ts';
import { TRACT_FIGURES, type TractFigureId } from './overlays.ts';
import { TRACT_COLORS, VALUE_COLORS } from './style.ts';

interface Brush {
  min: number | undefined;
  max: number | undefined;
}

const [WIDTH, HEIGHT] = [232, 44];

export function Legend({
  figure,
  readings,
  breaks,
  tracts,
  loaded,
  missing = [],
  brush,
  onFigure,
  onBrush,
}: {
  figure: FigureId;
  /** Undefined until they are known. */
  readings: Reading[] | undefined;
  breaks: number[];
  /** How tracts are shaded, if they are. */
  tracts?: { figure: TractFigureId; breaks: number[] } | undefined;
  /** The layer by recipe that is drawn. */
  loaded?: LoadedLayer | undefined;
  /** Why something that is switched on is not to be seen. */
  missing?: string[];
  brush?: Brush;
  onFigure?: (figure: FigureId) => void;
  onBrush?: ((brush: Brush) => void) | undefined;
}) {
  const { label, format, round } = FIGURES[figure];
  const hasColors = breaks.length === 4;
  return (
    <div className="map-legend" role="group" aria-label="Legend">
      {onFigure ? (
        <label className="legend-figure">
          <span className="unseen">Color by</span>
          <select value={figure} onChange={(event) => onFigure(event.target.value as FigureId)}>
            {FIGURE_IDS.map((id) => (
              <option key={id} value={id}>
                {FIGURES[id].label}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span className="legend-title">{label}</span>
      )}
      {onFigure && <Histogram key={figure} {...{ readings: readings ?? [], breaks, format, round, brush, onBrush }} />}
      {hasColors && <Scale colors={VALUE_COLORS} breaks={breaks} format={format} />}
      {!hasColors && readings?.length === 0 && <p className="fine">No {label.toLowerCase()} in view.</p>}
      {tracts?.breaks.length === 4 && <TractScale {...tracts} />}
      {loaded && <LevelScale {...loaded} />}
      {missing.map((reason) => (
        <p key={reason} className="fine">
          {reason}
        </p>
      ))}
    </div>
  );
}

/** What the colors of a layer by recipe mean. */
function LevelScale({ title, levels }: LoadedLayer) {
  return (
    <>
      <span className="legend-title">{title}</span>
      <ul className="legend-levels">
        {levels.map(({ if: condition, reads, label }) => (
          <li key={condition}>
            <i style={{ background: `var(${LEVEL_COLORS[reads]})` }} /> {label ?? condition}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Five colors, and the amounts at which they change. */
export function Scale({
  colors,
  breaks,
  format,
}: {
  colors: string[];
  breaks: number[];
  format: (amount: number) => string;
}) {
  return (
    <div className="legend-scale">
      {colors.map((color, index) => (
        <span key={color}>
          <i style={{ background: `var(${color})` }} />
          {index > 0 && <small>{format(breaks[index - 1])}</small>}
        </span>
      ))}
    </div>
  );
}

const FORMATS = { money: compactMoney, number: whole, percent: (share: number) => percent(share, 0) };

function TractScale({ figure, breaks }: { figure: TractFigureId; breaks: number[] }) {
  const [, label, unit] = TRACT_FIGURES.find(([id]) => id === figure)!;
  return (
    <>
      <span className="legend-title">{label} of tracts</span>
      <Scale colors={TRACT_COLORS} breaks={breaks} format={FORMATS[unit]} />
    </>
  );
}

function Histogram({
  readings,
  breaks,
  format,
  round,
  brush,
  onBrush,
}: {
  readings: Reading[];
  breaks: number[];
  format: (amount: number) => string;
  round: (amount: number) => number;
  brush?: Brush | undefined;
  onBrush?: ((brush: Brush) => void) | undefined;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<[from: number, to: number]>();
  const lastBins = useRef<Bin[]>([]);
  const found = histogramOf(readings);
  if (found.length > 0) lastBins.current = found;
  const isFiltered = brush?.min !== undefined || brush?.max !== undefined;
  // Where nothing matches, or while it loads, there is still a filter to undo and perhaps a finger on it.
  const bins = found.length > 0 || !isFiltered ? found : lastBins.current.map((bin) => ({ ...bin, homes: 0 }));
  if (bins.length === 0) return null;
  const most = Math.max(1, ...bins.map(({ homes }) => homes));
  const [low, high] = [bins[0].from, bins.at(-1)!.to];
  const xOf = (amount: number) => placeAmong(bins, amount) * WIDTH;
  const amountAt = (event: PointerEvent): number => {
    const { left, width } = svg.current!.getBoundingClientRect();
    return amountAmong(bins, Math.max(0, Math.min(1, (event.clientX - left) / width)));
  };
  const shown = drag ? [Math.min(...drag), Math.max(...drag)] : [brush?.min ?? low, brush?.max ?? high];
  const isBrushed = drag !== undefined || isFiltered;
  const finish = () => {
    if (!drag) return;
    setDrag(undefined);
    const [min, max] = [Math.min(...drag), Math.max(...drag)];
    const isClick = xOf(max) - xOf(min) < 4;
    onBrush?.(isClick ? { min: undefined, max: undefined } : { min: round(min), max: round(max) });
  };
  /** Arrow keys move the ends by one bin: the lower one, or with Shift the upper one. */
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') onBrush?.({ min: undefined, max: undefined });
    if (step === undefined) return;
    event.preventDefault();
    const moved = (amount: number) => {
      const place = placeAmong(bins, amount) + step / bins.length;
      return round(amountAmong(bins, Math.max(0, Math.min(1, place))));
    };
    const [min, max] = [brush?.min ?? low, brush?.max ?? high];
    onBrush?.(event.shiftKey ? { min: brush?.min, max: moved(max) } : { min: moved(min), max: brush?.max });
  };
  const words = isBrushed ? `${format(shown[0])} – ${format(shown[1])}` : onBrush ? 'Drag to filter' : '';
  return (
    <div className="legend-histogram">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        {...(onBrush && {
          tabIndex: 0,
          role: 'slider',
          'aria-label': 'Filter by the figure shown',
          'aria-valuemin': Math.round(low),
          'aria-valuemax': Math.round(high),
          'aria-valuenow': Math.round(shown[0]),
          'aria-valuetext': words,
          onKeyDown: press,
          onPointerDown: (event: PointerEvent) => {
            (event.target as Element).setPointerCapture(event.pointerId);
            setDrag([amountAt(event), amountAt(event)]);
          },
          onPointerMove: (event: PointerEvent) => drag && setDrag([drag[0], amountAt(event)]),
          onPointerUp: finish,
        })}
        {...(!onBrush && { 'aria-hidden': true })}
      >
        {bins.map(({ from, to, homes }) => {
          const middle = (from + to) / 2;
          const isIn = middle >= shown[0] && middle <= shown[1];
          const tall = Math.max(homes > 0 ? 1.5 : 0, Math.sqrt(homes / most) * (HEIGHT - 2));
          return (
            <rect
              key={from}
              x={xOf(from) + 0.5}
              width={Math.max(1, xOf(to) - xOf(from) - 1)}
              y={HEIGHT - tall}
              height={tall}
              fill={`var(${VALUE_COLORS[breaks.length === 4 ? stepOf(middle, breaks) : 2]})`}
              opacity={isIn ? 1 : 0.25}
            />
          );
        })}
      </svg>
      {words !== '' && <span className="legend-range">{words}</span>}
    </div>
  );
}
