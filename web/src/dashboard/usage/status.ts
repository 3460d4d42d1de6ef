// How a status is colored, and which calls are the dashboard's own.
import type { Tone } from '../../ui/parts.tsx';
import type { LoggedRequest } from '../answers.ts';

export function statusTone(status: number): Tone {
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
}

/** Reads made by the dashboard itself. They are logged too, but get in the way when looking for your own calls. */
export function isOwnRead({ key_id: keyId, method, route }: LoggedRequest): boolean {
  return keyId?.startsWith('usr_') === true && method === 'GET' && !route.startsWith('/api/v1/properties/');
}
