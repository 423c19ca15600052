/** Something of which some members are stated, which a document need not say. */
type Stated<T, K extends keyof T> = T & { readonly [M in K]: NonNullable<T[M]> };

/** The same, as something that states these members; undefined where one of them is unsaid. */
export function withStated<T extends object, K extends keyof T>(
  said: T,
  ...members: readonly K[]
): Stated<T, K> | undefined {
  return members.every((member) => said[member] !== null) ? (said as Stated<T, K>) : undefined;
}

/** Something all of whose members are settled; undefined where one of them isn't. Nothing of a plan is undefined otherwise. */
export function settled<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T | undefined {
  return Object.values(members).includes(undefined) ? undefined : (members as T);
}

/** All of a list; undefined where one of it isn't settled. */
export function settledList<T>(list: readonly (T | undefined)[]): T[] | undefined {
  const known = list.filter((one) => one !== undefined);
  return known.length === list.length ? known : undefined;
}

/**
 * What checking has settled. That it hasn't, though no finding stands in the way, is a defect of the compiler: nothing may
 * run of which something is missing.
 */
export function mustBeSettled<T>(one: T | undefined, what: string): T {
  if (one === undefined) throw new Error(`${what} is not settled, and no finding says so`);
  return one;
}
