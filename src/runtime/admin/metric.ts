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

/** The media type of what `expose` writes: the text format of Prometheus, version 0.0.4. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the text format of Prometheus. */
export function expose(metrics: readonly Metric[]): string {
  let text = '';
  for (const { name, type, help, values } of metrics) {
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    for (const value of values()) text += lineOf(name, value);
  }
  return text;
}

function lineOf(name: string, { labels, value, suffix = '' }: Value): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length ? `{${pairs.join(',')}}` : ''} ${numberOf(value)}\n`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const numberOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
