/** How long the longest of some texts is; 0 of none. However many they are: a call takes only so many arguments. */
export function longest(texts: Iterable<string>, lengthOf: (text: string) => number = (text) => text.length): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, lengthOf(text));
  return most;
}
