const WHITE = /\p{White_Space}/u;

/** Text without white space at its ends, as orders.md has it trimmed: `String.prototype.trim` knows other characters. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && WHITE.test(text.charAt(from))) from++;
  while (to > from && WHITE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
