// Which sandbox an installation has: kept as the note of each of its sources.

/** Increment whenever the records change, so that every installation loads its sandbox anew. */
export const SANDBOX_VERSION = 14;

/** The dataset that is loaded last, with its last edition. */
export const LAST_LOAD = { dataset: 'sandbox-99003/records', publishedOn: '2026-06-30' };

export const noteOf = (properties: number): string => `Version ${SANDBOX_VERSION}, properties: ${properties}`;
