/** Adds a value to the list of a key, in place: a list that is copied for each value takes a time that grows with its square. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const list = groups.get(key);
  if (list) list.push(value);
  else groups.set(key, [value]);
}
