import { foldCase } from '../../expression/tree/fold.ts';
import { storedWords } from '../../expression/tree/words.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import { raw, sql } from '../sql/fragment.ts';
import {
  columnName,
  FOLDED,
  foldedFields,
  quoted,
  SHOWN,
  searchedFields,
  storedColumns,
  tableName,
} from '../tables.ts';
import type { Change } from './changes.ts';
import { isOld, type Migration } from './migration.ts';
import { first, type MigrationStep, run } from './rewriter.ts';

/** Replaces a column whose type or reference changes, since not every store can change both. */
function* remade(
  { to }: Migration,
  { resource, field }: { resource: string; field: string },
  value: (column: string) => string,
  check: (was: string, is: string) => MigrationStep<void>,
): MigrationStep<void> {
  const table = tableName(resource);
  const name = columnName(field);
  const made = `ninefold_made_${name}`;
  const { rule, reference } = named(to.resource(resource).columns, field);
  yield* to.addColumn(table, made, rule.kind, reference);
  const what = `${resource}.${field} is made anew`;
  const also = yield* to.alsoChanged(resource);
  yield* run(what, `UPDATE ${quoted(table)} AS t SET ${quoted(made)} = ${value(`t.${quoted(name)}`)}${also}`);
  yield* check(`t.${quoted(name)}`, `t.${quoted(made)}`);
  yield* to.dropColumn(table, name);
  yield* run(what, `ALTER TABLE ${quoted(table)} RENAME COLUMN ${quoted(made)} TO ${quoted(name)}`);
}

export function* convert(m: Migration, change: Extract<Change, { kind: 'convert field' }>): MigrationStep<void> {
  yield* remade(
    m,
    change,
    (column) => m.to.converted(column, change.conversion),
    (was, is) =>
      m.checks.count(change, 'not converted', tableName(change.resource), `${was} IS NOT NULL AND ${is} IS NULL`),
  );
}

export function* refer(m: Migration, change: Extract<Change, { kind: 'refer' }>): MigrationStep<void> {
  const same = (one: Change): boolean =>
    one.kind === 'convert field' && one.resource === change.resource && one.field === change.field;
  if (m.changes.some(same)) return;
  yield* remade(
    m,
    change,
    (column) => column,
    function* () {},
  );
}

/** Restarts a sequence, since its count is no longer valid: the next number follows the highest one that is stored. */
export function* sequence(_m: Migration, change: Extract<Change, { kind: 'change sequence' }>): MigrationStep<void> {
  const { resource, field } = change;
  yield* run(
    `${resource}.${field} is counted anew`,
    sql`DELETE FROM ninefold_sequence WHERE name = ${`${resource}.${field}`}`,
  );
}

const HIDDEN = /^ninefold_(?:due|at|folded|(?:[a-z]+_)?(?:words|plain))_/;

/** Adds and drops the service’s own columns beside the fields, as the new plan requires. */
export function* hiddenColumns(m: Migration): MigrationStep<void> {
  const { to, plan } = m;
  for (const resource of plan.resources) {
    if (!isOld(m, resource.name)) continue;
    const table = tableName(resource.name);
    const there = yield* to.columns(table);
    const wanted = new Map(
      storedColumns(resource)
        .filter(({ name }) => name !== SHOWN)
        .map((column) => [columnName(column.name), column] as const),
    );
    for (const name of there.keys()) if (!wanted.has(name) && HIDDEN.test(name)) yield* to.dropColumn(table, name);
    for (const [name, { kind, reference }] of wanted)
      if (!there.has(name)) yield* to.addColumn(table, name, kind, reference);
  }
}

/**
 * Computes the values of hidden columns: for changed rows, and for all rows where the rule behind a column has changed.
 */
export function* timers(m: Migration, touched: (resource: string) => boolean): MigrationStep<void> {
  const { to, next, rules, changes, notes } = m;
  for (const resource of next.resources) {
    const was = m.was.resources.find((one) => one.name === resource.name);
    if (!was || !isOld(m, resource.name)) continue;
    const table = quoted(tableName(resource.name));
    const columns = storedColumns(to.resource(resource.name)).map(({ name }) => name);
    for (const { field, column } of foldedFields(to.resource(resource.name))) {
      if (was.stored.includes(FOLDED + field) && !touched(resource.name)) continue;
      const at = columns.indexOf(field);
      const folded = (row: Row): Value => (row[at] === null ? null : foldCase(row[at] as string));
      yield* to.compute(`${resource.name}.${field} is folded`, resource.name, column, folded);
    }
    const plan = to.resource(resource.name);
    for (const { field, column } of searchedFields(plan)) {
      if (was.stored.includes(column) && !touched(resource.name)) continue;
      const at = columns.indexOf(field);
      const words = (row: Row): Value => (row[at] === null ? null : storedWords(row[at] as string, plan.search!));
      yield* to.compute(`${resource.name}.${field}: its words`, resource.name, column, words);
    }
    for (const change of changes) if (change.resource === resource.name) notes.push(...(yield* waiting(m, change)));
    for (const timed of resource.timed) {
      const before = was.timed.find(({ column }) => column === timed.column) ?? null;
      const changed = changes.some(
        (change) => 'timed' in change && change.resource === resource.name && change.timed.column === timed.column,
      );
      if (!changed && !touched(resource.name)) continue;
      const due = rules.due(resource.name, timed, before, to.now);
      yield* to.compute(`${resource.name}: when ${timed.name} is due`, resource.name, timed.column, (row, held) =>
        due(row, held as number | null),
      );
      if (!changed) continue;
      const column = quoted(columnName(timed.column));
      const [rows, some] = yield* first(`SELECT count(*), count(*) FILTER (WHERE ${column} > 0) FROM ${table}`);
      notes.push(
        `${resource.name}: ${timed.name} will happen for ${some} of ${rows} rows. For the other rows, its instant has passed or has not been set, so nothing happens.`,
      );
    }
  }
}

/**
 * Reports the rows whose events or moves fell due while the service was stopped: the new document does not make them.
 */
function* waiting({ to }: Migration, change: Change): MigrationStep<string[]> {
  if (change.kind !== 'drop timer' && change.kind !== 'change timer') return [];
  const name = columnName(change.timed.column);
  if (!(yield* to.columns(tableName(change.resource))).has(name)) return [];
  const [rows] = yield* first(
    sql`SELECT count(*) FROM ${raw(quoted(tableName(change.resource)))} WHERE ${raw(quoted(name))} BETWEEN 1 AND ${to.now}`,
  );
  return rows === 0
    ? []
    : [
        `${change.resource}: ${change.timed.name} was due for ${rows} rows while the service was stopped. The new document does not make these moves. To make them, serve the old document once first.`,
      ];
}

/** Sets NOT NULL on the columns of required fields, and drops it from the columns of optional ones. */
export function* tighten(m: Migration): MigrationStep<void> {
  const { to, plan } = m;
  for (const resource of plan.resources) {
    if (!isOld(m, resource.name)) continue;
    const table = tableName(resource.name);
    const there = yield* to.columns(table);
    for (const { name, nullable } of storedColumns(resource)) {
      const column = columnName(name);
      if (!there.has(column) || there.get(column) === !nullable) continue;
      const altered = `ALTER TABLE ${quoted(table)} ALTER COLUMN ${quoted(column)} ${nullable ? 'DROP' : 'SET'} NOT NULL`;
      yield* run(`${resource.name}.${name} ${nullable ? 'may be' : 'is never'} absent`, altered);
    }
  }
}
