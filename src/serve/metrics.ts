import { Counter, collectDefaultMetrics, type Metric, Registry } from 'prom-client';

/** The upper ends of the buckets of times, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const REQUESTS = 'ninefold_requests_total';
const SECONDS = 'ninefold_request_seconds';

/** What has been answered at one endpoint. */
interface Tally {
  readonly statuses: Map<number, number>;
  /** How many answers took as long as each bucket, and no longer; the last took longer than all. */
  readonly took: number[];
  seconds: number;
}

/**
 * What the operator is told in numbers. Requests are counted in plain numbers, which are put into words when somebody
 * asks: the registry's own metrics look their labels up at every request.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly deliveries = new Counter({
    name: 'ninefold_deliveries_total',
    help: 'Attempts at webhook deliveries, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly moves = new Counter({
    name: 'ninefold_timed_moves_total',
    help: 'Transitions made because their time had come.',
    registers: [this.registry],
  });
  private readonly tallies = new Map<string, Tally>();

  constructor() {
    this.told(REQUESTS, 'counter', 'Requests answered, by endpoint and status.', () => [...this.requests()]);
    this.told(SECONDS, 'histogram', 'Time from the head of a request to its answer.', () => [...this.times()]);
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts a request that has been answered. */
  answered(endpoint: string, status: number, seconds: number): void {
    let tally = this.tallies.get(endpoint);
    if (!tally) {
      tally = { statuses: new Map(), took: BUCKETS.map(() => 0).concat(0), seconds: 0 };
      this.tallies.set(endpoint, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++;
    tally.took[bucket]!++;
  }

  /** A metric whose values are made when they are asked for. */
  private told(name: string, type: string, help: string, values: () => Value[]): void {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: values() });
    this.registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric);
  }

  private *requests(): Generator<Value> {
    for (const [endpoint, { statuses }] of this.tallies)
      for (const [status, value] of statuses) yield { labels: { endpoint, status: String(status) }, value };
  }

  /** In each bucket stands what took as long or less. */
  private *times(): Generator<Value> {
    for (const [endpoint, { took, seconds }] of this.tallies) {
      let value = 0;
      for (const [i, count] of took.entries()) {
        value += count;
        yield { labels: { le: BUCKETS[i] ?? '+Inf', endpoint }, value, metricName: `${SECONDS}_bucket` };
      }
      yield { labels: { endpoint }, value: seconds, metricName: `${SECONDS}_sum` };
      yield { labels: { endpoint }, value, metricName: `${SECONDS}_count` };
    }
  }
}

/** One line of a metric. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}
