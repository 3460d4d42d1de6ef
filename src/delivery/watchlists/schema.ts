// The shapes of watchlists.
import Type from 'typebox';
import { PROPERTY_KINDS } from '../../base/events/kinds.ts';
import * as shape from '../../base/lib/schema.ts';
import { FilterBody } from '../../records/properties/filter.ts';

const KINDS: readonly string[] = ['*', 'property.*', ...PROPERTY_KINDS];
export const MAX_IDS = 10_000;

const { updated_since: _updated, ...filterMembers } = FilterBody;
const name = shape.text(100, { minLength: 1 });
const filter = Type.Object(filterMembers, {
  title: 'WatchlistFilter',
  additionalProperties: false,
  description: 'The same filters as a property search.',
});
const events = Type.Array(shape.oneOf(KINDS), { minItems: 1, maxItems: KINDS.length, uniqueItems: true });
const percent = shape.decimal({
  minimum: 0,
  maximum: 1_000,
  description:
    'Percentage the value must move since the last `valuation.changed` event to send another. Defaults to 5.',
});
const totalPercent = shape.nullable(
  shape.decimal({
    minimum: 0.1,
    maximum: 1_000,
    description:
      'Percentage the total value must move since it was last reported to send `watchlist.value_changed`. null: never.',
  }),
);
const ids = (options: object = {}) => Type.Array(shape.text(40), { maxItems: MAX_IDS, uniqueItems: true, ...options });

export const Watchlist = shape.named('Watchlist', {
  object: shape.oneOf(['watchlist']),
  id: shape.text(40),
  mode: shape.oneOf(['live', 'test']),
  name,
  filter: shape.nullable(Type.Record(Type.String({ maxLength: 60 }), Type.Unknown())),
  events,
  valuation_change_percent: percent,
  total_change_percent: totalPercent,
  property_count: shape.wholeNumber({ minimum: 0 }),
  is_ready: Type.Boolean({ description: '`false` until the properties matching the filter have been collected.' }),
  created_at: shape.instant(),
  updated_at: shape.instant(),
});
export const WatchlistPage = shape.page('WatchlistPage', Watchlist);

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
export const WatchlistPatch = shape.namedStrict('WatchlistPatch', { name: Type.Optional(name), ...settings });

export const MemberChanges = shape.namedStrict('WatchlistMemberChanges', {
  add: Type.Optional(ids()),
  remove: Type.Optional(ids()),
});
export const MemberCounts = shape.named('WatchlistMemberCounts', {
  object: shape.oneOf(['watchlist_change']),
  watchlist_id: shape.text(40),
  added: shape.wholeNumber({ minimum: 0 }),
  removed: shape.wholeNumber({ minimum: 0 }),
});
export const MemberPage = shape.page(
  'WatchlistMemberPage',
  shape.named('WatchlistMember', {
    object: shape.oneOf(['watchlist_property']),
    property_id: shape.text(40),
    added_at: shape.instant(),
  }),
);
