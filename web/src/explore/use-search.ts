// What the explorer asks for and when: the search for what is in view, the home that was opened, the map after the list.
import { useEffect, useMemo, useState } from 'react';
import type { Place, Position, View } from '../map/place.ts';
import type { Property } from '../types.ts';
import { useApi } from '../use-api.ts';
import { bodyOfQuery } from './filter.ts';

const SETTLE_MS = 250;
/** The map is opened after the first list, but does not wait for a slow one longer than this. */
const LIST_FIRST_MS = 5000;
const HOME_ZOOM = 17;
const FIELDS =
  'identifiers,address,latitude,longitude,property_type,sqft,bedrooms,bathrooms,structure,last_sale,valuation,risk_summary';
const PAGE_SIZE = 60;

/** The home that was opened or is under the pointer in the list, on the map. */
export function useFound(properties: Property[], wanted: string | undefined, elsewhere: Place | undefined) {
  return useMemo(() => {
    const listed = properties.find(({ id }) => id === wanted);
    const [longitude, latitude] = listed ? [listed.longitude, listed.latitude] : (elsewhere?.center ?? []);
    return wanted === undefined || latitude == null || longitude == null ? [] : [{ id: wanted, latitude, longitude }];
  }, [properties, wanted, elsewhere]);
}

/** A home that was opened from the address box, and is not in view, is flown to. */
export function useChosenPlace(chosen: string | undefined, properties: Property[]) {
  const isInView = properties.some(({ id }) => id === chosen);
  const { data } = useApi<Property>(
    chosen && !isInView ? `properties/${encodeURIComponent(chosen)}?fields=latitude,longitude` : null,
  );
  return useMemo(
    () =>
      data?.latitude == null || data.longitude == null
        ? undefined
        : { center: [data.longitude, data.latitude] as Position, zoom: HOME_ZOOM },
    [data],
  );
}

/** The search request for the filters, limited to the visible map unless they name an area themselves. */
export function useSearchBody(query: URLSearchParams, view: View | undefined) {
  const asked = new URLSearchParams(query);
  for (const name of NOT_SEARCHED) asked.delete(name);
  const text = asked.toString();
  return useMemo(() => {
    const wanted = new URLSearchParams(text);
    const body = bodyOfQuery(wanted);
    const hasPlace = body.geometry !== undefined || body.radius_miles !== undefined;
    if (!hasPlace && !view) return undefined;
    const sort = wanted.get('sort');
    return {
      ...body,
      ...(!hasPlace && { bbox: view!.bbox }),
      ...(sort && { sort }),
      limit: PAGE_SIZE,
      include_total: true,
      fields: FIELDS,
    };
  }, [text, view]);
}

/** What of the URL is about the map alone. */
export const NOT_SEARCHED = ['at', 'p', 'color', 'layers', 'sold', 'tracts'];

export function useSettled(view: View | undefined): View | undefined {
  const [settled, setSettled] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(view), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return settled ?? view;
}

/** Whether something is still on its way; false for good once it came or took too long. */
export function useComing(hasCome: boolean): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (hasCome) setOver(true);
    const timer = setTimeout(() => setOver(true), LIST_FIRST_MS);
    return () => clearTimeout(timer);
  }, [hasCome]);
  return !isOver;
}
