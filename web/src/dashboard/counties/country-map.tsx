// The country by county: gray where nothing is known, pale where parcels are listed, solid where they are loaded.
import { memo, useEffect, useMemo, useState } from 'react';
import atlasUrl from 'us-atlas/counties-albers-10m.json?url';
import { decodeArcs, type Topology } from '../../../../src/base/lib/topology.ts';
import { navigate } from '../../router.tsx';

interface Shape {
  type: string;
  id: string;
  properties: { name: string };
  arcs: number[][] | number[][][];
}

interface Outline {
  fips: string;
  name: string;
  path: string;
}

/** The size for which the atlas is projected. */
const VIEW = '0 0 975 610';

export interface CountryCounts {
  loaded: string[];
  listed: string[];
}

export function CountryMap({ loaded, listed, chosen }: CountryCounts & { chosen?: string }) {
  const outlines = useOutlines();
  const kinds = useMemo(() => {
    const kindOf = new Map(listed.map((fips) => [fips, 'listed']));
    for (const fips of loaded) kindOf.set(fips, 'loaded');
    return kindOf;
  }, [loaded, listed]);
  if (!outlines) return <div className="country-map" aria-busy="true" />;
  return (
    <figure className="country-map">
      <svg viewBox={VIEW} role="img" aria-label="Counties of the United States by what is known of them" onClick={open}>
        {outlines.map(({ fips, name, path }) => (
          <County
            key={fips}
            fips={fips}
            name={name}
            path={path}
            kind={kinds.get(fips) ?? 'unknown'}
            isChosen={fips === chosen}
          />
        ))}
      </svg>
      <figcaption className="row fine">
        <Swatch kind="loaded" text={`Loaded (${loaded.length.toLocaleString('en')})`} />
        <Swatch kind="listed" text={`Parcels listed (${listed.length.toLocaleString('en')})`} />
        <Swatch kind="unknown" text="Nothing known" />
      </figcaption>
    </figure>
  );
}

/** Three thousand shapes: only those whose kind changes are drawn again. */
const County = memo(({ fips, name, path, kind, isChosen }: Outline & { kind: string; isChosen: boolean }) => (
  <path d={path} data-fips={fips} className={`county-${kind}${isChosen ? ' county-chosen' : ''}`}>
    <title>{name}</title>
  </path>
));
County.displayName = 'County';

function open(event: React.MouseEvent): void {
  const { fips } = (event.target as SVGElement).dataset;
  if (fips) navigate(`/dashboard/counties/${fips}`);
}

const Swatch = ({ kind, text }: { kind: string; text: string }) => (
  <span className="country-swatch">
    <svg viewBox="0 0 10 10" aria-hidden="true">
      <rect width="10" height="10" className={`county-${kind}`} />
    </svg>
    {text}
  </span>
);

function useOutlines(): Outline[] | undefined {
  const [outlines, setOutlines] = useState<Outline[]>();
  useEffect(() => {
    const abort = new AbortController();
    fetch(atlasUrl, { signal: abort.signal })
      .then((response) => response.json() as Promise<Topology<Shape>>)
      .then((atlas) => setOutlines(outlinesOf(atlas)))
      .catch(() => undefined);
    return () => abort.abort();
  }, []);
  return outlines;
}

function outlinesOf(atlas: Topology<Shape>): Outline[] {
  const arcs = decodeArcs(atlas).map((arc) => arc.map(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]));
  const lineOf = (index: number) => (index < 0 ? arcs[~index].toReversed() : arcs[index]);
  const ringOf = (ring: number[]) => `M${ring.flatMap((index, i) => lineOf(index).slice(i === 0 ? 0 : 1)).join('L')}Z`;
  return atlas.objects.counties.geometries.map(({ id, type, properties, arcs: own }) => {
    const polygons = (type === 'Polygon' ? [own] : own) as number[][][];
    return { fips: id, name: properties.name, path: polygons.flat().map(ringOf).join('') };
  });
}
