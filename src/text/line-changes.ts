/** A line that is added or removed, with its number in the new or the old text. */
interface LineChange {
  readonly sign: '+' | '-';
  readonly number: number;
  readonly text: string;
}

/** Beyond so many pairs of lines, the lines are not compared one by one. */
const MOST_PAIRS = 250_000;

/** The lines that an edit of a text removes and adds, in their order; lines without text are left out. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const common = commonLengths(removed, added);
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < removed.length || j < added.length)
    if (i < removed.length && j < added.length && removed[i] === added[j]) {
      i++;
      j++;
    } else if (j < added.length && (i === removed.length || common(i, j + 1) > common(i + 1, j))) {
      changes.push({ sign: '+', number: start + j + 1, text: added[j++]! });
    } else {
      changes.push({ sign: '-', number: start + i + 1, text: removed[i++]! });
    }
  return changes.filter(({ text }) => text.trim() !== '');
}

/** How many lines two lists have in common, in order, from two places on. */
function commonLengths(a: readonly string[], b: readonly string[]): (i: number, j: number) => number {
  if (a.length * b.length > MOST_PAIRS) return () => 0;
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  return (i, j) => table[i * width + j]!;
}
