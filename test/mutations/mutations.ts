// The ways in which the program is broken on purpose, wing by wing.
import { BASE } from './base.ts';
import { CUSTOMERS } from './customers.ts';
import { DELIVERY } from './delivery.ts';
import { EDGE } from './edge.ts';
import type { Group } from './group.ts';
import { INSIGHT } from './insight.ts';
import { OPERATE } from './operate.ts';
import { RECORDS } from './records.ts';
import { SUPPLY } from './supply.ts';

export const GROUPS: Group[] = [
  ...BASE,
  ...SUPPLY,
  ...CUSTOMERS,
  ...RECORDS,
  ...INSIGHT,
  ...DELIVERY,
  ...EDGE,
  ...OPERATE,
];
