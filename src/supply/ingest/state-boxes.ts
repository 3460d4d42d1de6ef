// Where each state lies, in whole degrees outward: enough to tell that coordinates were read by the wrong projection.

type Box = [west: number, south: number, east: number, north: number];

const BOXES: Record<string, Box> = {
  AL: [-89, 30, -84, 36],
  AK: [-180, 51, -129, 72],
  AZ: [-115, 31, -109, 38],
  AR: [-95, 32, -89, 37],
  CA: [-125, 32, -114, 43],
  CO: [-110, 36, -102, 42],
  CT: [-74, 40, -71, 43],
  DE: [-76, 38, -74, 40],
  DC: [-78, 38, -76, 40],
  FL: [-88, 24, -79, 32],
  GA: [-86, 30, -80, 36],
  HI: [-179, 18, -154, 29],
  ID: [-118, 41, -111, 50],
  IL: [-92, 36, -87, 43],
  IN: [-89, 37, -84, 42],
  IA: [-97, 40, -90, 44],
  KS: [-103, 36, -94, 41],
  KY: [-90, 36, -81, 40],
  LA: [-95, 28, -88, 34],
  ME: [-72, 42, -66, 48],
  MD: [-80, 37, -75, 40],
  MA: [-74, 41, -69, 43],
  MI: [-91, 41, -82, 49],
  MN: [-98, 43, -89, 50],
  MS: [-92, 30, -88, 36],
  MO: [-96, 35, -89, 41],
  MT: [-117, 44, -104, 50],
  NE: [-105, 39, -95, 44],
  NV: [-121, 35, -114, 43],
  NH: [-73, 42, -70, 46],
  NJ: [-76, 38, -73, 42],
  NM: [-110, 31, -102, 38],
  NY: [-80, 40, -71, 46],
  NC: [-85, 33, -75, 37],
  ND: [-105, 45, -96, 50],
  OH: [-85, 38, -80, 43],
  OK: [-104, 33, -94, 38],
  OR: [-125, 41, -116, 47],
  PA: [-81, 39, -74, 43],
  PR: [-68, 17, -65, 19],
  RI: [-72, 41, -71, 43],
  SC: [-84, 32, -78, 36],
  SD: [-105, 42, -96, 46],
  TN: [-91, 34, -81, 37],
  TX: [-107, 25, -93, 37],
  UT: [-115, 36, -109, 43],
  VT: [-74, 42, -71, 46],
  VA: [-84, 36, -75, 40],
  WA: [-125, 45, -116, 50],
  WV: [-83, 37, -77, 41],
  WI: [-93, 42, -86, 48],
  WY: [-112, 40, -104, 46],
};

/** How many of the points lie outside the state; 0 for one we do not know. */
export function countOutside(state: string | undefined, points: { latitude: number; longitude: number }[]): number {
  const box = state === undefined ? undefined : BOXES[state];
  if (!box) return 0;
  const [west, south, east, north] = box;
  return points.filter(
    ({ latitude, longitude }) => longitude < west || longitude > east || latitude < south || latitude > north,
  ).length;
}
