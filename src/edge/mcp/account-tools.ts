// Tools about the account: what it has used, and what its watchlists are worth.
import Type from 'typebox';
import { isoDay, strict, text } from '../../base/lib/schema.ts';
import { cursorArgument, type Tool } from './tool.ts';

export const ACCOUNT_TOOLS: readonly Tool[] = [
  {
    name: 'get_usage',
    title: 'Get usage',
    description:
      'Calls used and remaining on both meters, the plan, the hourly limit and when the period ends. Use it before a large job.',
    cost: 'free',
    input: strict({}),
    request: () => ({ path: '/usage' }),
  },
  {
    name: 'list_portfolios',
    title: 'List portfolios',
    description: 'The account’s lists of properties (watchlists), with the ids that get_portfolio takes.',
    cost: 'free',
    input: strict({ cursor: cursorArgument }),
    request: ({ cursor }) => ({ path: '/watchlists', query: { limit: 20, cursor } }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    name: 'get_portfolio',
    title: 'Get a portfolio',
    description:
      'What a list of properties is worth together, with a joint interval (homes of a market share its error, so it is not the sum of ' +
      'the ends), exposure by area, type and risk layer, and what changed since a day. Report the interval with the total.',
    cost: '1 standard call per 500 properties',
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
