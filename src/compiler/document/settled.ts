/** A statement whose optional members `K` are present. */
type Stated<T, K extends keyof T> = T & { readonly [M in K]: NonNullable<T[M]> };

/** Returns the statement with these members typed as present; undefined if one of them is null. */
export function withStated<T extends object, K extends keyof T>(
  said: T,
  ...members: readonly K[]
): Stated<T, K> | undefined {
  return members.every((member) => said[member] !== null) ? (said as Stated<T, K>) : undefined;
}

/** The object, if no member is undefined; else undefined. In a plan, undefined means “not settled” and nothing else. */
export function settled<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T | undefined {
  return Object.values(members).includes(undefined) ? undefined : (members as T);
}

/** The list, if every item is settled; else undefined. */
export function settledList<T>(list: readonly (T | undefined)[]): T[] | undefined {
  const known = list.filter((one) => one !== undefined);
  return known.length === list.length ? known : undefined;
}

/**
 * The value, which checking must have settled. An unsettled value without a finding is a defect of the compiler, which
 * then throws: an incomplete plan must not run.
 */
export function mustBeSettled<T>(one: T | undefined, what: string): T {
  if (one === undefined) throw new Error(`${what} is not settled, and no finding says so`);
  return one;
}
