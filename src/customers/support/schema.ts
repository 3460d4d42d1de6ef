// The shapes of a message to support.
import Type from 'typebox';
import { named, oneOf, strict, text } from '../../base/lib/schema.ts';

export const SupportForm = strict({
  subject: text(150, { minLength: 1 }),
  message: text(5_000, { minLength: 1 }),
  request_ids: Type.Optional(Type.Array(text(64, { minLength: 1 }), { maxItems: 20 })),
});

export const SupportMessage = named('SupportMessage', {
  object: oneOf(['support_message']),
  id: text(40, { description: 'Named in every email about the message.' }),
  /** The plan's response time. */
  support: text(100),
});
