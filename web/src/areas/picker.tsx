// Chooses an area and others to compare it with.
import { useId, useState, type FormEvent } from 'react';
import type { Static } from 'typebox';
import type { Market } from '../../../src/records/markets/schema.ts';
import { queryOf } from '../api.ts';
import { whole } from '../format.ts';
import type { Ranking } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Button } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { LINE_COLORS } from './prices.tsx';
import { KINDS, MOST_AREAS, type AreaKey, type AreaState, type Kind } from './state.ts';
import { areaText, kindText } from './words.ts';

const EXAMPLES: Record<Kind, string> = {
  market: 'sandbox',
  county: '53033',
  city: 'Port Ellowby',
  zip: '98103',
  tract: '53033004301',
  neighborhood: 'Bay View',
};

export function AreaPicker({
  state,
  markets,
  onOpen,
  onMarket,
  onCompare,
  onRemove,
}: {
  state: AreaState;
  markets: Static<typeof Market>[];
  onOpen: (area: AreaKey) => void;
  onMarket: (id: string) => void;
  onCompare: (area: AreaKey) => void;
  onRemove: (index: number) => void;
}) {
  const shown = state.areas[0].kind;
  const [kind, setKind] = useState<Kind>(shown === 'market' || shown === 'search' ? 'zip' : shown);
  const [text, setText] = useState('');
  const [isTouched, setTouched] = useState(false);
  const listId = useId();
  const known = useApi<Ranking>(
    isTouched && state.market
      ? `analytics/rankings${queryOf({ kind, figure: 'homes', market: state.market, limit: 500 })}`
      : null,
  );
  const id = text.trim();
  const isFull = state.areas.length >= MOST_AREAS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id === '') return;
    onOpen({ kind, id });
    setText('');
  };
  const compare = () => {
    const isShown = state.areas.some((area) => area.kind === kind && area.id.toUpperCase() === id.toUpperCase());
    if (!isShown) onCompare({ kind, id });
    setText('');
  };
  return (
    <div className="area-picker">
      <form className="row" onSubmit={submit}>
        {markets.length > 1 && (
          <select aria-label="Market" value={state.market ?? ''} onChange={(event) => onMarket(event.target.value)}>
            {state.market === undefined && <option value="">Any market</option>}
            {markets.map((market) => (
              <option key={market.id} value={market.id}>
                {market.name}
              </option>
            ))}
          </select>
        )}
        <select aria-label="Kind of area" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {kindText(each)}
            </option>
          ))}
        </select>
        <input
          type="search"
          className="area-text"
          aria-label="Area"
          value={text}
          list={listId}
          placeholder={`For example ${known.data?.data[0]?.area.id ?? EXAMPLES[kind]}`}
          onFocus={() => setTouched(true)}
          onChange={(event) => setText(event.target.value)}
        />
        <datalist id={listId}>
          {known.data?.data.map(({ area, value }) => (
            <option key={area.id} value={area.id} label={`${areaText(area, area.name)}, ${whole(value)} homes`} />
          ))}
        </datalist>
        <Button type="submit" look="primary" icon="search" disabled={id === ''}>
          Open
        </Button>
        <Button icon="plus" disabled={id === '' || isFull} onClick={compare}>
          Compare
        </Button>
      </form>
      {state.areas.length > 1 && (
        <ul className="chips" aria-label="Areas compared">
          {state.areas.map((area, index) => (
            <li key={`${area.kind}:${area.id}`}>
              <button type="button" onClick={() => onRemove(index)}>
                <i className="dot" style={{ background: LINE_COLORS[index] }} />
                {areaText(area)}
                <Icon name="close" size={13} />
                <span className="unseen">Remove</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {isFull && <p className="fine">Up to {MOST_AREAS} areas can be compared. Remove one to add another.</p>}
    </div>
  );
}
