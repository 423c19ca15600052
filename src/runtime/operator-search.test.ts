import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../expression/values/value.ts';
import { PAUSE, type Statement } from '../store/store.ts';
import { countInPieces, searchInPieces } from './operator-search.ts';

const named = (name: string): Statement =>
  ({ spec: { kind: 'system', name: 'read meta' }, parameters: [], name }) as never;

/** Rows with ids from 1, of which some match, in a descending order. */
interface Table {
  readonly rows: number;
  readonly isMatching?: (id: number) => boolean;
  /** Called with the number of listed rows at which a statement looks. */
  readonly looked?: (rows: number) => void;
  readonly signal?: AbortSignal;
}

/** Runs a search, and counts its pauses. */
function search({ rows, isMatching, looked, signal }: Table, offset: number, limit: number) {
  const [ids, matching, ordered] = [named('ids'), named('matching'), named('ordered')];
  const [whole, first] = [named('rows'), named('first')];
  const answer = (statement: unknown, args: readonly unknown[]): Row[] => {
    if (statement === ids) {
      const [after, most] = args as [number, number];
      const from = Math.max(after, 0) + 1;
      return Array.from({ length: Math.max(0, Math.min(most, rows - from + 1)) }, (_, i) => [from + i]);
    }
    if (statement === first) {
      const [after, count, most] = args as [number, number, number];
      looked?.(count);
      return Array.from({ length: count }, (_, i) => [null, Math.max(after, 0) + count - i]).slice(0, most);
    }
    const listed = JSON.parse(args.at(-2) as string) as number[];
    looked?.(listed.length);
    if (statement === matching) return listed.filter(isMatching!).map((id) => [null, id]);
    return listed
      .toSorted((a, b) => b - a)
      .slice(0, args.at(-1) as number)
      .map((id) => [`row ${id}`, id]);
  };
  const program = searchInPieces(
    { ids, matching: isMatching ? { statement: matching, values: ['x'] } : null, ordered, rows: whole, first },
    { offset, limit },
    signal,
  );
  let pauses = 0;
  for (let step = program.next(); ; ) {
    if (step.done) return { ...step.value, pauses };
    if (step.value === PAUSE) pauses++;
    step = program.next(step.value === PAUSE ? [] : answer(...(step.value as unknown as [unknown, unknown[]])));
  }
}

test('a search in pieces gives the part of the order that is asked for, and counts all', () => {
  for (const rows of [0, 1, 1999, 2000, 2001, 9000])
    for (const every of [1, 7, 5000])
      for (const [offset, limit] of [
        [0, 3],
        [2, 5],
        [2500, 100],
      ] as const) {
        const isMatching = (id: number): boolean => id % every === 0;
        const all = Array.from({ length: rows }, (_, i) => rows - i).filter(isMatching);
        const found = search({ rows, isMatching }, offset, limit);
        assert.equal(found.total, all.length);
        assert.deepEqual(
          found.rows,
          all.slice(offset, offset + limit).map((id) => [`row ${id}`]),
          `${rows} rows, every ${every}, from ${offset}`,
        );
        assert.ok(found.pauses >= Math.floor(rows / 2000));
      }
});

test('the first rows of a long list are found in parts of the table', () => {
  for (const rows of [0, 63, 64, 65, 5000, 100_000])
    for (const [offset, limit] of [
      [0, 100],
      [700, 200],
    ] as const) {
      let most = 0;
      const looked = (count: number): void => {
        most = Math.max(most, count);
      };
      const found = search({ rows, looked }, offset, limit);
      const all = Array.from({ length: rows }, (_, i) => [`row ${rows - i}`]);
      assert.equal(found.total, rows);
      assert.deepEqual(found.rows, all.slice(offset, offset + limit));
      assert.ok(most < 2100, `${most}`);
    }
});

test('no statement of a place deep in a long list looks at many rows, and none is left out', () => {
  const [rows, offset] = [100_000, 50_000];
  let most = 0;
  const looked = (count: number): void => {
    most = Math.max(most, count);
  };
  const found = search({ rows, looked }, offset, 40_000);
  assert.deepEqual(
    found.rows,
    Array.from({ length: 40_000 }, (_, i) => [`row ${rows - offset - i}`]),
  );
  assert.ok(most < 2100, `${most}`);
});

test('a statement after a slow one looks at fewer rows', () => {
  let most = 0;
  // Each row takes a tenth of a millisecond.
  const looked = (count: number): void => {
    most = Math.max(most, count);
    for (const end = performance.now() + count / 10; performance.now() < end; );
  };
  assert.equal(search({ rows: 3000, looked }, 0, 10).total, 3000);
  assert.ok(most <= 100, `${most}`);
});

test('rows are counted in parts, whose sum is that of all', () => {
  for (const rows of [0, 1, 64, 65, 100_000]) {
    let parts = 0;
    const part = named('part');
    const program = countInPieces(part);
    let step = program.next();
    while (!step.done) {
      if (step.value === PAUSE) {
        step = program.next([]);
        continue;
      }
      parts++;
      const [after, most] = step.value[1] as [number, number];
      const from = Math.max(after, 0) + 1;
      const ids = Array.from({ length: Math.max(0, Math.min(most, rows - from + 1)) }, (_, i) => from + i);
      const groups = Map.groupBy(ids, (id) => (id % 3 === 0 ? 'third' : 'other'));
      step = program.next([...groups].map(([value, all]) => [value, all.length, all.at(-1)!]));
    }
    assert.equal(step.value.get('third') ?? 0, Math.floor(rows / 3));
    assert.equal(step.value.get('other') ?? 0, rows - Math.floor(rows / 3));
    assert.ok(parts > (rows > 64 ? 1 : 0));
  }
});

test('a search ends once nobody waits for it', () => {
  const gone = new AbortController();
  let statements = 0;
  const looked = (): void => {
    if (++statements === 3) gone.abort();
  };
  assert.throws(() => search({ rows: 9000, looked, signal: gone.signal }, 0, 10), { name: 'AbortError' });
  assert.equal(statements, 3);
});
