/**
 * Returns the length of the longest text; 0 without texts. There may be any number: a call of `Math.max` takes only so
 * many.
 */
export function longest(texts: Iterable<string>, lengthOf: (text: string) => number = (text) => text.length): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, lengthOf(text));
  return most;
}
