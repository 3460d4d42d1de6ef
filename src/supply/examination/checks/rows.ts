// Checks of every row: fields that contradict each other, the place, or what is usual.
import { isZipOf, STATES } from '../../../base/lib/states.ts';
import { withWords, type RowCheck } from '../check.ts';

const isFilled = (value: any): boolean => value !== null && value !== undefined;
const yearOf = (date: string) => Number(date.slice(0, 4));
/** A house, which has a lot of its own. */
const isHouse = (type: unknown) => type === 'single_family' || type === 'multi_family';
const STREET_LINE = /^\d+\S* .*[A-Z]{3}.* (?:ST|AVE?|RD|DR|LN|CT|BLVD|PL|WAY|TER|CIR|HWY)\b(.*)/i;
const MOST_PARCEL_LETTERS = 50;

export const ROW_CHECKS = withWords<RowCheck>([
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
    id: 'no-house-number',
    on: ['properties.address_line1'],
    isWrong: ([line]) => !/\d/.test(line.split(' ', 1)[0]) || !/[A-Za-z]/.test(line),
  },
  {
    id: 'city-is-no-city',
    on: ['properties.city'],
    isWrong: ([city], { state }) => /\d|,|\b(?:COUNTY|PARISH)$/i.test(city) || city.toUpperCase().endsWith(` ${state}`),
  },
  {
    id: 'parcel-is-address',
    on: ['properties.apn'],
    isWrong: ([apn]) => STREET_LINE.test(apn) || apn.length > MOST_PARCEL_LETTERS,
  },
  {
    id: 'parcel-is-date',
    on: ['properties.apn'],
    isWrong: ([apn]) =>
      /^(?:\d{1,2}-)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?:-\d{2,4})?$|^\d{1,2}\/\d{1,2}\/(?:19|20)\d\d$/i.test(
        apn,
      ),
  },
  {
    id: 'parcel-is-word',
    on: ['properties.apn'],
    isWrong: ([apn]) => !/\d/.test(apn),
  },
  {
    id: 'area-is-year',
    on: ['properties.sqft'],
    isWrong: ([sqft]) => sqft >= 1850 && sqft <= 2035,
  },
  {
    id: 'tiny-home',
    on: ['properties.sqft', 'properties.property_type'],
    isWrong: ([sqft, type]) => (isHouse(type) ? sqft < 400 : undefined),
  },
  {
    id: 'year-after-file',
    on: ['properties.year_built'],
    isWrong: ([year], { publishedOn }) => year > Number(publishedOn.slice(0, 4)) + 1,
  },
  {
    id: 'built-after-sale',
    on: ['properties.year_built', 'transactions.sale_date'],
    isWrong: ([year, date]) => year > yearOf(date) + 2,
  },
  {
    id: 'built-soon-after-sale',
    on: ['properties.year_built', 'transactions.sale_date'],
    isWrong: ([year, date]) => year > yearOf(date) && year <= yearOf(date) + 2,
  },
  {
    id: 'recorded-before-sale',
    on: ['transactions.sale_date', 'transactions.recording_date'],
    isWrong: ([sold, recorded]) => recorded < sold,
  },
  {
    id: 'sale-long-ago',
    on: ['transactions.sale_date'],
    isWrong: ([date]) => date < '1930',
  },
  {
    id: 'lot-smaller-than-home',
    on: ['properties.lot_sqft', 'properties.sqft', 'properties.property_type'],
    isWrong: ([lot, sqft, type]) => (isHouse(type) ? lot < sqft * 0.4 : undefined),
  },
  {
    id: 'large-home-on-small-lot',
    on: ['properties.lot_sqft', 'properties.sqft', 'properties.property_type'],
    isWrong: ([lot, sqft, type]) => (type === 'single_family' ? sqft > 4500 && lot < sqft * 0.4 : undefined),
  },
  {
    id: 'lot-is-home',
    on: ['properties.lot_sqft', 'properties.sqft', 'properties.property_type'],
    isWrong: ([lot, sqft, type]) => (isHouse(type) ? lot === sqft : undefined),
  },
  {
    id: 'baths-exceed-beds',
    on: ['properties.bedrooms', 'properties.bathrooms'],
    isWrong: ([beds, baths]) => (beds > 0 && baths > 0 ? baths > beds : undefined),
  },
  {
    id: 'tenths-of-baths',
    on: ['properties.bathrooms'],
    isWrong: ([baths]) => /\.[1-4]$/.test(String(baths)),
  },
  {
    id: 'too-many-rooms',
    on: ['properties.bedrooms', 'properties.property_type'],
    isWrong: ([beds, type]) => (type === 'single_family' ? beds > 14 : undefined),
  },
  {
    id: 'too-many-baths',
    on: ['properties.bathrooms', 'properties.property_type'],
    isWrong: ([baths, type]) => (type === 'single_family' ? baths >= 10 : undefined),
  },
  {
    id: 'no-bedrooms',
    on: ['properties.bedrooms', 'properties.sqft', 'properties.property_type'],
    isWrong: ([beds, sqft, type]) => (sqft > 800 && type === 'single_family' ? beds === 0 : undefined),
  },
  {
    id: 'owner-is-address',
    on: ['owners.names'],
    // 12 Elm St LLC is an owner.
    isWrong: ([names]) => names.some((name: string) => STREET_LINE.exec(name)?.[1] === ''),
  },
  {
    id: 'land-with-building',
    on: ['assessments.land', 'assessments.improvements', 'properties.property_type'],
    isWrong: ([land, building, type]) => (type === 'land' && land + building > 0 ? land === 0 : undefined),
  },
  {
    id: 'land-with-home',
    on: ['properties.property_type', 'properties.sqft', 'properties.bedrooms'],
    isWrong: ([type, sqft, beds]) => (sqft > 0 && beds > 0 ? type === 'land' : undefined),
  },
  {
    id: 'price-by-area',
    on: ['transactions.price', 'properties.sqft', 'transactions.arms_length'],
    isAsked: ([price, sqft, isMarket]) => price > 0 && sqft > 0 && isMarket !== false,
    isWrong: ([price, sqft]) => price / sqft < 8 || price / sqft > 4000,
  },
  {
    id: 'price-in-thousands',
    on: ['transactions.price', 'properties.sqft'],
    isWrong: ([price, sqft]) =>
      sqft > 300 && price < 5000 && price % 50 !== 0 && price * 1000 > sqft * 25 && price * 1000 < sqft * 1500,
  },
  {
    id: 'price-is-value',
    on: ['transactions.price', 'assessments.total'],
    isWrong: ([price, total]) => (price > 1000 && total > 1000 ? price === total : undefined),
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
