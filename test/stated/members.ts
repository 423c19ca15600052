/** A member that an object may have: under this name, in this place. */
export interface Expected {
  readonly name: string;
  /** True where it may be absent. */
  readonly optional: boolean;
  readonly judge: (value: unknown, at: string) => Iterable<string>;
}

/** What an object isn't that its members say: no others, in their order, none missing; absent ones as the document has it. */
export function* memberFaults(
  value: unknown,
  expected: readonly Expected[],
  missing: 'left out' | 'null',
  at: string,
): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return yield `${at || 'the body'} is no object: ${JSON.stringify(value)}`;
  const names = expected.map((one) => one.name);
  const keys = Object.keys(value);
  for (const key of keys) if (!names.includes(key)) yield `${at}/${key}, which nothing shows`;
  const order = keys.map((key) => names.indexOf(key)).filter((i) => i >= 0);
  if (order.some((i, n) => n > 0 && i < order[n - 1]!)) yield `${at || 'the body'} has its members in another order`;
  for (const { name, optional, judge } of expected) {
    const one = (value as Record<string, unknown>)[name];
    const place = `${at}/${name}`;
    if (one === undefined) {
      if (!optional || missing === 'null') yield `${place} is missing`;
    } else if (one === null) {
      if (!optional || missing === 'left out') yield `${place} is null`;
    } else yield* judge(one, place);
  }
}
