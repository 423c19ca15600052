/**
 * Returns the keys of an object that has only the members of its type, such as a constant; `Object.keys` types them as
 * strings.
 */
export const keysOf = <T extends object>(object: T): Array<keyof T & string> =>
  Object.keys(object) as Array<keyof T & string>;
