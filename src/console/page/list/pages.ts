import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, get } from '../app/api.ts';
import { useApp } from '../app/app.ts';

/** The number of rows of one request. */
const PAGE = 100;
/** The number of cached pages; older ones are loaded again. */
const KEPT = 60;

/** A long list that is loaded page by page. */
export interface Pages<R> {
  /** The number of rows; null until the first page arrives. */
  readonly total: number | null;
  /** Whether the previous list is still shown. */
  readonly stale: boolean;
  readonly error: ApiError | null;
  /** The row at an index; undefined until it is loaded. */
  readonly at: (index: number) => R | undefined;
  /** Loads the missing rows of a range. */
  readonly need: (first: number, last: number) => void;
  /** Reloads the visible rows, and shows the old ones meanwhile. */
  readonly again: () => void;
  /** The time of which the list shows the rows: rows that were loaded on scrolling are newer. */
  readonly read: Date;
}

/** One page of a list, as an answer contains it. */
interface Part<R> {
  readonly total: number;
  readonly rows: readonly R[];
}

/** The loaded pages of one list. */
class Parts<R> {
  readonly pages = new Map<number, readonly R[]>();
  readonly asked = new Set<number>();
  readonly abort = new AbortController();
  total: number | null = null;
  read = new Date();
  /** Whether all shown rows are loaded anew. */
  renewed = true;
}

/** Loads the list at a path, page by page. Another path is another list. */
export function usePages<A, R>(path: string, partOf: (answer: A) => Part<R>): Pages<R> {
  const { ended, service } = useApp();
  const [, setTimes] = useState(0);
  const [error, setError] = useState<ApiError | null>(null);
  const parts = useMemo(() => new Parts<R>(), [path, service]);
  const before = useRef<Parts<R> | null>(null);
  const seen = useRef<readonly [number, number]>([0, 0]);
  const load = (page: number): void => {
    parts.asked.add(page);
    const begun = new Date();
    const query = `${path.includes('?') ? '&' : '?'}offset=${page * PAGE}&limit=${PAGE}`;
    get<A>(path + query, parts.abort.signal).then(
      (answer) => {
        const { total, rows } = partOf(answer);
        parts.total = total;
        if (parts.renewed) parts.read = begun;
        parts.renewed = false;
        parts.pages.delete(page);
        parts.pages.set(page, rows);
        for (const old of [...parts.pages.keys()].slice(0, -KEPT)) {
          parts.pages.delete(old);
          parts.asked.delete(old);
        }
        setError(null);
        setTimes((before) => before + 1);
      },
      (failure: unknown) => {
        parts.asked.delete(page);
        if (parts.abort.signal.aborted || !(failure instanceof ApiError)) return;
        if (failure.problem.kind === 'no session') ended(failure.message);
        else setError(failure);
      },
    );
  };
  const need = (first: number, last: number): void => {
    seen.current = [first, last];
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(last, first) / PAGE); page++)
      if (!parts.asked.has(page)) load(page);
  };
  const again = (): void => {
    parts.renewed = true;
    const [first, last] = seen.current;
    const [from, to] = [Math.floor(first / PAGE), Math.floor(last / PAGE)];
    for (const page of [...parts.asked]) {
      if (page >= from && page <= to) load(page);
      else {
        parts.asked.delete(page);
        parts.pages.delete(page);
      }
    }
    if (!parts.asked.has(from)) load(from);
  };
  useEffect(() => {
    setError(null);
    seen.current = [0, 0];
    need(0, 0);
    return () => parts.abort.abort();
  }, [parts]);
  // The previous list stays visible until the first page of the new one arrives.
  if (parts.total !== null) before.current = parts;
  const shown = parts.total === null ? (before.current ?? parts) : parts;
  const at = (index: number): R | undefined => shown.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  return { total: shown.total, stale: shown !== parts, error, at, need, again, read: shown.read };
}
