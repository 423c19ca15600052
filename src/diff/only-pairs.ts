/**
 * What is gone beside what is new and says the same of itself, where there is one such on either side: one thing, by another
 * name. `alike` gives what they say; null of what says nothing.
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
