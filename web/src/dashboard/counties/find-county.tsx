// Finds a county by its name, on a map of the country, among everything that the catalog lists.
import { useDeferredValue, useState } from 'react';
import { Link, navigate } from '../../router.tsx';
import { Card, ProblemNotice } from '../../ui/parts.tsx';
import { useApi } from '../../use-api.ts';
import { CountryMap, type CountryCounts } from './country-map.tsx';

interface Matches {
  is_exact: boolean;
  counties: { fips: string; name: string; state: string; place: string }[];
}

export function FindCounty() {
  const map = useApi<CountryCounts & { day: string }>('/session/counties/catalog/map');
  const [text, setText] = useState('');
  const asked = useDeferredValue(text.trim());
  const found = useApi<Matches>(asked.length < 2 ? null : `/session/counties/catalog?q=${encodeURIComponent(asked)}`);
  const counties = found.data?.counties ?? [];
  return (
    <Card title="Find a county" lead={map.data && `What can be loaded for it, by name. Layers as of ${map.data.day}.`}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (counties.length > 0) navigate(`/dashboard/counties/${counties[0].fips}`);
        }}
      >
        <input
          type="search"
          className="county-search"
          aria-label="County and state"
          placeholder="Dane County, WI"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      <ProblemNotice problem={map.problem ?? found.problem} onRetry={map.reload} />
      {asked.length >= 2 && found.data && (
        <ul className="county-matches" aria-live="polite">
          {counties.map(({ fips, place }) => (
            <li key={fips}>
              <Link href={`/dashboard/counties/${fips}`}>{place}</Link>
            </li>
          ))}
          {counties.length === 0 && <li className="fine">No county is called so. Name it with its state.</li>}
        </ul>
      )}
      {map.data && (
        <CountryMap
          loaded={map.data.loaded}
          listed={map.data.listed}
          chosen={counties.length === 1 ? counties[0].fips : undefined}
        />
      )}
    </Card>
  );
}
