// The shapes of watchlists.
import Type from 'typebox';
import { PROPERTY_KINDS } from '../../base/events/kinds.ts';
import {
  decimal,
  instant,
  named,
  namedStrict,
  nullable,
  oneOf,
  page,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { FilterBody } from '../../records/properties/filter.ts';

const KINDS: readonly string[] = ['*', 'property.*', ...PROPERTY_KINDS];
export const MAX_IDS = 10_000;

const { updated_since: _updated, ...filterMembers } = FilterBody;
const name = text(100, { minLength: 1 });
const filter = Type.Object(filterMembers, {
  title: 'WatchlistFilter',
  additionalProperties: false,
  description: 'The same filters as a property search.',
});
const events = Type.Array(oneOf(KINDS), { minItems: 1, maxItems: KINDS.length, uniqueItems: true });
const percent = decimal({
  minimum: 0,
  maximum: 1_000,
  description:
    'Percentage the value must move since the last `valuation.changed` event to send another. Defaults to 5.',
});
const totalPercent = nullable(
  decimal({
    minimum: 0.1,
    maximum: 1_000,
    description:
      'Percentage the total value must move since it was last reported to send `watchlist.value_changed`. null: never.',
  }),
);
const ids = (options: object = {}) => Type.Array(text(40), { maxItems: MAX_IDS, uniqueItems: true, ...options });

export const Watchlist = named('Watchlist', {
  object: oneOf(['watchlist']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  name,
  filter: nullable(Type.Record(Type.String({ maxLength: 60 }), Type.Unknown())),
  events,
  valuation_change_percent: percent,
  total_change_percent: totalPercent,
  property_count: wholeNumber({ minimum: 0 }),
  is_ready: Type.Boolean({ description: '`false` until the properties matching the filter have been collected.' }),
  created_at: instant(),
  updated_at: instant(),
});
export const WatchlistPage = page('WatchlistPage', Watchlist);

const settings = {
  filter: Type.Optional(filter),
  events: Type.Optional(events),
  valuation_change_percent: Type.Optional(percent),
  total_change_percent: Type.Optional(totalPercent),
};
export const NewWatchlist = Type.Object(
  { name, property_ids: Type.Optional(ids({ minItems: 1 })), ...settings },
  { title: 'NewWatchlist', additionalProperties: false, description: 'Send either `property_ids` or `filter`.' },
);
export const WatchlistPatch = namedStrict('WatchlistPatch', { name: Type.Optional(name), ...settings });

export const MemberChanges = namedStrict('WatchlistMemberChanges', {
  add: Type.Optional(ids()),
  remove: Type.Optional(ids()),
});
export const MemberCounts = named('WatchlistMemberCounts', {
  object: oneOf(['watchlist_change']),
  watchlist_id: text(40),
  added: wholeNumber({ minimum: 0 }),
  removed: wholeNumber({ minimum: 0 }),
});
export const MemberPage = page(
  'WatchlistMemberPage',
  named('WatchlistMember', { object: oneOf(['watchlist_property']), property_id: text(40), added_at: instant() }),
);
