// Every advisory lock of the program in one list, because two that share a number would wait for each other forever.

export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_526_001,
  /** One process serves the embedded database of a data directory. */
  instance: 7_526_002,
  /** Shared by the loads of places, each of which holds a second lock named after its place; a nationwide layer, which
      touches all of them, holds it alone. */
  load: 7_526_003,
  /** Shared by everyone who uses the embedded database; whoever stops it holds it alone. */
  presence: 7_526_004,
  /** One backup is written at a time. */
  backup: 7_526_005,
  /** Shared by loads that write into the tables; one that rebuilds them holds it alone. */
  loadTables: 7_526_014,
  /** One load at a time refreshes statistics within its transaction. */
  loadStatistics: 7_526_015,
  /** One process refreshes sources at a time. */
  refresh: 7_526_016,
  /** One process at a time creates a scratch database and drops those that were left behind. */
  scratch: 7_526_017,
  /** One process at a time builds the sandbox; several may be started on a new server at once. */
  sandbox: 7_526_018,
  /** One process makes the book of a model at a time. */
  book: 7_526_019,
} as const;
