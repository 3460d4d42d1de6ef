// Advice for an agent whose tool call failed, by error code. The REST `detail` describes what happened.
import type { ErrorCode } from '../../base/lib/errors.ts';
import written from './hints.json' with { type: 'json' };

const HINTS: Partial<Record<ErrorCode, string>> = written;

export function hintFor(code: string, isRetryable: boolean): string {
  return (
    HINTS[code as ErrorCode] ??
    (isRetryable ? 'Try once more.' : 'Correct the arguments as `detail` says; do not retry unchanged.')
  );
}
