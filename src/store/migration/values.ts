import { named } from '../../plan/named.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { counted } from '../../text/units.ts';
import { columnName, quoted, tableName } from '../tables.ts';
import type { Change, Fill, Of } from './changes.ts';
import { type Migration, shapeIn } from './migration.ts';
import { first, type MigrationStep, all as rowsOf, run } from './rewriter.ts';

/** Reports values that would be lost, unless the operator has accepted the loss by name. */
export function* lose(
  { checks, answers, old, changes }: Migration,
  change: Change,
  accept: string,
  where: string,
): MigrationStep<void> {
  if (answers.accepted.has(accept)) return;
  // Resources have not been renamed yet.
  const from = changes.find((one) => one.kind === 'rename resource' && one.resource === change.resource);
  const name = from?.kind === 'rename resource' ? from.from : change.resource;
  if (!old.resources.some((one) => one.name === name)) return;
  const [rows] = yield* first(`SELECT count(*) FROM ${quoted(tableName(name))} WHERE ${where}`);
  checks.note(change, 'lost', rows);
}

/** A column of a resource in the plan. */
export const columnOf = (resource: ResourcePlan, field: string) => named(resource.columns, field);

/** Sets the field in rows where it is absent. */
export function* fillField({ to }: Migration, resource: string, field: string, fill: Fill | null): MigrationStep<void> {
  if (!fill) return;
  const table = quoted(tableName(resource));
  const column = quoted(columnName(field));
  const what = `${resource}.${field} is filled`;
  const also = yield* to.alsoChanged(resource);
  const plan = columnOf(to.resource(resource), field);
  const set = (value: string): string =>
    `UPDATE ${table} AS t SET ${column} = ${to.stored(value, plan.rule.kind)}${also} WHERE t.${column} IS NULL`;
  if (fill.kind === 'value') {
    yield* run(what, set(to.constant(fill.value, plan.rule.kind)));
  } else if (fill.kind === 'expression') {
    yield* run(what, set(to.written(fill.expr, resource)));
  } else {
    const identity = quoted(columnName(to.resource(resource).identity));
    const order = to.resource(resource).order.map((one) => quoted(columnName(one)));
    const per = plan.sequence?.per ? `PARTITION BY ${quoted(columnName(plan.sequence.per))} ` : '';
    const numbers = `SELECT ${identity} AS id, row_number() OVER (${per}ORDER BY ${order.join(', ')}) AS number FROM ${table}`;
    yield* run(
      what,
      `UPDATE ${table} AS t SET ${column} = n.number${also} FROM (${numbers}) AS n WHERE n.id = t.${identity}`,
    );
  }
}

/**
 * Replaces values of an enumeration. One statement replaces all values of a field, so that none is replaced again. The
 * first change of the field does so for all of them.
 */
export function* replaceValue(m: Migration, change: Of<'replace value'>): MigrationStep<void> {
  const { to, checks, notes } = m;
  const { resource, field } = change;
  const all = m.changes.filter(
    (one): one is Of<'replace value'> =>
      one.kind === 'replace value' && one.resource === resource && one.field === field,
  );
  if (all[0] !== change) return;
  const column = quoted(columnName(field));
  const table = quoted(tableName(resource));
  const { rule, nullable } = columnOf(to.resource(resource), field);
  const found = checks.found.length;
  const parts: string[] = [];
  for (const { by, value, ...one } of all) {
    const old = to.constant(value, rule.kind);
    const given =
      typeof by === 'string' ? to.constant(by, rule.kind) : to.stored(to.written(by.expr, resource), rule.kind);
    parts.push(`WHEN t.${column} = ${old} THEN ${given}`);
    if (typeof by === 'string') continue;
    const held = `t.${column} = ${old}`;
    if (!nullable)
      yield* checks.count({ ...one, value, by }, 'no result', tableName(resource), `${held} AND (${given}) IS NULL`);
    const counts = yield* rowsOf(
      `SELECT ${given} AS given, count(*) FROM ${table} AS t WHERE ${held} GROUP BY 1 ORDER BY 1`,
    );
    const texts = counts.map(([given, rows]) => `${given ?? 'absent'} in ${counted(Number(rows), 'row')}`);
    notes.push(`${resource}.${field}: ${value} becomes ${texts.join(', ') || 'nothing, because no row has it'}.`);
  }
  if (checks.found.length > found) return;
  const values = all.map(({ value }) => to.constant(value, rule.kind)).join(', ');
  const given = `CASE ${parts.join(' ')} END`;
  const also = yield* to.alsoChanged(resource);
  yield* run(
    `${resource}.${field} has new values`,
    `UPDATE ${table} AS t SET ${column} = ${given}${also} WHERE t.${column} IN (${values}) AND (${given} IS NULL OR ${given} <> t.${column})`,
  );
}

/** Checks filled fields: each row must have a value, and the value must be allowed. */
export function* checkFilled(m: Migration, change: Of<'add field' | 'require field'>): MigrationStep<void> {
  const { checks, next, to } = m;
  const { resource, field, fill } = change;
  const plan = columnOf(to.resource(resource), field);
  const column = `t.${quoted(columnName(field))}`;
  const always = fill?.kind === 'expression' && fill.always;
  const why = always ? 'no result' : 'unfilled';
  if (always || !plan.nullable) yield* checks.count(change, why, tableName(resource), `${column} IS NULL`);
  if (fill === null) return;
  yield* checks.reference(change, shapeIn(next, resource), field, next);
  // A constant has been checked with the operator’s answer.
  if (fill.kind === 'expression')
    yield* checks.values(change, shapeIn(next, resource), field, m.rules, 'filled wrongly');
}

/** Checks all values of a field by its new rule. */
export function checkValues(m: Migration, change: Of<'narrow values' | 'convert field'>): MigrationStep<void> {
  return m.checks.values(change, shapeIn(m.next, change.resource), change.field, m.rules);
}
