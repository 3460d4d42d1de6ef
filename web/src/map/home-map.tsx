// The live map of the home page, opened on the largest market the visitor can see.
import { useApi } from '../use-api.ts';
import { PropertyMap } from './map.tsx';
import { placeOf, type TilesAnswer } from './place.ts';

export function HomeMap({ onPick }: { onPick: (id: string) => void }) {
  const { data, isLoading } = useApi<TilesAnswer>('tiles');
  if (!data && isLoading) return <div className="map" />;
  return <PropertyMap label="Live map" start={placeOf(data?.center)} onPick={onPick} isQuiet />;
}
