// HTTP routes for the catalog of counties, for operators: by name, on a map, and one by one.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { list, named, nullable, oneOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import { FACTS, readCatalog, type Catalog, type County } from '../../supply/catalog/catalog.ts';
import { findCounties } from '../../supply/catalog/find.ts';
import { isReadable, placeOf } from './add.ts';
import { statusOf, withReadings } from './known.ts';

const CountyName = Type.Object({
  fips: text(5),
  name: text(100),
  state: text(2),
  place: text(120, { description: 'With the name of its state, as a market is called.' }),
});

const Matches = named('CatalogMatches', {
  object: oneOf(['catalog_matches']),
  is_exact: Type.Boolean({ description: 'One county is meant; otherwise these are what the name could mean.' }),
  counties: list(CountyName),
});

const CountryMap = named('CatalogMap', {
  object: oneOf(['catalog_map']),
  day: text(10),
  loaded: list(text(5)),
  listed: list(text(5), { description: 'Counties with a layer of parcels that can be read.' }),
});

const CatalogCounty = named('CatalogCounty', {
  object: oneOf(['catalog_county']),
  county: CountyName,
  day: text(10),
  property_count: wholeNumber({ minimum: 0 }),
  markets: list(text(120)),
  entries: list(
    Type.Object({
      kind: text(20),
      name: text(200),
      area: oneOf(['state', 'county', 'city']),
      format: text(20),
      url: text(2_000),
      license: text(500),
      brings: list(oneOf(FACTS)),
      certainty: oneOf(['listed', 'read']),
      read_on: nullable(text(10)),
      rows: nullable(wholeNumber()),
      note: nullable(text(500)),
      is_readable: Type.Boolean({ description: 'A draft can be begun from it.' }),
    }),
  ),
});

export function catalogRoutes(app: App, deps: Deps): void {
  const open = () => readCatalog(deps.config.home);

  app.get('/catalog', hidden({ querystring: strict({ q: text(200, { minLength: 1 }) }) }, Matches), async (request) => {
    const { county, candidates } = findCounties(open(), request.query.q);
    return {
      object: 'catalog_matches' as const,
      is_exact: county !== undefined,
      counties: candidates.map(presentName),
    };
  });

  app.get('/catalog/map', hidden({}, CountryMap), async () => {
    const catalog = open();
    const { visible } = await deps.catalog.read();
    const loaded = new Set(visible.live.map(({ fips }) => fips));
    const listed = [...catalog.counties.keys()].filter((fips) => isListed(catalog, fips));
    return {
      object: 'catalog_map' as const,
      day: catalog.day,
      loaded: [...loaded].map(formatFips),
      listed: listed.map(formatFips),
    };
  });

  app.get('/catalog/:fips', hidden({ params: Type.Object({ fips: text(5) }) }, CatalogCounty), async (request) => {
    const catalog = open();
    const county = catalog.counties.get(Number(request.params.fips));
    if (!county) fail('resource_not_found', `No county has the FIPS code ${request.params.fips}.`);
    const { properties, markets } = await statusOf(deps, county.fips);
    const entries = withReadings(deps.config.home, catalog.entriesOf(county.fips));
    return {
      object: 'catalog_county' as const,
      county: presentName(county),
      day: catalog.day,
      property_count: properties,
      markets,
      entries: entries.map((entry) => ({
        ...entry,
        area:
          entry.area.length === 2
            ? ('state' as const)
            : entry.name === '' || entry.kind === 'sales'
              ? ('county' as const)
              : ('city' as const),
        brings: [...entry.brings],
        read_on: entry.readOn,
        note: entry.note ?? null,
        // A statewide file cannot be filtered by county.
        is_readable: isReadable(entry) && (entry.area.length === 5 || entry.format === 'arcgis'),
      })),
    };
  });
}

const isListed = (catalog: Catalog, fips: number): boolean =>
  catalog.entriesOf(fips).some((entry) => entry.kind === 'parcels' && isReadable(entry));

const presentName = (county: County) => ({ ...county, fips: formatFips(county.fips), place: placeOf(county) });
