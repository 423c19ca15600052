import { shortInstant } from './words.ts';

/** An instant in a short form, with the full one for those who point at it; a dash where there is none. */
export function Instant({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="absent">–</span>;
  return (
    <time dateTime={at} title={at} class="number">
      {shortInstant(at)}
    </time>
  );
}
