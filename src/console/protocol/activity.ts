// ——— GET /live (server-sent events), GET /activity ———

/**
 * The activity of the service: `GET /live` sends it as `event: live` at most once a second, and `GET /activity` once.
 * Counters start with the process; the page computes differences.
 */
export interface Activity {
  readonly at: string;
  /** The start of the counters. */
  readonly since: string;
  readonly requests: readonly EndpointActivity[];
  /** Attempts at deliveries by outcome: `delivered`, `failed`, `given up`. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** The number of timed transitions and timed events. */
  readonly timedMoves: number;
  /**
   * Resource → state → number of rows. For a resource without states, the state is an empty string. The states of a
   * second field of a resource are under the field, such as `Order.payment`.
   */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly notReady: string | null;
  /** Whether the document on disk differs from the served one. */
  readonly changedOnDisk: boolean;
  /** A number that increases with each served document; the page then reloads its data about the document. */
  readonly served: number;
  /** The memory of the process in bytes, and the share of a processor in the last second (0 to 1). */
  readonly memory: number;
  readonly processor: number;
}

// ——— GET /acts ———

/** The last 500 changes that operators have made in the console since the process started, newest first. */
export interface ActsAnswer {
  readonly acts: readonly ActShown[];
}

export interface ActShown {
  readonly at: string;
  /** The name of the operator. */
  readonly by: string;
  /** The path of the interface, such as `/rows/Order/ID/move`; the holder of a new key or the event of a replay follows. */
  readonly what: string;
  readonly refused: boolean;
}

export interface EndpointActivity {
  /** The name of the endpoint; `none` for requests without one. */
  readonly endpoint: string;
  /** Status → number of answers. */
  readonly statuses: Readonly<Record<string, number>>;
  /**
   * The histogram of response times: the number of responses in each bucket of `buckets` (upper bounds in seconds), and
   * finally those above all bounds.
   */
  readonly took: readonly number[];
  readonly seconds: number;
}
