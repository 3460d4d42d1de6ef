// The live map of the home page, opened on the largest market the visitor can see.
import { PropertyMap } from './map.tsx';

export function HomeMap({ onPick }: { onPick: (id: string) => void }) {
  return <PropertyMap label="Live map" onPick={onPick} isQuiet />;
}
