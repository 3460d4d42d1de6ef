// Every source: what `platbook ingest --all` loads, in this order. Nationwide layers first, so that places are stamped as they come.
import type { Source } from '../src/ingest/source.ts';
import { census } from './us/census.ts';
import { fhfa } from './us/fhfa.ts';
import { opportunityZones } from './us/opportunity-zones.ts';
import { kingCounty } from './wa/king-county.ts';
import { milwaukee } from './wi/milwaukee.ts';

export const SOURCES: Source[] = [census, opportunityZones, fhfa, milwaukee, kingCounty];
