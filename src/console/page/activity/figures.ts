import type { Activity, EndpointActivity } from '../../protocol.ts';

/** The activity between two messages of the live stream. */
interface Rate {
  readonly requests: number;
  /** The median and the 95th percentile of response times, in milliseconds; null without responses. */
  readonly median: number | null;
  readonly slow: number | null;
}

/** The rates between successive messages. */
export function ratesOf(messages: readonly Activity[], buckets: readonly number[]): readonly Rate[] {
  return messages.slice(1).flatMap((now, i): Rate[] => {
    const before = messages[i];
    if (before === undefined) return [];
    const seconds = Math.max((Date.parse(now.at) - Date.parse(before.at)) / 1000, 0.001);
    const timings = minus(timingsOf(now), timingsOf(before));
    return [
      {
        requests: sum(timings) / seconds,
        median: quantile(timings, buckets, 0.5),
        slow: quantile(timings, buckets, 0.95),
      },
    ];
  });
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const minus = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((one, i) => Math.max(one - (b[i] ?? 0), 0));

function timingsOf({ requests }: Activity): readonly number[] {
  const longest = Math.max(0, ...requests.map((one) => one.took.length));
  return Array.from({ length: longest }, (_, i) => sum(requests.map((one) => one.took[i] ?? 0)));
}

/** The number of responses with a status of a class. */
export function classOf({ statuses }: EndpointActivity, first: string): number {
  return sum(Object.entries(statuses).flatMap(([status, count]) => (status.startsWith(first) ? [count] : [])));
}

/** A quantile of response times, in milliseconds, interpolated within its bucket. */
export function quantile(took: readonly number[], buckets: readonly number[], share: number): number | null {
  const all = sum(took);
  if (all === 0) return null;
  let before = 0;
  for (const [i, count] of took.entries()) {
    if (before + count >= share * all && count > 0) {
      const from = buckets[i - 1] ?? 0;
      const to = buckets[i] ?? buckets.at(-1) ?? 0;
      return (from + (to - from) * ((share * all - before) / count)) * 1000;
    }
    before += count;
  }
  return null;
}
