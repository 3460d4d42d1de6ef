// The addresses of every page. Tests visit each of them, so that no page is forgotten when something holds for all.

export const ADDRESSES = [
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
export type Address = (typeof ADDRESSES)[number];

/** Of the dashboard. */
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
] as const;
export type SectionId = (typeof SECTIONS)[number];

/** Whose things have pages of their own. */
export const SECTIONS_OF_THINGS = ['batches', 'webhooks', 'exports'] as const satisfies readonly SectionId[];
