// The path of every page. Tests visit each one, so a rule that covers all pages cannot miss a new one.

export const PAGE_PATHS = [
  '/',
  '/explore',
  '/p/:id',
  '/areas',
  '/accuracy',
  '/coverage',
  '/pricing',
  '/sign-in',
  '/sign-up',
  '/verify',
  '/reset',
  '/invitation',
  '/unsubscribe',
  '/oauth/consent/:uid',
  '/shared/:token',
  '/dashboard',
  '/dashboard/:section',
  '/dashboard/:section/:id',
] as const;
export type PagePath = (typeof PAGE_PATHS)[number];

/** Dashboard sections. */
export const SECTION_NAMES = {
  overview: 'Overview',
  start: 'Quick start',
  keys: 'API keys',
  usage: 'Usage',
  requests: 'Request log',
  batches: 'Batches',
  reports: 'Reports',
  watchlists: 'Watchlists',
  shares: 'Share links',
  webhooks: 'Webhooks',
  exports: 'Exports',
  agents: 'Agents (MCP)',
  clocks: 'Test clocks',
  billing: 'Billing',
  team: 'Team',
  settings: 'Settings',
  audit: 'Audit log',
  security: 'Security',
  support: 'Support',
  counties: 'Counties',
} as const;
export type SectionId = keyof typeof SECTION_NAMES;
export const SECTIONS = Object.keys(SECTION_NAMES) as SectionId[];
export const hrefOfSection = (id: SectionId): string => (id === 'overview' ? '/dashboard' : `/dashboard/${id}`);

/** Sections whose items have a page each. */
export const SECTIONS_WITH_ITEMS = [
  'batches',
  'webhooks',
  'exports',
  'counties',
] as const satisfies readonly SectionId[];
