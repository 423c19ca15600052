/** Returns the element with a name that the plan refers to. */
export function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (!found) throw new Error(`The plan has no ${name}`);
  return found;
}
