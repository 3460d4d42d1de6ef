// The components of the status page, and the component of each route.

export const COMPONENTS = {
  api: { title: 'API', what: 'Every call with a key.' },
  search: { title: 'Search', what: 'Search, counts, lookup and suggestions.' },
  valuations: { title: 'Valuations', what: 'Estimates, comparables and receipts.' },
  batches: { title: 'Batches', what: 'Submitting, and items being worked on in time.' },
  webhooks: { title: 'Webhooks', what: 'Deliveries leaving in time, whatever the receiver answers.' },
  dashboard: { title: 'Dashboard', what: 'The site and what people do in it.' },
} as const;

export type Component = keyof typeof COMPONENTS;
export const COMPONENT_NAMES = Object.keys(COMPONENTS) as Component[];

const API = '/api/v1/';
const ROUTES: [pattern: RegExp, component: Component][] = [
  [/^\/api\/v1\/properties\/(search|count|lookup|autocomplete)/, 'search'],
  [/^\/api\/v1\/(avm\/|properties\/:id\/comparables)/, 'valuations'],
  [/^\/api\/v1\/batches/, 'batches'],
  [/^\/api\/v1\/(webhooks|events)/, 'webhooks'],
  [/^\/api\/v1\//, 'api'],
  [/^\/(session\/|dashboard|explore|sign-|p\/|$)/, 'dashboard'],
];

/** Undefined for routes without an availability promise: probes, docs, metrics. */
export const componentOf = (route: string): Component | undefined =>
  ROUTES.find(([pattern]) => pattern.test(route))?.[1];

/** A call to a part of the API also counts as a call to the API. */
export function componentsOf(route: string): Component[] {
  const component = componentOf(route);
  if (component === undefined) return [];
  return route.startsWith(API) && component !== 'api' ? [component, 'api'] : [component];
}
