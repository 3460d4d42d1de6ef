// The shapes of the change feed.
import { type Static } from 'typebox';
import { instant, list, named, oneOf, page, text } from '../../base/lib/schema.ts';
import { Change } from '../../records/properties/schema.ts';

const FeedChange = named('FeedChange', { ...Change.properties, market: text(60) });
type FeedChange = Static<typeof FeedChange>;
export const FeedPage = page('FeedPage', FeedChange);

const CloudEvent = named('CloudEvent', {
  specversion: oneOf(['1.0']),
  id: text(60),
  source: text(200),
  type: text(60),
  subject: text(40),
  time: instant(),
  datacontenttype: oneOf(['application/json']),
  data: FeedChange,
});
export const CloudEventBatch = list(CloudEvent, { maxItems: 1_000 });

export const toCloudEvent = (change: FeedChange): Static<typeof CloudEvent> => ({
  specversion: '1.0',
  id: change.id,
  source: '/api/v1/changes',
  type: change.type,
  subject: change.property_id,
  time: change.occurred_at,
  datacontenttype: 'application/json',
  data: change,
});
