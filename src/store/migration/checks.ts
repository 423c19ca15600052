import type { Expr } from '../../expression/tree/expression.ts';
import { named } from '../../plan/named.ts';
import type { OverlapShape, ResourceShape, StoredShape, UniqueShape } from '../shape.ts';
import { columnName, quoted, tableName, uniqueColumns } from '../tables.ts';
import type { Change, Hindrance, Obstacle } from './changes.ts';
import { first, type MigrationStep, type Rewriter } from './rewriter.ts';
import type { RowRules } from './upgrade.ts';

/** Searches for rows that prevent a change, and collects a hindrance for each kind of such rows. */
export class Checks {
  readonly found: Hindrance[] = [];
  private readonly to: Rewriter;

  constructor(to: Rewriter) {
    this.to = to;
  }

  /** Adds a hindrance if the number of rows is not 0. */
  note(change: Change, why: Obstacle, rows: unknown, example: unknown = null): void {
    if (typeof rows === 'number' && rows > 0)
      this.found.push({ change, why, rows, example: example === null || example === undefined ? null : `${example}` });
  }

  /** Counts the rows of a table, named `t`, that meet a condition, with the first of them as an example. */
  *count(change: Change, why: Obstacle, table: string, where: string): MigrationStep<void> {
    const identity = this.to.identityText(change.resource);
    const rest = `FROM ${quoted(table)} AS t WHERE ${where}`;
    const [rows] = yield* first(`SELECT count(*) ${rest}`);
    if (rows === 0) return;
    const [example] = yield* first(`SELECT ${identity} ${rest} LIMIT 1`);
    this.note(change, why, rows, example);
  }

  /** Finds values that the rule of a field does not allow. */
  *values(
    change: Change,
    resource: ResourceShape,
    field: string,
    rules: RowRules,
    why: Obstacle = 'not allowed',
  ): MigrationStep<void> {
    const { rule, password } = named(resource.columns, field);
    // Only the hash of a password is stored: the password was checked when it was sent.
    if (password) return;
    const [rows, example] = yield* this.to.refused(resource.name, field, rules.allows(rule));
    this.note(change, why, rows, example);
  }

  /** Finds references to rows that do not exist. */
  *reference(change: Change, resource: ResourceShape, field: string, all: StoredShape): MigrationStep<void> {
    const { reference, references, rule } = named(resource.columns, field);
    const target = all.resources.find((one) => one.name === (references ?? reference));
    if (!target) return;
    const column = `t.${quoted(columnName(field))}`;
    const identity = `o.${quoted(columnName(target.identity))}`;
    const there = (is: string): string =>
      `EXISTS (SELECT 1 FROM ${quoted(tableName(target.name))} AS o WHERE ${identity} = ${is})`;
    const dangling = references
      ? this.to.hasItem(column, rule.items!.kind, (item) => `NOT ${there(item)}`)
      : `${column} IS NOT NULL AND NOT ${there(column)}`;
    yield* this.count(change, 'refers to nothing', tableName(resource.name), dangling);
  }

  /** Finds rows that break a unique rule. */
  *unique(resource: ResourceShape, rule: UniqueShape): MigrationStep<void> {
    const condition = rule.condition && this.to.written(rule.condition, resource.name);
    const columns = uniqueColumns(rule).map((column) => `t.${quoted(columnName(column))}`);
    const where = [...(condition ? [condition] : []), ...columns.map((column) => `${column} IS NOT NULL`)];
    const groups = `SELECT count(*) AS n, min(${this.to.identityText(resource.name)}) AS one
      FROM ${quoted(tableName(resource.name))} AS t WHERE ${where.join(' AND ')}
      GROUP BY ${columns.join(', ')} HAVING count(*) > 1`;
    const [rows, one] = yield* first(`SELECT sum(n), min(one) FROM (${groups}) AS g`);
    this.note({ kind: 'add unique', resource: resource.name, rule }, 'not unique', rows, one);
  }

  /** Finds rows for which a rule is false or has no result. */
  *holds(resource: ResourceShape, rule: Expr): MigrationStep<void> {
    const condition = this.to.written(rule, resource.name);
    const change: Change = { kind: 'add holds', resource: resource.name, rule };
    yield* this.count(change, 'does not hold', tableName(resource.name), `(${condition}) IS NOT TRUE`);
  }

  /** Finds rows that begin before an earlier row has ended: each start is compared with the latest end before it. */
  *overlap(resource: ResourceShape, rule: OverlapShape): MigrationStep<void> {
    const start = this.to.written(rule.start, resource.name);
    const end = this.to.written(rule.end, resource.name);
    const condition = rule.condition && this.to.written(rule.condition, resource.name);
    const by = rule.by.map((field) => `t.${quoted(columnName(field))}`);
    const spans = `SELECT ${this.to.identityText(resource.name)} AS one, ${start} AS "from", ${end} AS "to"
      ${by.map((column, i) => `, ${column} AS by_${i}`).join('')}
      FROM ${quoted(tableName(resource.name))} AS t ${condition ? `WHERE ${condition}` : ''}`;
    const within = by.length ? `PARTITION BY ${by.map((_, i) => `by_${i}`).join(', ')} ` : '';
    const latest = `SELECT one, "from", max("to") OVER (${within}ORDER BY "from", "to"
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest FROM (${spans}) AS s
      WHERE "from" < "to"`;
    const [rows, one] = yield* first(`SELECT count(*), min(one) FROM (${latest}) AS l WHERE latest > "from"`);
    this.note({ kind: 'add overlap', resource: resource.name, rule }, 'overlaps', rows, one);
  }

  /** Checks all rules of a resource, after values of its rows have changed. */
  *everything(resource: ResourceShape): MigrationStep<void> {
    for (const rule of resource.uniques) yield* this.unique(resource, rule);
    for (const rule of resource.holds) yield* this.holds(resource, rule);
    for (const rule of resource.overlaps) yield* this.overlap(resource, rule);
  }
}
