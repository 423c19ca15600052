/** A line that is added or removed, with its number in the new or the old text. */
interface LineChange {
  readonly sign: '+' | '-';
  readonly number: number;
  readonly text: string;
}

/** Lines of an old list from `from` to `to`, exclusive, and the lines of a new list in their place: `start` to `end`. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** The lines that an edit of a text removes and adds, in their order; lines without text are left out. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changesOf = ({ from, to, start, end }: Hunk): LineChange[] => [
    ...old.slice(from, to).map((text, i): LineChange => ({ sign: '-', number: from + i + 1, text })),
    ...now.slice(start, end).map((text, i): LineChange => ({ sign: '+', number: start + i + 1, text })),
  ];
  return hunksOf(old, now)
    .flatMap(changesOf)
    .filter(({ text }) => text.trim() !== '');
}

/** The differences between two lists of lines, with equal lines between one and the next. */
export function hunksOf(old: readonly string[], now: readonly string[]): Hunk[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const pairs = equalPairs(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const hunks: Hunk[] = [];
  let [i, j] = [start, start];
  for (const [x, y] of [
    ...pairs.map(([x, y]) => [start + x, start + y] as const),
    [old.length - end, now.length - end],
  ]) {
    if (i < x || j < y) hunks.push({ from: i, to: x, start: j, end: y });
    [i, j] = [x + 1, y + 1];
  }
  return hunks;
}

/** Lists with more differing lines are not compared line by line: time and memory grow with the square. */
const MOST_CHANGES = 2000;

/** The places of equal lines in two lists, in order, by the greedy algorithm of Myers (1986); none if too many lines differ. */
function equalPairs(a: readonly string[], b: readonly string[]): Array<readonly [number, number]> {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  const middle = most + 1;
  // The furthest place in `a` on each diagonal, and before each number of changes the part of it that matters.
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let changes = 0; changes <= most; changes++) {
    trace.push(furthest.slice(middle - changes - 1, middle + changes + 2));
    for (let k = -changes; k <= changes; k += 2) {
      const isDown = goesDown(k, changes, furthest, middle);
      let x = isDown ? furthest[middle + k + 1]! : furthest[middle + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return tracedBack(trace, a.length, b.length);
    }
  }
  return [];
}

/** Whether the furthest path on a diagonal adds a line of `b`; otherwise it removes a line of `a`. */
const goesDown = (k: number, changes: number, furthest: Int32Array, middle: number): boolean =>
  k === -changes || (k !== changes && furthest[middle + k - 1]! < furthest[middle + k + 1]!);

function tracedBack(trace: readonly Int32Array[], n: number, m: number): Array<readonly [number, number]> {
  const pairs: Array<readonly [number, number]> = [];
  let [x, y] = [n, m];
  for (let changes = trace.length - 1; changes >= 0; changes--) {
    const furthest = trace[changes]!;
    const k = x - y;
    const before = goesDown(k, changes, furthest, changes + 1) ? k + 1 : k - 1;
    const from = changes === 0 ? 0 : furthest[before + changes + 1]!;
    while (x > from && y > from - before && x > 0 && y > 0) pairs.push([--x, --y]);
    [x, y] = [from, from - before];
  }
  return pairs.reverse();
}
