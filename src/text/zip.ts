/** Pairs the members at equal indexes of two lists, up to the end of the shorter one. */
export function* zip<A, B>(left: Iterable<A>, right: Iterable<B>): Generator<readonly [A, B]> {
  const others = right[Symbol.iterator]();
  for (const one of left) {
    const other = others.next();
    if (other.done) return;
    yield [one, other.value];
  }
}
