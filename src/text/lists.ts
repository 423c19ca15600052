/** Adds a value to the list of a key, in place: copying the list for each value would take quadratic time. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const list = groups.get(key);
  if (list) list.push(value);
  else groups.set(key, [value]);
}

/** The value of a key, which is made where there is none. */
export function getOrMake<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Pairs the members at equal indexes of two lists, up to the end of the shorter one. */
export function* zip<A, B>(left: Iterable<A>, right: Iterable<B>): Generator<readonly [A, B]> {
  const others = right[Symbol.iterator]();
  for (const one of left) {
    const other = others.next();
    if (other.done) return;
    yield [one, other.value];
  }
}

/**
 * Returns the length of the longest text; 0 without texts. There may be any number: a call of `Math.max` takes only so
 * many.
 */
export function longest(texts: Iterable<string>, lengthOf: (text: string) => number = (text) => text.length): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, lengthOf(text));
  return most;
}

/** Joins words as English does: `a`, `a or b`, `a, b or c`. */
export function orText(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
