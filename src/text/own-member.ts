/**
 * The member of a plain object by a name that comes from outside, such as a document’s or a request’s: what every object
 * inherits (`constructor`, `toString` …) is no member of it. Nothing from outside is looked up in another way.
 */
export function ownMember<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether a value is an object as JSON has them: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
