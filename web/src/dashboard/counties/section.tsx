// The pages of the counties section: all counties, one of the catalog, or one draft.
import { CatalogCountySection } from './catalog-county.tsx';
import { CountiesSection } from './counties.tsx';
import { CountySection } from './county.tsx';

/** A FIPS code is a county of the catalog; anything else is a draft. */
export function CountiesPages({ id }: { id: string | undefined }) {
  if (!id) return <CountiesSection />;
  return /^\d{5}$/.test(id) ? <CatalogCountySection key={id} fips={id} /> : <CountySection key={id} id={id} />;
}
