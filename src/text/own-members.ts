/**
 * Returns the member of a plain object by a name from outside, such as a document's or a request's. Inherited members
 * (`constructor`, `toString` …) don't count. All names from outside are looked up by this function.
 */
export function ownMember<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether a value is an object as JSON has them: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the keys of an object that has only the members of its type, such as a constant; `Object.keys` types them as
 * strings.
 */
export const keysOf = <T extends object>(object: T): Array<keyof T & string> =>
  Object.keys(object) as Array<keyof T & string>;
