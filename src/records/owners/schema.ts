// The shapes of a search for parties by name or mailing address.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { FilterBody } from '../properties/filter.ts';
import { FITS } from './likeness.ts';
import { ROLES } from './sql.ts';

export const OwnerSearch = shape.namedStrict('OwnerSearch', {
  name: Type.Optional(
    shape.text(300, {
      minLength: 2,
      description:
        'Of a person or an organization: words in any order, initials, with or without JR, LLC, TRUST and the like.',
      examples: ['quendovar, avelyn'],
    }),
  ),
  mailing_address: Type.Optional(
    shape.text(400, {
      minLength: 3,
      description: 'Where the owner’s mail goes: a door or a PO box, best with its ZIP code.',
    }),
  ),
  role: Type.Optional(
    shape.list(shape.oneOf(ROLES), {
      minItems: 1,
      uniqueItems: true,
      description: 'Default: all. `mailing_address` finds owners only.',
    }),
  ),
  state: FilterBody.state,
  market: FilterBody.market,
  fips: FilterBody.fips,
  limit: Type.Optional(shape.wholeNumber({ minimum: 1, maximum: 100, default: 20 })),
});

const Party = shape.named('Party', {
  object: shape.oneOf(['party']),
  role: shape.oneOf(ROLES),
  name: shape.text(300),
  owner_id: shape.nullable(
    shape.text(40, {
      description: 'The same for one owner on all parcels of a county; null for parties who are not the owner now.',
    }),
  ),
  property_id: shape.text(40),
  property_address: shape.nullable(shape.text(400)),
  fips: shape.text(5),
  mailing_address: shape.nullable(shape.text(400)),
  dated_on: shape.nullable(shape.isoDay({ description: 'Of the document; for an owner, the day of taking title.' })),
  transaction_id: shape.nullable(shape.text(40)),
  fit: shape.oneOf(FITS, {
    description:
      'exact: every word. initials: an initial stands for a word. spelling: one word is spelled otherwise. partial: a word ' +
      'that was asked for is not in the record, and nothing in the record speaks against it.',
  }),
  score: shape.decimal({ minimum: 0, maximum: 1 }),
});
export type Party = Static<typeof Party>;

export const PartyList = shape.named('PartyList', {
  object: shape.oneOf(['list']),
  data: shape.list(Party, { description: 'Best fit first; others than exact ones only where nothing fits exactly.' }),
  is_complete: Type.Boolean({ description: 'false: more fit as well as these; name a county or a state.' }),
});
