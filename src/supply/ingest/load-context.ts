// The context of one load, carried through reading, mapping and writing: built once in load.ts and passed down.
import type { Client } from '../../base/db/postgres.ts';
import type { RebuildableTable } from '../../base/db/rebuild.ts';
import type { Clock } from '../../base/lib/clock.ts';
import type { FetchedFile, FetchPlace } from './fetch/fetch.ts';
import type { Row } from './read/rows.ts';
import type { Examiner } from '../examination/examiner.ts';
import type { Finding } from '../examination/finding.ts';
import type { AddressFacts } from '../examination/subject.ts';
import type { FieldSummary } from '../examination/sample.ts';
import type { Progress, Step } from './progress.ts';
import type { LoadReport } from './report.ts';
import type { AddressWords, Dataset, Market, Source, Target } from './source.ts';

/** The interface of the addresses room, which is above this one, within a load's transaction. */
export interface Addresses extends AddressFacts {
  /** Indexes the load's changes. Returns the tables it has begun to rebuild; `isRebuilt` if already begun. */
  file(
    client: Client,
    fips: number,
    how: { words?: AddressWords; isRebuilt: boolean; onStep: Step },
  ): Promise<RebuildableTable[]>;
  /** Looks up each home by its address, as a customer would. */
  findAgain(client: Client, homes: StagedAddress[]): Promise<FoundAgain[]>;
}

/** A home with its address from the load. */
export interface StagedAddress {
  fips: number;
  property_id: string;
  line1: string;
  unit: string | null;
  city: string;
  state: string;
  zip: string | null;
}

export interface FoundAgain {
  text: string;
  outcome: 'itself' | 'shared' | 'another' | 'none';
  reason: string;
}

/** Options that the caller of a load chooses. */
export interface LoadOptions {
  place: FetchPlace;
  clock: Clock;
  makeProgress(label: string, totalBytes: number): Progress;
  /** Quarantined rows to load instead of the files. */
  replay?: { header: string[]; file: string; rows: Row[] }[];
  /** Called when the load has to wait for others. */
  onWait: () => void;
  /** Without it, addresses are indexed after the load and lookups are not checked. */
  addresses?: Addresses;
  authorityOf(sourceId: string): number;
  /** Ids of accepted findings; `unchanged` reloads the files of the last load. */
  accept?: { ids: string[]; by: string };
  /** Dry run: findings are reported but do not block. */
  isTrial?: boolean;
  /** The load to compare with, if the database has none. */
  findBefore?: (sourceId: string) => Promise<Before | undefined>;
  /** Layers that later datasets of the same run will load. */
  willCover?: string[];
}

/** The previous load's data for the examination. */
export interface Before {
  figures?: Record<string, FieldSummary>;
  findings?: Finding[] | null;
}

export interface LoadContext {
  /** The one connection of the load: it holds the lock, the temporary tables and the transaction. */
  client: Client;
  source: Source;
  dataset: Dataset;
  options: LoadOptions;
  /** Empty for a replay. */
  files: FetchedFile[];
  /** The tables the dataset writes to, each once, in the order of its records. */
  targets: Target[];
  counties: number[];
  /** Undefined for a nationwide source, which has no properties of its own. */
  market: Market | undefined;
  loadId: number;
  /** The instant written on every row the load touches. */
  at: Date;
  /** No load of this dataset has completed before. */
  isFirst: boolean;
  /** Whether new facts are news. A first load is a backfill, and so is one that moves properties to new ids. */
  makesEvents: boolean;
  isReplay: boolean;
  /** The recipe changed since the last load; or even its key changed, so homes get other ids. */
  isRecipeChanged: boolean;
  isRekeyed: boolean;
  /** How many records of each kind the last load from files had. */
  lastStaged: Partial<Record<Target, number>>;
  progress: Progress;
  /** Undefined if the load is not examined. */
  examiner: Examiner | undefined;
  before: Before | undefined;
  /** Tables whose statistics are fresh; filled in as the load proceeds. */
  analyzed: Set<string>;
  /** Filled in as the load proceeds. */
  report: LoadReport;
}
