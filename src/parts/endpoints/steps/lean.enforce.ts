import type { Row, Value } from '../../../expression/value.ts';
import { call, type Program } from '../../../store/store.ts';
import { SHOWN } from '../../../store/tables.ts';
import type { Run, StepContext } from './context.ts';

/** How rows are read of which little more is needed than the text that is kept of them. */
export interface Lean {
  /** What is selected of each: other columns are null. */
  readonly columns: readonly string[];
  /** Whether the text is the one that the request asks for. */
  fits(run: Run): boolean;
  /** Puts whole rows in the place of those that have no such text, by one statement for all of them. */
  complete(rows: Row[]): Program<void>;
}

/** Null where the rows that a step names have to be read whole; `also` are columns that the step itself needs. */
export function leanOf(
  { as, resource: name }: { readonly as: string; readonly resource: string },
  also: readonly string[],
  c: StepContext,
): Lean | null {
  const resource = c.resource(name);
  const { ready, identity } = resource;
  const read = ready && c.columnsRead(as, name);
  if (!read) return null;
  const many = c.store.prepare({ kind: 'row', resource: name, many: true });
  return {
    columns: [...new Set([SHOWN, resource.plan.identity, ...also, ...read])],
    fits: ({ x }) => ready.version === x.speech.version,
    *complete(rows) {
      const wanting = rows.flatMap((row) => (ready.has(row) ? [] : [row[identity] as Value]));
      if (wanting.length === 0) return;
      const found = yield* call(many, [JSON.stringify(wanting)]);
      const whole = new Map(found.map((row) => [row[identity], row]));
      for (const [i, row] of rows.entries()) rows[i] = whole.get(row[identity]) ?? row;
    },
  };
}
