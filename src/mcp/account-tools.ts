// The tool that tells an agent what it has used and what is left.
import Type from 'typebox';
import { UsageReport } from '../usage/schema.ts';
import { cuttable, type Tool } from './tool.ts';

const getUsage: Tool = {
  name: 'get_usage',
  title: 'Get usage',
  description:
    'Calls used and remaining on both meters, the plan, the hourly limit and when the period ends. Use it before a large job.',
  cost: 'free',
  input: Type.Object({}, { additionalProperties: false }),
  output: cuttable(UsageReport),
  request: () => ({ method: 'GET', path: '/usage' }),
  cut: () => ({}),
};

export const ACCOUNT_TOOLS: readonly Tool[] = [getUsage];
