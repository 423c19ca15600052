/** The handler of the places: says what it has heard. */
export function echo({ said }: { readonly said: boolean }): { heard: boolean } {
  return { heard: said };
}
