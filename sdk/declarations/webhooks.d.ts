import type { Event, EventData } from './types.ts';
/** An event with the data of its `type`: a check of `event.type` narrows `event.data`. */
export type WebhookEvent = {
    [Type in keyof EventData]: Omit<Event, 'type' | 'data'> & {
        type: Type;
        data: EventData[Type];
    };
}[keyof EventData];
export declare class WebhookVerificationError extends Error {
    name: string;
}
type HeaderBag = Headers | Record<string, string | string[] | undefined>;
/**
 * Verifies a delivery and returns its event, or throws WebhookVerificationError. `payload` is the raw body, before any
 * JSON parsing. Deliveries can repeat, so ignore a `webhook-id` you have already processed.
 */
export declare function verifyWebhook(payload: string | Uint8Array, headers: HeaderBag, secret: string | readonly string[], now?: Date): Promise<WebhookEvent>;
export {};
