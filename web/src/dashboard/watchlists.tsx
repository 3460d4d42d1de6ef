// Watchlists: properties or a search to keep an eye on; changes go to webhooks.
export function WatchlistsSection() {
  return null;
}
