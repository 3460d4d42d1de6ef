// Shapes for address lookup and for suggestions while typing.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { fieldsParameter, includeParameter } from '../properties/parameters.ts';
import { Property } from '../properties/schema.ts';

/** Long enough for a pasted page of text, which gets a reason rather than a schema error. */
const MAX_ADDRESS = 10_240;

/** The ways a request can name a property; `locate` reads them. */
export const LocatorParameters = {
  address: Type.Optional(
    shape.text(MAX_ADDRESS, {
      minLength: 1,
      description: 'Free-form: house number, street, unit, city, state, ZIP.',
      examples: ['1208 Lantern Hill Dr, Port Ellowby, ZZ 00103'],
    }),
  ),
  id: Type.Optional(shape.text(120, { minLength: 1, description: '`prop_…` or `fips:apn`.' })),
  fips: Type.Optional(
    Type.String({ pattern: '^[0-9]{5}$', maxLength: 5, description: 'County FIPS code; requires `apn`.' }),
  ),
  apn: Type.Optional(
    shape.text(80, { minLength: 1, description: 'Parcel number; requires `fips`. Dashes and spaces are ignored.' }),
  ),
  latitude: Type.Optional(
    shape.latitude({
      description:
        'Requires `longitude`. Finds the parcel whose shape holds the point, or else the nearest within 60 m.',
    }),
  ),
  longitude: Type.Optional(shape.longitude()),
};
const LocatorShape = Type.Object(LocatorParameters);
export type Locators = Static<typeof LocatorShape>;

export const matchParameter = Type.Optional(
  shape.oneOf(['standard', 'strict'], {
    description:
      '`standard`, the default, corrects a misspelled street name; `strict` returns 422 with the candidate instead.',
  }),
);

/** The errors of any route that locates a property. */
export const LOCATE_ERRORS = [
  'address_not_resolved',
  'out_of_coverage',
  'address_ambiguous',
  'locator_conflict',
  'property_not_found',
  'property_superseded',
] as const;

export const LookupQuery = shape.strict({
  ...LocatorParameters,
  match: matchParameter,
  include: includeParameter,
  fields: fieldsParameter,
});

export const LOCATE_METHODS = ['property_id', 'address', 'apn', 'coordinates'] as const;
export const MATCH_QUALITIES = ['exact', 'standardized', 'corrected', 'unit_dropped', 'nearest_parcel'] as const;

export const LookupResolution = shape.named('LookupResolution', {
  method: shape.oneOf(LOCATE_METHODS),
  match_quality: shape.oneOf(MATCH_QUALITIES),
  match_score: shape.decimal({
    minimum: 0,
    maximum: 1,
    description: '1 for an exact match; lower with each difference.',
  }),
  matched_address: shape.nullable(shape.text(400)),
  flags: shape.list(shape.text(40), {
    description: 'What differed from the record: suffix_missing, zip_differs, number_range …',
  }),
  distance_meters: shape.nullable(shape.decimal({ minimum: 0, description: 'Distance from the requested point.' })),
});
export type LookupResolution = Static<typeof LookupResolution>;

export const PropertyLookup = Type.Object(
  { ...Property.properties, resolution: LookupResolution },
  { title: 'PropertyLookup', description: 'The property and how it was found.' },
);

export const AutocompleteQuery = shape.strict({
  q: shape.text(200, {
    minLength: 1,
    description: 'The text typed so far, words in any order.',
    examples: ['1208 lant'],
  }),
  limit: Type.Optional(shape.wholeNumber({ minimum: 1, maximum: 10, default: 10 })),
});

export const Suggestion = shape.named('AddressSuggestion', {
  object: shape.oneOf(['suggestion']),
  type: shape.oneOf(['address', 'street'], { description: 'Streets are suggested until a house number is typed.' }),
  address: shape.text(400),
  property_id: shape.nullable(
    shape.text(40, { description: 'Null for a street, and where several properties share the address.' }),
  ),
});
export type Suggestion = Static<typeof Suggestion>;
export const SuggestionPage = shape.page('AddressSuggestionPage', Suggestion);
