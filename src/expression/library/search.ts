/**
 * The greatest length at which a string is compared anew at each place. For a longer string, this would take too long.
 */
const SHORT = 32;

/**
 * The first index of a string in another, at or after `from`; -1 if there is none. The time is linear in the sum of
 * both lengths.
 */
export function placeOf(text: string, part: string, from = 0): number {
  if (part.length <= SHORT) return text.indexOf(part, from);
  return search(
    text.length - from,
    part.length,
    (i) => text.charCodeAt(from + i),
    (i) => part.charCodeAt(i),
    from,
  );
}

/** The last index of a string in another, at or before `most`. */
export function lastPlaceOf(text: string, part: string, most = text.length): number {
  if (part.length <= SHORT) return text.lastIndexOf(part, most);
  const end = Math.min(text.length, most + part.length);
  const last = part.length - 1;
  const back = search(
    end,
    part.length,
    (i) => text.charCodeAt(end - 1 - i),
    (i) => part.charCodeAt(last - i),
    0,
  );
  return back < 0 ? -1 : end - back - part.length;
}

/** The parts of a string between the occurrences of another. */
export function partsOf(text: string, by: string): string[] {
  if (by.length <= SHORT) return text.split(by);
  const parts: string[] = [];
  let from = 0;
  for (let at = placeOf(text, by); at >= 0; at = placeOf(text, by, from)) {
    parts.push(text.slice(from, at));
    from = at + by.length;
  }
  return [...parts, text.slice(from)];
}

type Unit = (place: number) => number;

/** The algorithm of Knuth, Morris and Pratt, which compares nothing twice. */
function search(length: number, size: number, text: Unit, part: Unit, from: number): number {
  const borders = new Int32Array(size);
  for (let i = 1, k = 0; i < size; i++) {
    while (k > 0 && part(i) !== part(k)) k = borders[k - 1]!;
    if (part(i) === part(k)) k++;
    borders[i] = k;
  }
  for (let i = 0, k = 0; i < length; i++) {
    const unit = text(i);
    while (k > 0 && unit !== part(k)) k = borders[k - 1]!;
    if (unit === part(k)) k++;
    if (k === size) return from + i - size + 1;
  }
  return -1;
}
