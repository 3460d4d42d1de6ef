// The payload of each job, by the job's name. `src/worker.ts` lists their handlers.

/** How often a schedule runs: minutes since midnight UTC that leave `offset` when divided by `every`. */
export interface Schedule {
  every: number;
  offset: number;
}

/** Ids of accepted findings. */
export interface Accepted {
  ids: string[];
  by: string;
}

interface CountyPayload {
  recipe_version: number;
}

export interface JobPayloads {
  /** Loads the source named by the subject. */
  ingest: {
    /** A folder, a URL or `publisher`. */
    from: string;
    accept?: Accepted;
  };
  /** Trains the market named by the subject. */
  train: TrainPayload;
  'county-read': CountyPayload;
  'county-preview': CountyPayload;
  'county-load': CountyPayload & { accept?: Accepted };
  'county-train': CountyPayload & TrainPayload;
  /** Delivers the export run named by the subject. */
  export: Record<string, never>;
  /** A recurring job; its subject is the name of the schedule. */
  schedule: Schedule;
}

export interface TrainPayload {
  /** Publish whatever the back-test says. */
  force?: boolean;
  /** A rough model in seconds. */
  quick?: boolean;
}

export type JobName = keyof JobPayloads;
