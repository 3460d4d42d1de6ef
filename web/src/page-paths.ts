// The path of every page. Tests visit each one, so a rule that covers all pages cannot miss a new one.

export const PAGE_PATHS = [
  '/',
  '/explore',
  '/p/:id',
  '/accuracy',
  '/coverage',
  '/pricing',
  '/sign-in',
  '/sign-up',
  '/verify',
  '/reset',
  '/invitation',
  '/dashboard',
  '/dashboard/:section',
  '/dashboard/:section/:id',
] as const;
export type PagePath = (typeof PAGE_PATHS)[number];

/** Dashboard sections. */
export const SECTIONS = [
  'overview',
  'start',
  'keys',
  'usage',
  'requests',
  'batches',
  'watchlists',
  'webhooks',
  'exports',
  'agents',
  'billing',
  'team',
  'audit',
  'security',
  'counties',
] as const;
export type SectionId = (typeof SECTIONS)[number];

/** Sections whose items have a page each. */
export const SECTIONS_WITH_ITEMS = [
  'batches',
  'webhooks',
  'exports',
  'counties',
] as const satisfies readonly SectionId[];
