// Every advisory lock of the program in one list, because two that share a number would wait for each other forever.

export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_526_001,
  /** One process serves the embedded database of a data directory. */
  instance: 7_526_002,
  /** One load runs at a time. */
  load: 7_526_003,
  /** Shared by everyone who uses the embedded database; whoever stops it holds it alone. */
  presence: 7_526_004,
} as const;
