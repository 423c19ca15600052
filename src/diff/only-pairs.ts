/**
 * Pairs removed with added items that are the same under another name: each has the same `alike` key, and neither side
 * has a second item with that key. A null key matches nothing.
 */
export function onlyPairs<T>(
  gone: readonly T[],
  come: readonly T[],
  alike: (one: T) => string | null,
): Array<readonly [was: T, is: T]> {
  return gone.flatMap((was) => {
    const key = alike(was);
    const those = (list: readonly T[]): T[] => list.filter((one) => alike(one) === key);
    const [[is, ...others], rivals] = [those(come), those(gone)];
    const isOnly = key !== null && is !== undefined && others.length === 0 && rivals.length === 1;
    return isOnly ? [[was, is] as const] : [];
  });
}
