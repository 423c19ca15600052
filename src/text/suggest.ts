/**
 * The edit distance between two words (insert, delete, replace, swap of neighbours: optimal string alignment).
 * Gives up past `limit` and then returns `limit + 1`.
 */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j - 1]! + 1, previous[j]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}

/** The longest word for which a suggestion is searched. */
const LONGEST = 200;

/**
 * Returns the most candidates that are compared for one more suggestion, by the number of findings so far: documents
 * with few findings get full searches, and one with a hundred thousand misspelt names costs no more than its size.
 */
export const patience = (findings: number): number => Math.max(20, Math.floor(200_000 / (findings + 1)));

/** The candidate nearest to `word`, or null when none is within reach (about a third of its letters). */
export function nearest(word: string, candidates: Iterable<string>, most = Number.POSITIVE_INFINITY): string | null {
  if (word.length > LONGEST) return null;
  let limit = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  const lower = word.toLowerCase();
  let best: string | null = null;
  let left = most;
  for (const candidate of candidates) {
    if (left-- <= 0) break;
    if (Math.abs(candidate.length - lower.length) > limit) continue;
    const other = candidate.toLowerCase();
    const d = other === lower ? 0 : distance(lower, other, limit);
    if (d > limit) continue;
    best = candidate;
    if (d === 0) break;
    // Only a nearer one takes its place.
    limit = d - 1;
  }
  return best;
}

/** How many names a message lists. */
const MOST_LISTED = 20;

/** Some names for a message. Only the listed names are read, since there may be very many. */
export function listed(names: Iterable<string>): string {
  const out: string[] = [];
  for (const name of names) {
    if (out.length === MOST_LISTED) return `${out.join(', ')}, and others`;
    out.push(name);
  }
  return out.join(', ');
}

/**
 * Returns, for the message about an undeclared name, the declared name that was probably meant and a list of some
 * others.
 */
export function suggested(
  word: string,
  candidates: Iterable<string>,
  most: number,
): { nearest: string; known: string } {
  const rest = candidates[Symbol.iterator]();
  const first: string[] = [];
  while (first.length <= MOST_LISTED) {
    const next = rest.next();
    if (next.done) break;
    // A name that two things have is listed once.
    if (!first.includes(next.value)) first.push(next.value);
  }
  const all = chain(first, { [Symbol.iterator]: () => rest });
  return { nearest: nearest(word, all, most) ?? '', known: listed(first) };
}

/** Yields the items of several lists, one list after another. */
export function* chain<T>(...lists: Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}
