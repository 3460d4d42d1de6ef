// The shapes of a search for parties by name or mailing address.
import Type, { type Static } from 'typebox';
import {
  decimal,
  isoDay,
  list,
  named,
  namedStrict,
  nullable,
  oneOf,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { FilterBody } from '../properties/filter.ts';
import { FITS } from './likeness.ts';
import { ROLES } from './sql.ts';

export const OwnerSearch = namedStrict('OwnerSearch', {
  name: Type.Optional(
    text(300, {
      minLength: 2,
      description:
        'Of a person or an organization: words in any order, initials, with or without JR, LLC, TRUST and the like.',
      examples: ['quendovar, avelyn'],
    }),
  ),
  mailing_address: Type.Optional(
    text(400, {
      minLength: 3,
      description: 'Where the owner’s mail goes: a door or a PO box, best with its ZIP code.',
    }),
  ),
  role: Type.Optional(
    list(oneOf(ROLES), {
      minItems: 1,
      uniqueItems: true,
      description: 'Default: all. `mailing_address` finds owners only.',
    }),
  ),
  state: FilterBody.state,
  market: FilterBody.market,
  fips: FilterBody.fips,
  limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 100, default: 20 })),
});

const Party = named('Party', {
  object: oneOf(['party']),
  role: oneOf(ROLES),
  name: text(300),
  owner_id: nullable(
    text(40, {
      description: 'The same for one owner on all parcels of a county; null for parties who are not the owner now.',
    }),
  ),
  property_id: text(40),
  property_address: nullable(text(400)),
  fips: text(5),
  mailing_address: nullable(text(400)),
  dated_on: nullable(isoDay({ description: 'Of the document; for an owner, the day of taking title.' })),
  transaction_id: nullable(text(40)),
  fit: oneOf(FITS, {
    description:
      'exact: every word. initials: an initial stands for a word. spelling: one word is spelled otherwise. partial: a word ' +
      'that was asked for is not in the record, and nothing in the record speaks against it.',
  }),
  score: decimal({ minimum: 0, maximum: 1 }),
});
export type Party = Static<typeof Party>;

export const PartyList = named('PartyList', {
  object: oneOf(['list']),
  data: list(Party, { description: 'Best fit first; others than exact ones only where nothing fits exactly.' }),
  is_complete: Type.Boolean({ description: 'false: more fit as well as these; name a county or a state.' }),
});
