export interface WebhookEvent<Data = unknown> {
    /** For example `batch.completed`. */
    type: string;
    /** When it happened. */
    timestamp: string;
    data: Data;
}
export declare class WebhookVerificationError extends Error {
    name: string;
}
type HeaderBag = Headers | Record<string, string | string[] | undefined>;
/**
 * Verifies a delivery and returns its event, or throws WebhookVerificationError. `payload` is the raw body, before any
 * JSON parsing. Deliveries can repeat, so ignore a `webhook-id` you have already processed.
 */
export declare function verifyWebhook<Data = unknown>(payload: string | Uint8Array, headers: HeaderBag, secret: string | readonly string[], now?: Date): Promise<WebhookEvent<Data>>;
export {};
