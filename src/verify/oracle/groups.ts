import { ROWS } from '../../expression/tree/expression.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import { statementId } from '../../plan/lines.ts';
import type { InsideStep } from '../../plan/step.ts';
import { compared, holds, sees } from './evaluate.ts';
import { hasComputed } from './marks.ts';
import { noteSight } from './notes.ts';
import { Failure, Unknown } from './refusal.ts';
import type { OracleRow } from './rows.ts';
import { type Run, scopeOf, selected, wholeList } from './run.ts';
import { note } from './scope.ts';

type GroupStep = Extract<InsideStep, { do: 'group' }>;

interface Keyed {
  readonly row: OracleRow;
  readonly keys: readonly Value[];
}

interface Group {
  readonly values: ReadonlyMap<string, Value>;
  /** The number of rows. */
  readonly size: number;
  /** The member that the order names. */
  readonly by: Value;
}

/** Runs a Group. */
export function group(run: Run, step: GroupStep): void {
  const { work, names } = run;
  const id = statementId.step(step);
  if (!step.every) noteSight(run, step.resource);
  const keyed = (step.every ? every(run, step) : selected(run, step.resource, step.where)).map(
    (row): Keyed => ({
      row,
      keys: step.by.map(({ value }) => compared(value, scopeOf(run, row))),
    }),
  );
  if (keyed.some(({ keys }) => keys.some(hasComputed)))
    throw new Unknown('Rows are grouped by values that nobody knows yet.');
  const groups = [...Map.groupBy(keyed, ({ keys }) => JSON.stringify(keys)).values()];
  const inOrder = ordered(
    run,
    step,
    groups.map((rows) => groupOf(run, step, rows)),
  );
  note(work, id, `rounds ${groups.length > 1 ? 'more' : groups.length}`);
  const listed = wholeList(run, step.all, inOrder);
  for (const one of listed)
    for (const { name, value } of [...step.by, ...step.with])
      if (one.values.get(name) === null && !value.type.nullable)
        throw new Failure(`The member “${name}” of a group has no result`);
  for (const name of aloneIn(step, listed)) note(work, id, `alone ${name}`);
  if (listed.some(({ size }) => size > 1)) note(work, id, 'several rows');
  if (listed.some(({ values }) => step.by.some(({ name }) => values.get(name) === null))) note(work, id, 'null key');
  if (listed.some((one, i) => i > 0 && sameValue(one.by, listed[i - 1]?.by ?? null))) note(work, id, 'equal groups');
  names.set(
    step.as,
    listed.map(({ values }) => values),
  );
}

/** The keys in which alone two groups differ: without such a key, the two would be one. */
function aloneIn({ by }: GroupStep, groups: readonly Group[]): string[] {
  const others = (group: Group, name: string): string =>
    JSON.stringify(by.flatMap((key) => (key.name === name ? [] : [group.values.get(key.name) ?? null])));
  const names = by.length > 1 ? by.map(({ name }) => name) : [];
  return names.filter((name) => new Set(groups.map((group) => others(group, name))).size < groups.length);
}

/** The rows of a Group that counts rows that the caller may not see. */
function every(run: Run, { resource, where, ...step }: GroupStep): OracleRow[] {
  const { rows } = run.work;
  const all = rows.all(resource).filter((row) => where === null || holds(where, scopeOf(run, row)));
  if (all.some((row) => !sees(row, scopeOf(run)))) note(run.work, statementId.step(step), 'hidden row');
  return all;
}

/** A group: its keys, and its values, for which `rows` are the rows of the group. */
function groupOf(run: Run, step: GroupStep, rows: readonly Keyed[]): Group {
  const own = rows.map(({ row }) => row);
  const scope = { ...scopeOf(run), names: new Map(run.names).set(ROWS, own) };
  const values = new Map([
    ...step.by.map(({ name }, i) => [name, rows[0]?.keys[i] ?? null] as const),
    ...step.with.map(({ name, value }) => [name, compared(value, scope)] as const),
  ]);
  const { by } = step.order;
  return { values, size: rows.length, by: compared(by, { ...scope, names: new Map([...run.names, ...values]) }) };
}

/** Groups in their order; ties are in the order of the keys. */
function ordered(run: Run, { order, by }: GroupStep, groups: readonly Group[]): readonly Group[] {
  const { rows } = run.work;
  if (groups.length > 1 && groups.some((one) => hasComputed(one.by)))
    throw new Unknown('Groups are in the order of values that nobody knows yet.');
  const compare = (a: Group, b: Group, name: string): number =>
    rows.compareOrder(a.values.get(name) ?? null, b.values.get(name) ?? null);
  return groups.toSorted((a, b) => {
    const first = (order.descending ? -1 : 1) * rows.compareOrder(a.by, b.by);
    return first || by.map(({ name }) => compare(a, b, name)).find((one) => one !== 0) || 0;
  });
}
