/** One value of a metric. */
export interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The suffix of the metric's name for one of its kinds of values: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** A metric, as Prometheus defines it. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  values(): readonly Value[];
}

/** A metric of one value, or of a value for each of some labels. */
export function metricOf(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  values: number | ReadonlyArray<readonly [labels: Value['labels'], value: number]>,
): Metric {
  const all: Value[] =
    typeof values === 'number' ? [{ labels: {}, value: values }] : values.map(([labels, value]) => ({ labels, value }));
  return { name, type, help, values: () => all };
}

/**
 * Returns the cumulative values of a histogram: each bucket counts durations up to its limit. The last of `counts`
 * counts those beyond all buckets.
 */
export function* histogramOf(
  buckets: readonly number[],
  counts: readonly number[],
  seconds: number,
  labels: Value['labels'] = {},
): Generator<Value> {
  let value = 0;
  for (const [i, count] of counts.entries()) {
    value += count;
    yield { labels: { le: String(buckets[i] ?? '+Inf'), ...labels }, value, suffix: '_bucket' };
  }
  yield { labels, value: seconds, suffix: '_sum' };
  yield { labels, value, suffix: '_count' };
}
