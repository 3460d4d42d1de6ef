// Tools about the account: its usage, and the value of its watchlists.
import Type from 'typebox';
import { isoDay, strict, text } from '../../base/lib/schema.ts';
import { cursorArgument, textsOf, type Tool } from './tool.ts';

export const ACCOUNT_TOOLS: readonly Tool[] = [
  {
    ...textsOf('get_usage'),
    input: strict({}),
    request: () => ({ path: '/usage' }),
  },
  {
    ...textsOf('list_portfolios'),
    input: strict({ cursor: cursorArgument }),
    request: ({ cursor }) => ({ path: '/watchlists', query: { limit: 20, cursor } }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    ...textsOf('get_portfolio'),
    input: strict({
      portfolio_id: text(40, { description: '`wl_…` from list_portfolios.' }),
      since: Type.Optional(isoDay({ description: 'Compare with this day. Default: 30 days ago.' })),
      interval_level: Type.Optional(Type.Number({ minimum: 0.5, maximum: 0.95, default: 0.8 })),
    }),
    request: ({ portfolio_id, since, interval_level }) => ({
      path: `/watchlists/${encodeURIComponent(String(portfolio_id))}/portfolio`,
      query: { since, interval_level },
    }),
    cut: { lists: ['unvalued', 'exposure.areas', 'since.largest_moves'] },
  },
];
