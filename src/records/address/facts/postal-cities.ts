// The postal city names of each ZIP code: 11102 is Astoria, recorded as Queens.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Lines of `state city zip zip …`; the city as `cityKey` builds it, ZIP codes as differences from the one before. */
const FILE = new URL('./postal-cities.txt.gz', import.meta.url);

type PostalCities = ReadonlyMap<string, readonly string[]>;

let cities: PostalCities | undefined;

/** ZIP → city names. */
export const readPostalCities = (): PostalCities =>
  (cities ??= unpackPostalCities(gunzipSync(readFileSync(FILE)).toString('latin1')));

function unpackPostalCities(text: string): PostalCities {
  const byZip = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, city, ...steps] = line.split(' ');
    let zip = 0;
    for (const step of steps) {
      zip += Number(step);
      const key = String(zip).padStart(5, '0');
      const known = byZip.get(key);
      if (known) known.push(city);
      else byZip.set(key, [city]);
    }
  }
  return byZip;
}
