// ——— GET /live (server-sent events), GET /activity ———

/**
 * What `GET /live` sends as `event: live` at most once a second, and `GET /activity` once. Counts go from the start of
 * the process: the page takes differences.
 */
export interface Activity {
  readonly at: string;
  /** Since when it is counted. */
  readonly since: string;
  readonly requests: readonly EndpointActivity[];
  /** Attempts at deliveries by outcome: `delivered`, `failed`, `given up`. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Transitions and events that happened because their time had come. */
  readonly timedMoves: number;
  /** Resource → state → number of rows; resources without states have their number under the empty name. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly notReady: string | null;
  /** True while the document on disk differs from the one that is served. */
  readonly changedOnDisk: boolean;
  /** Goes up whenever another document is served: the page then loads what it shows of the document again. */
  readonly served: number;
  /** Bytes in use by the process, and the share of its processor time of the last second (0 to 1). */
  readonly memory: number;
  readonly processor: number;
}

export interface EndpointActivity {
  /** The name of the endpoint; `none` where no endpoint was found. */
  readonly endpoint: string;
  /** Status → number of answers. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How many answers took no longer than each of `buckets` of the service (seconds), and longer than the one before; the last took longer than all. */
  readonly took: readonly number[];
  readonly seconds: number;
}
