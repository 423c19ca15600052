import { histogramOf, type Metric, type Value } from './metric.ts';

/** The upper ends of the buckets of times, in seconds. */
export const REQUEST_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** The outcome of a delivery attempt, by its event in the log. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['webhook.delivered', 'delivered'],
  ['webhook.failed', 'failed'],
  ['webhook.given_up', 'given up'],
  ['webhook.receiver_gone', 'given up'],
]);

/** The answers of one endpoint. */
interface Tally {
  readonly statuses: Map<number, number>;
  /**
   * The number of answers for each bucket, by duration: an answer counts in the first bucket that it fits; the last has
   * no limit.
   */
  readonly took: number[];
  seconds: number;
}

/** Counts since the process began. The tallies are the live objects, not copies. */
interface Counted {
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly deliveries: ReadonlyMap<string, number>;
  readonly moves: number;
}

/** The operator's metrics. Events are counted as plain numbers, and formatted only when a scrape reads them. */
export class Metrics {
  /** The metrics, in the order in which they are printed. */
  readonly told: readonly Metric[] = [
    {
      name: 'ninefold_deliveries_total',
      type: 'counter',
      help: 'Attempts at webhook deliveries, by outcome.',
      values: () => [...this.deliveries].map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: 'ninefold_timed_moves_total',
      type: 'counter',
      help: 'Transitions and events that happened because their time had come.',
      values: () => [{ labels: {}, value: this.moves }],
    },
    {
      name: 'ninefold_timed_moves_refused_total',
      type: 'counter',
      help: 'Transitions and events that were given up when their time had come, since a rule refused them or they failed.',
      values: () => [{ labels: {}, value: this.refusals }],
    },
    {
      name: 'ninefold_schedule_runs_total',
      type: 'counter',
      help: 'Runs of schedules, by schedule and outcome.',
      values: () => [...this.runs.values()],
    },
    {
      name: 'ninefold_requests_total',
      type: 'counter',
      help: 'Requests answered, by endpoint and status.',
      values: () => [...this.requests()],
    },
    {
      name: 'ninefold_request_seconds',
      type: 'histogram',
      help: 'Time from the head of a request to its answer.',
      values: () => [...this.times()],
    },
  ];
  private readonly deliveries = new Map<string, number>();
  private readonly runs = new Map<string, { readonly labels: Value['labels']; value: number }>();
  private moves = 0;
  private refusals = 0;
  private readonly tallies = new Map<string, Tally>();

  /** Counts a request that has been answered. */
  answered(endpoint: string, status: number, seconds: number): void {
    let tally = this.tallies.get(endpoint);
    if (!tally) {
      tally = { statuses: new Map(), took: REQUEST_BUCKETS.map(() => 0).concat(0), seconds: 0 };
      this.tallies.set(endpoint, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.seconds += seconds;
    let bucket = 0;
    while (bucket < REQUEST_BUCKETS.length && seconds > REQUEST_BUCKETS[bucket]!) bucket++;
    tally.took[bucket]!++;
  }

  /** Counts a delivery attempt, by its event in the log. */
  heard(event: string): void {
    const outcome = OUTCOMES.get(event);
    if (outcome !== undefined) this.deliveries.set(outcome, (this.deliveries.get(outcome) ?? 0) + 1);
  }

  /** Counts transitions and events that happened because their time had come. */
  moved(count: number): void {
    this.moves += count;
  }

  /** Counts a run of a schedule. */
  ran(schedule: string, outcome: string): void {
    const key = `${outcome} ${schedule}`;
    const run = this.runs.get(key) ?? { labels: { schedule, outcome }, value: 0 };
    run.value++;
    this.runs.set(key, run);
  }

  /** Counts a transition or an event that was given up when its time had come. */
  refused(): void {
    this.refusals++;
  }

  /** The counts so far, for exporters of other formats. */
  get counted(): Counted {
    return { tallies: this.tallies, deliveries: this.deliveries, moves: this.moves };
  }

  private *requests(): Generator<Value> {
    for (const [endpoint, { statuses }] of this.tallies)
      for (const [status, value] of statuses) yield { labels: { endpoint, status: String(status) }, value };
  }

  private *times(): Generator<Value> {
    for (const [endpoint, { took, seconds }] of this.tallies)
      yield* histogramOf(REQUEST_BUCKETS, took, seconds, { endpoint });
  }
}
