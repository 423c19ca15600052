/** Adds a value to the list of a key, in place: copying the list for each value would take quadratic time. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const list = groups.get(key);
  if (list) list.push(value);
  else groups.set(key, [value]);
}
