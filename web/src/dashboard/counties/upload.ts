// Uploads a file in parts, beginning where an earlier attempt ended.
import { ApiProblem, call } from '../../api.ts';
import type { Draft } from './draft.ts';

const PART_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 5;
const WAIT_MS = 1_000;

export async function uploadFile(draft: Draft, file: File, onShare: (share: number) => void): Promise<Draft> {
  if (file.size !== draft.file.bytes)
    throw new ApiProblem({
      status: 0,
      code: 'other_file',
      title: 'That is another file',
      detail: `Choose ${draft.file.name} again: the upload of that file had begun.`,
    });
  let now = draft;
  let failures = 0;
  while (now.file.received_bytes < file.size) {
    const offset = now.file.received_bytes;
    try {
      now = await call<Draft>(undefined, `/session/counties/${draft.id}/file?offset=${offset}`, {
        method: 'PUT',
        body: file.slice(offset, offset + PART_BYTES),
        headers: { 'content-type': 'application/octet-stream' },
      });
      failures = 0;
      onShare(now.file.received_bytes / file.size);
    } catch (error) {
      // A connection that drops, or a server that restarts, costs one part and not the upload.
      const isPassing = error instanceof ApiProblem && error.problem.status === 0;
      if (!isPassing || ++failures >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * failures));
      now = await call<Draft>(undefined, `/session/counties/${draft.id}`).catch(() => now);
    }
  }
  return now;
}
