import type { ListColumn } from './window.tsx';

/** The rows of a list that are selected, by their keys. */
export interface Marks {
  readonly selected: ReadonlySet<string>;
  readonly select: (keys: ReadonlySet<string>) => void;
}

/** The column in which rows are selected; a row without a key can’t be. */
export function markColumn<R>({ selected, select }: Marks, keyOf: (row: R) => string | null): ListColumn<R> {
  const toggle = (key: string): void => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    select(next);
  };
  return {
    key: ' selected',
    title: <span class="unseen">Selected</span>,
    width: 'w0',
    cell: (row) => {
      const key = keyOf(row);
      if (key === null) return '';
      return (
        <input type="checkbox" aria-label={`Select ${key}`} checked={selected.has(key)} onChange={() => toggle(key)} />
      );
    },
  };
}
