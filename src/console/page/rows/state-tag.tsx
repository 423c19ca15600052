/** The state of a row. */
export function StateTag({ state }: { readonly state: string }) {
  return <span class="tag accent">{state}</span>;
}
