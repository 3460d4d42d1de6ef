// Every source that `platbook ingest --all` loads, in this order: nationwide layers first, so that places are stamped
// as they load.
import type { Source } from '../src/ingest/source.ts';
import { washington } from './dc/washington.ts';
import { chicago } from './il/chicago.ts';
import { cambridge } from './ma/cambridge.ts';
import { lyme } from './nh/lyme.ts';
import { newYork } from './ny/new-york.ts';
import { philadelphia } from './pa/philadelphia.ts';
import { census } from './us/census.ts';
import { fhfa } from './us/fhfa.ts';
import { nfhl } from './us/nfhl.ts';
import { opportunityZones } from './us/opportunity-zones.ts';
import { kingCounty } from './wa/king-county.ts';
import { milwaukee } from './wi/milwaukee.ts';

export const SOURCES: Source[] = [
  census,
  opportunityZones,
  fhfa,
  nfhl,
  milwaukee,
  kingCounty,
  newYork,
  philadelphia,
  cambridge,
  chicago,
  lyme,
  washington,
];
