/** What one part of a gate came to. */
export interface Figure {
  readonly what: string;
  readonly figure: string;
  readonly held: boolean;
}

/** How a gate is run. */
export interface Asked {
  /** Whole, however long that takes; otherwise samples. */
  readonly long: boolean;
  /** Tells whoever waits how far it is. */
  readonly say: (line: string) => void;
}

/** Something that happens to a service from outside, and what has to hold meanwhile and afterwards. */
export interface Gate {
  readonly name: string;
  readonly about: string;
  /** What has to be there and isn't, and how to get it; null where the gate can be run. */
  readonly lacks: () => string | null;
  readonly run: (asked: Asked) => AsyncIterable<Figure>;
}

/** At most so many of a row of numbers from 1, evenly spread, with the first and the last. */
export function spread(last: number, most: number): number[] {
  if (last <= most) return Array.from({ length: Math.max(0, last) }, (_, i) => i + 1);
  return Array.from({ length: most }, (_, i) => 1 + Math.round((i * (last - 1)) / Math.max(1, most - 1)));
}

/** A list of what went wrong, short enough for a table; what all the same complaints have in common is told once. */
export function complaints(all: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => (count > 1 ? `${one} (${count} times)` : one)).join('; ');
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 300);
}

/** The value below which so great a share of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
