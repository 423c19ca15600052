import type { ComponentChildren } from 'preact';

/**
 * The heading of a column: text, a right-aligned one for numbers, or one for screen readers only; null omits the
 * column.
 */
type Heading = string | { readonly right: string } | { readonly unseen: string } | null;

interface TableProps {
  /** The accessible name of the table. */
  readonly caption: string;
  /** The id of the heading that names the table; the default is the caption. */
  readonly labelledBy?: string;
  readonly kind?: string;
  readonly headings: readonly Heading[];
  readonly children: ComponentChildren;
}

/** A table that scrolls horizontally if it is too wide, also with the keyboard. */
export function Table({ caption, labelledBy, kind, headings, children }: TableProps) {
  const name = labelledBy === undefined ? { 'aria-label': caption } : { 'aria-labelledby': labelledBy };
  return (
    <div class="wide" tabIndex={0} role="group" {...name}>
      <table class={kind}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>{headings.map((one) => one !== null && headingCell(one))}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function headingCell(heading: Exclude<Heading, null>) {
  if (typeof heading === 'string') return <th scope="col">{heading}</th>;
  if ('right' in heading)
    return (
      <th scope="col" class="right">
        {heading.right}
      </th>
    );
  return (
    <th scope="col">
      <span class="unseen">{heading.unseen}</span>
    </th>
  );
}
