// Assigns each property to a fold by a hash of its id, so that repeat sales of one home are never on both sides.

export function foldOf(propertyId: string, folds: number, salt = 0): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < propertyId.length; i++) hash = Math.imul(hash ^ propertyId.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) % folds;
}
