import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Failure, Loading } from '../parts/page-parts.tsx';
import { counted } from '../parts/words.ts';
import type { Pages } from './pages.ts';

/** The height of a row, as in the styles of `.window`. */
const ROW = 34;
/** The number of rows that are rendered above and below the visible ones. */
const AROUND = 8;
/** The number of further rows that are loaded in advance. */
const AHEAD = 40;
const REST_MS = 100;
/** The most rows that are shown without scrolling. */
const SHORT = 12;

export interface ListColumn<R> {
  readonly key: string;
  readonly title: ComponentChildren;
  /** The CSS class that sets the width of the column: `w0` to `w4`, or `acts`. */
  readonly width: string;
  readonly right?: boolean;
  /** Whether the column, which says whose row it is, sticks to the left edge. */
  readonly leads?: boolean;
  /** Whether the column, with the actions of a row, sticks to the right edge. */
  readonly stays?: boolean;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  readonly cell: (row: R) => ComponentChildren;
}

interface Props<R> {
  readonly caption: string;
  readonly noun: string;
  readonly pages: Pages<R>;
  readonly columns: readonly ListColumn<R>[];
  readonly keyOf: (row: R) => string;
  /** The content that replaces an empty list. */
  readonly empty: ComponentChildren;
  /** The key of the list; another list begins at its top. */
  readonly list: string;
  /** Content beside the number of rows. */
  readonly head?: ComponentChildren;
}

/** A list of any length that renders only the visible rows. */
export function List<R>(props: Props<R>) {
  const { caption, noun, pages, empty, head } = props;
  if (pages.total === null)
    return pages.error ? <Failure error={pages.error} again={pages.again} /> : <Loading what={noun} />;
  return (
    <>
      {pages.error && <Failure error={pages.error} again={pages.again} />}
      <div class="list-head">
        {pages.total > 0 && <p>{counted(pages.total, noun)}</p>}
        {head}
      </div>
      {pages.total === 0 ? empty : <Window key={caption} {...props} total={pages.total} />}
    </>
  );
}

type Range = readonly [first: number, last: number];

/** The range of visible rows, with some rows around it. */
function useSeen(
  box: { readonly current: HTMLElement | null },
  list: string,
): readonly [seen: Range, look: () => void] {
  const [seen, setSeen] = useState<Range>([0, 30]);
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / ROW) - AROUND);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / ROW) + AROUND;
    setSeen((before) => (before[0] === from && before[1] === to ? before : [from, to]));
  };
  useLayoutEffect(() => {
    box.current?.scrollTo(0, 0);
    look();
  }, [list]);
  useEffect(() => {
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  return [seen, look];
}

/** Loads the visible rows. */
function useNeeded<R>(pages: Pages<R>, [first, last]: Range, total: number): void {
  const end = Math.min(last, total);
  useEffect(() => {
    const begin = Math.max(Math.min(first, end - 1), 0);
    const ask = (): void => pages.need(Math.max(begin - AHEAD, 0), Math.min(end + AHEAD, total) - 1);
    // Adjacent rows are loaded at once. After a jump of the scroll bar, loading waits until it rests.
    const near = pages.at(begin) !== undefined || pages.at(end - 1) !== undefined;
    const timer = setTimeout(ask, near ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [first, end, total]);
}

function Window<R>({ caption, pages, columns, keyOf, list, total }: Props<R> & { readonly total: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, look] = useSeen(box, list);
  useNeeded(pages, seen, total);
  const end = Math.min(seen[1], total);
  const begin = Math.min(seen[0], end);
  const frame = `window${total <= SHORT ? ' short' : ''}`;
  return (
    <div class={frame} ref={box} onScroll={look} tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={total + 1} aria-busy={pages.stale}>
        <caption class="unseen">{caption}</caption>
        <Columns columns={columns} />
        <tbody>
          <Gap height={begin * ROW} wide={columns.length} />
          {Array.from({ length: end - begin }, (_, i) => begin + i).map((index) => {
            const row = pages.at(index);
            // The key keeps the component of a row, with its open dialog, when other rows come before it.
            const key = row === undefined ? index : keyOf(row);
            return <Row key={key} index={index} row={row} columns={columns} keyOf={keyOf} />;
          })}
          <Gap height={(total - end) * ROW} wide={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Columns<R>({ columns }: { readonly columns: readonly ListColumn<R>[] }) {
  return (
    <>
      <colgroup>
        {columns.map((one) => (
          <col key={one.key} class={one.width} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((one) => (
            <th key={one.key} scope="col" class={classOf(one)} aria-sort={one.sorted}>
              {one.title}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

type Placed = Pick<ListColumn<unknown>, 'right' | 'leads' | 'stays'>;

const classOf = ({ right, leads, stays }: Placed): string | undefined =>
  [right && 'right', leads && 'leads', stays && 'stays'].filter(Boolean).join(' ') || undefined;

/** A gap of the height of the omitted rows, so that the scroll bar keeps its position. */
function Gap({ height, wide }: { readonly height: number; readonly wide: number }) {
  if (height <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true" style={{ height: `${height}px` }}>
      <td colSpan={wide} style={{ height: `${height}px` }} />
    </tr>
  );
}

interface RowProps<R> {
  readonly index: number;
  readonly row: R | undefined;
  readonly columns: readonly ListColumn<R>[];
  readonly keyOf: (row: R) => string;
}

function Row<R>({ index, row, columns, keyOf }: RowProps<R>) {
  if (row === undefined)
    return (
      <tr aria-rowindex={index + 2} aria-busy="true">
        <td colSpan={columns.length} class="muted">
          …
        </td>
      </tr>
    );
  return (
    <tr class="pick" aria-rowindex={index + 2} data-key={keyOf(row)}>
      {columns.map((one, i) =>
        i === 0 ? (
          <th key={one.key} scope="row" class={classOf(one)}>
            {one.cell(row)}
          </th>
        ) : (
          <td key={one.key} class={classOf(one)}>
            {one.cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}
