// A property with everything known about it: its history, its layers, and what earlier or other sources say.
import type { Assessment, Tax } from './assessments.ts';
import type { Correction } from './corrections.ts';
import type { Home } from './homes.ts';
import type { Layers } from './layers.ts';
import type { Life } from './sales.ts';
import type { Disagreement } from './survey.ts';

export type Estate = {
  home: Home;
  /** When the parcel is on the roll: always, until June's roll, or from June's roll on. */
  listed: 'always' | 'until_june' | 'from_june';
  life: Life;
  assessments: Assessment[];
  taxes: Tax[];
  layers: Layers;
  tract2020: string | null;
  tract2010: string | null;
  blockGroup: string | null;
  disagreement: Disagreement | undefined;
  correction: Correction;
};
