import { counted } from '../parts/words.ts';
import type { ListColumn } from './window.tsx';

/** The rows of a list that are selected, by their keys. */
export interface Marks {
  readonly selected: ReadonlySet<string>;
  readonly select: (keys: ReadonlySet<string>) => void;
}

/** How the first rows of a list are selected at once. */
interface MarksOfAll {
  /** The number of rows that are selected at once. */
  readonly count: number;
  /** Whether these are all rows of the list. */
  readonly whole: boolean;
  readonly selectAll: () => void;
}

/** The column in which rows are selected; a row without a key can’t be. */
export function markColumn<R>(
  { selected, select }: Marks,
  keyOf: (row: R) => string | null,
  all: MarksOfAll | null = null,
): ListColumn<R> {
  const toggle = (key: string): void => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    select(next);
  };
  return {
    key: ' selected',
    title: all ? (
      <input
        type="checkbox"
        aria-label={`Select ${all.whole ? 'all' : 'the first'} ${counted(all.count, 'row')}`}
        checked={selected.size > 0 && selected.size >= all.count}
        onChange={() => (selected.size >= all.count ? select(new Set()) : all.selectAll())}
      />
    ) : (
      <span class="unseen">Selected</span>
    ),
    width: 'w0',
    leads: true,
    cell: (row) => {
      const key = keyOf(row);
      if (key === null) return '';
      return (
        <input type="checkbox" aria-label={`Select ${key}`} checked={selected.has(key)} onChange={() => toggle(key)} />
      );
    },
  };
}
