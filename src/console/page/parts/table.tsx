import type { ComponentChildren } from 'preact';

/** What stands above a column: text, numbers to the right, or words that only a screen reader says; null for no column. */
type Heading = string | { readonly right: string } | { readonly unseen: string } | null;

interface TableProps {
  /** What the table holds, for those who don’t see what stands around it. */
  readonly caption: string;
  /** The id of the heading that names it; without one the caption does. */
  readonly labelledBy?: string;
  readonly kind?: string;
  readonly headings: readonly Heading[];
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways where it is too wide, by keyboard too. */
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
