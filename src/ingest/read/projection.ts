// Converts projected coordinates back to degrees: Lambert conformal conic, as used by state plane systems.
import type { Project } from './geometry.ts';

interface Lambert {
  /** Semi-major axis in meters, and eccentricity, of the ellipsoid. */
  axis: number;
  eccentricity: number;
  parallels: [number, number];
  origin: [longitude: number, latitude: number];
  falseEasting: number;
  falseNorthing: number;
  metersPerUnit: number;
  /** Added to the result: the shift from an older datum to WGS 84, in degrees, accurate to a few meters in its zone. */
  datumShift?: [longitude: number, latitude: number];
}

const US_FOOT = 1200 / 3937;

const PROJECTIONS: Record<string, Lambert> = {
  // NAD27 / Wisconsin South. NADCON gives −0.0000 … +0.0001 degrees here: about −0.4 m north and −7 m east in
  // Milwaukee.
  'EPSG:32054': {
    axis: 6_378_206.4,
    eccentricity: 0.08227185422,
    parallels: [42 + 44 / 60, 44 + 4 / 60],
    origin: [-90, 42],
    falseEasting: 2_000_000,
    falseNorthing: 0,
    metersPerUnit: US_FOOT,
    datumShift: [-0.000_09, 0.000_01],
  },
};

export function projectionNamed(name: string): Project {
  const zone = PROJECTIONS[name];
  if (!zone) throw new Error(`Unknown projection ${name}; add it to src/ingest/read/projection.ts.`);
  return unproject(zone);
}

/** Snyder, Map Projections (1987), equations 15-1 to 15-11. */
function unproject(zone: Lambert): Project {
  const { eccentricity: e } = zone;
  const radians = Math.PI / 180;
  const m = (phi: number) => Math.cos(phi) / Math.sqrt(1 - (e * Math.sin(phi)) ** 2);
  const t = (phi: number) =>
    Math.tan(Math.PI / 4 - phi / 2) / ((1 - e * Math.sin(phi)) / (1 + e * Math.sin(phi))) ** (e / 2);
  const [phi1, phi2, phi0] = [zone.parallels[0], zone.parallels[1], zone.origin[1]].map((degree) => degree * radians);
  const n = (Math.log(m(phi1)) - Math.log(m(phi2))) / (Math.log(t(phi1)) - Math.log(t(phi2)));
  const f = m(phi1) / (n * t(phi1) ** n);
  const rho0 = zone.axis * f * t(phi0) ** n;
  const [shiftX, shiftY] = zone.datumShift ?? [0, 0];
  return (easting, northing) => {
    const x = (easting - zone.falseEasting) * zone.metersPerUnit;
    const y = rho0 - (northing - zone.falseNorthing) * zone.metersPerUnit;
    const rho = Math.sign(n) * Math.hypot(x, y);
    const ratio = (rho / (zone.axis * f)) ** (1 / n);
    let phi = Math.PI / 2 - 2 * Math.atan(ratio);
    for (let i = 0; i < 5; i++) {
      phi = Math.PI / 2 - 2 * Math.atan(ratio * ((1 - e * Math.sin(phi)) / (1 + e * Math.sin(phi))) ** (e / 2));
    }
    return [Math.atan2(x, y) / n / radians + zone.origin[0] + shiftX, phi / radians + shiftY];
  };
}
