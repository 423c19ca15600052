/** The largest number of cached results. */
const MOST = 500;

/** Adds a cache of results to a function whose result depends on the text alone. */
export function memo<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MOST) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
