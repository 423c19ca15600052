/** The keys of an object that has no others than its type says, such as a constant: TypeScript knows them only as texts. */
export const keysOf = <T extends object>(object: T): Array<keyof T & string> =>
  Object.keys(object) as Array<keyof T & string>;
