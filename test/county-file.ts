// A small invented county as its assessor would publish it: one CSV of parcels with their last sale. Prices depend on
// living area and a patchwork of neighborhoods, so a model can beat a linear fit.

/** Five digits of a real county, because a county of the sandbox could not be loaded. */
export const COUNTY = { county: 'Gage County', place: 'Beatrice, Nebraska', fips: '31067', market: 'beatrice-ne' };

export interface CountyFile {
  /** Meaningful column names. Default true; otherwise the living area is in a column with a meaningless name. */
  hasTellingNames?: boolean;
  homes?: number;
  /** The first rows have an invalid sale date. */
  badRows?: number;
}

export function writeCounty({ hasTellingNames = true, homes = 900, badRows = 0 }: CountyFile = {}): string {
  const random = createRandom(7);
  const area = hasTellingNames ? 'LIVING_AREA' : 'COL_17';
  const header = `PARCEL_ID,PROPERTY_ADDRESS,ZIP,LATITUDE,LONGITUDE,${area},LOT_ACRES,BEDROOMS,YEAR_BUILT,PROPERTY_TYPE,OWNER_NAME,SALE_DATE,SALE_PRICE`;
  const lines = Array.from({ length: homes }, (_, i) => {
    const [x, y] = [random(), random()];
    const sqft = Math.round(800 + 2200 * random());
    const built = Math.round(1920 + 100 * random());
    const patch = PATCHES[Math.floor(y * 4)][Math.floor(x * 4)];
    const age = built > 1990 ? 1.15 : built > 1950 ? 1 : 0.85;
    const price = Math.round(((40_000 + 120 * sqft) * patch * age * (0.96 + 0.08 * random())) / 100) * 100;
    const month = Math.floor(36 * random());
    const day = String(1 + Math.floor(28 * random())).padStart(2, '0');
    const sold = `${2023 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-${day}`;
    return [
      `${String(1000 + i)}-${String(i % 10).padStart(3, '0')}`,
      `${100 + i} ${STREETS[i % STREETS.length]}`,
      '68310',
      (40.24 + y * 0.06).toFixed(6),
      (-96.78 + x * 0.08).toFixed(6),
      sqft,
      (0.1 + random() * 0.4).toFixed(2),
      2 + Math.floor(sqft / 900),
      built,
      'Single Family',
      'PAT EXAMPLE',
      i < badRows ? 'soon' : sold,
      price,
    ].join(',');
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const STREETS = ['ELM ST', 'OAK AVE', 'COURT ST', 'MARKET ST', 'LINCOLN BLVD', 'ELLA ST', 'HIGH ST', 'PARK DR'];
const PATCHES = [
  [0.7, 1.3, 0.8, 1.5],
  [1.4, 0.75, 1.25, 0.7],
  [0.8, 1.45, 0.7, 1.2],
  [1.3, 0.7, 1.5, 0.85],
];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
