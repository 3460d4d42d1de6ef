// Every advisory lock of the program in one list, so that no two share a number and deadlock.

export const ADVISORY_LOCKS = {
  /** One process migrates at a time. */
  migration: 7_526_001,
  /** One process serves the embedded database of a data directory. */
  instance: 7_526_002,
  /** Shared by the loads of places, each of which also holds a lock for its place; exclusive for a nationwide layer,
      which touches all places. */
  load: 7_526_003,
  /** Shared by every process that uses the embedded database; exclusive for the one that stops it. */
  presence: 7_526_004,
  /** One backup is written at a time. */
  backup: 7_526_005,
  /** Shared by loads that write into the tables; exclusive for a load that rebuilds them. */
  loadTables: 7_526_014,
  /** One load at a time refreshes statistics within its transaction. */
  loadStatistics: 7_526_015,
  /** One process refreshes sources at a time. */
  refresh: 7_526_016,
  /** One process at a time creates a scratch database and drops leftover ones. */
  scratch: 7_526_017,
  /** One process at a time builds the sandbox; several may be started on a new server at once. */
  sandbox: 7_526_018,
  /** One process at a time builds the book of a model. */
  book: 7_526_019,
} as const;
