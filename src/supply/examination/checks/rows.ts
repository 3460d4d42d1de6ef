// Checks of every row: fields that contradict each other, the place, or what is usual.
import { isZipOf, STATES } from '../../../base/lib/states.ts';
import { FIELD_CHECKS, withWords, type RowCheck } from '../check.ts';

const isFilled = (value: any): boolean => value !== null && value !== undefined;

export const ROW_CHECKS = withWords<RowCheck>([
  ...FIELD_CHECKS,
  {
    id: 'outside-state',
    on: ['properties.latitude', 'properties.longitude'],
    isWrong: ([latitude, longitude], { state }) => {
      const [west, south, east, north] = STATES.find(({ code }) => code === state)?.box ?? [];
      return west !== undefined && (longitude < west || longitude > east || latitude < south || latitude > north);
    },
  },
  {
    id: 'packed-degrees',
    on: ['properties.latitude', 'properties.longitude'],
    // Minutes and seconds go to 59.
    isWrong: (point) => point.every((angle) => /\.[0-5]\d[0-5]\d/.test(angle.toFixed(6))),
  },
  {
    id: 'zip-of-state',
    on: ['properties.zip'],
    isWrong: ([zip], { state }) => state !== undefined && !isZipOf(state, zip),
  },
  {
    id: 'zip-of-city',
    on: ['properties.city', 'properties.zip'],
    isWrong: ([city, zip], { addresses }) => addresses?.mayHaveZip(city, zip) === false,
  },
  {
    id: 'line-names-its-city',
    on: ['properties.address_line1', 'properties.city', 'properties.zip'],
    isAsked: ([line, city, zip]) => isFilled(line) && (isFilled(city) || isFilled(zip)),
    isWrong: ([line, city, zip]) =>
      (isFilled(zip) && line.endsWith(zip)) ||
      (isFilled(city) && line.toUpperCase().endsWith(` ${city.toUpperCase()}`) && /\d.* .* .* /.test(line)),
  },
  {
    id: 'city-is-no-city',
    on: ['properties.city'],
    // No city is without a vowel.
    isWrong: ([city], { state }) =>
      /\d|,|\b(?:COUNTY|PARISH)$|^[^AEIOUY]+$/i.test(city) || city.toUpperCase().endsWith(` ${state}`),
  },
  {
    id: 'year-after-file',
    on: ['properties.year_built'],
    isWrong: ([year], { publishedOn }) => year > Number(publishedOn.slice(0, 4)) + 1,
  },
  {
    id: 'recorded-before-sale',
    on: ['transactions.sale_date', 'transactions.recording_date'],
    isWrong: ([sold, recorded]) => recorded < sold,
  },
  {
    id: 'large-home-on-small-lot',
    on: ['properties.lot_sqft', 'properties.sqft', 'properties.property_type'],
    isWrong: ([lot, sqft, type]) => (type === 'single_family' ? sqft > 4500 && lot < sqft * 0.4 : undefined),
  },
  {
    id: 'price-in-thousands',
    on: ['transactions.price', 'properties.sqft'],
    isWrong: ([price, sqft]) =>
      sqft > 300 && price < 5000 && price % 50 !== 0 && price * 1000 > sqft * 25 && price * 1000 < sqft * 1500,
  },
  {
    id: 'parts-exceed-total',
    on: ['assessments.land', 'assessments.improvements', 'assessments.total'],
    isWrong: ([land, building, total]) =>
      total > 0
        ? land + building > total * 1.5 || land > total * 1.2 || (land + building > 0 && land + building < total / 2)
        : undefined,
  },
  {
    id: 'total-below-parts',
    on: ['assessments.land', 'assessments.improvements', 'assessments.total'],
    isWrong: ([land, building, total]) => (total > 0 ? land + building > total * 1.02 : undefined),
  },
]);
