// Hashes of values. JSON has one canonical form (RFC 8785), so equal values have equal hashes; a Merkle tree (RFC 6962)
// has one root for all its leaves, and a short path proves that a leaf is in it.
import { createHash } from 'node:crypto';

/** Members sorted, no spaces, numbers as JavaScript writes them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

export interface PathStep {
  side: 'left' | 'right';
  hash: Buffer;
}

// A prefix byte distinguishes leaves from nodes, or a node could be passed off as a leaf.
export const leafOf = (content: string | Buffer): Buffer => sha256(Buffer.of(0), Buffer.from(content));
const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right);

export function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0];
  const cut = splitOf(leaves.length);
  return nodeOf(rootOf(leaves.slice(0, cut)), rootOf(leaves.slice(cut)));
}

/** The audit path from the leaf up: sibling hashes and their sides. */
export function pathOf(leaves: Buffer[], index: number): PathStep[] {
  if (leaves.length <= 1) return [];
  const cut = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, cut), leaves.slice(cut)];
  return index < cut
    ? [...pathOf(left, index), { side: 'right', hash: rootOf(right) }]
    : [...pathOf(right, index - cut), { side: 'left', hash: rootOf(left) }];
}

/** The root that the path leads to: the tree's own only if the leaf is in it. */
export const followPath = (leaf: Buffer, path: PathStep[]): Buffer =>
  path.reduce((hash, step) => (step.side === 'left' ? nodeOf(step.hash, hash) : nodeOf(hash, step.hash)), leaf);

/** The largest power of two below `count`. */
const splitOf = (count: number): number => 2 ** Math.floor(Math.log2(count - 1));

function sha256(...parts: Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
