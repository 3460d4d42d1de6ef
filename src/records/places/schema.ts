// Shapes of places by name.
import Type, { type Static } from 'typebox';
import { list, named, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';

const PLACE_KINDS = ['zip', 'tract', 'city', 'county', 'market', 'neighborhood', 'state'] as const;

export const Place = named('Place', {
  object: oneOf(['place']),
  kind: oneOf(PLACE_KINDS),
  id: text(200, { description: 'Code or name, as statistics by area take it in `area`.' }),
  name: text(200),
  state: nullable(text(2)),
  markets: list(text(60), { description: 'Markets that it lies in, the one with the most sales first.' }),
  sales: nullable(wholeNumber({ minimum: 0, description: 'Sales on record; null where they are not counted.' })),
  filter: Type.Object(
    {
      zip: Type.Optional(text(5)),
      census_tract: Type.Optional(text(11)),
      city: Type.Optional(text(200)),
      state: Type.Optional(text(2)),
      fips: Type.Optional(text(5)),
      market: Type.Optional(text(60)),
    },
    { description: 'The same place as search parameters; empty where search has none for it.' },
  ),
});
export type Place = Static<typeof Place>;

export const PlacePage = page('PlacePage', Place);
