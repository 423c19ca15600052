import type Database from 'better-sqlite3';
import type { Plan, ResourcePlan } from '../plan/step.ts';
import type { Change, Fill, Kind } from './changes.ts';
import { acceptedAs } from './changes.ts';
import { type Answers, compareShapes } from './migrate.ts';
import type { Migrated, RowRules, Watcher } from './migration.ts';
import { renamedShape } from './renames.ts';
import { type StoredShape, same, shapeOf } from './shape.ts';
import { Checks } from './sqlite.checks.ts';
import { convert, hiddenColumns, refer, sequence, tighten, timers } from './sqlite.columns.ts';
import { isOld, type Migration, shapeIn } from './sqlite.migration.ts';
import { dropResource, glimpses, renameFields, renameResources, renameSequences } from './sqlite.renames.ts';
import { Rewriter } from './sqlite.rewrite.ts';
import { schemaOf } from './sqlite.schema.ts';
import { makeRoom, prepareSystem, writeShape } from './sqlite.tables.ts';
import { columnName, quoted, tableName } from './tables.ts';

/** When a change does something: in this order, each phase for all changes. */
const PHASES = ['count', 'drop', 'cut', 'make', 'fill', 'check'] as const;
type Phase = (typeof PHASES)[number];
type Steps<K extends Kind> = Partial<
  Record<Phase, (m: Migration, change: Extract<Change, { readonly kind: K }>) => void>
>;

/** What each kind of change does; the type makes a forgotten one a compile error. What is not here is done for all alike. */
const STEPS: { readonly [K in Kind]: Steps<K> } = {
  'add resource': {
    make: ({ plan, to }, { resource }) => {
      for (const sql of schemaOf(plan).get(to.resource(resource))!.shape) to.run(`${resource} gets a table`, sql);
    },
  },
  'drop resource': { count: (m, change) => lose(m, change, '1'), drop: dropResource },
  'rename resource': {},
  'add field': {
    make: ({ to }, { resource, field }) => {
      const { rule, reference } = columnOf(to.resource(resource), field);
      to.addColumn(tableName(resource), columnName(field), rule.kind, reference);
    },
    fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill),
    check: checkFilled,
  },
  'drop field': {
    count: (m, change) => lose(m, change, `${quoted(columnName(change.field))} IS NOT NULL`),
    cut: ({ to }, { resource, field }) => {
      const sql = `ALTER TABLE ${quoted(tableName(resource))} DROP COLUMN ${quoted(columnName(field))}`;
      to.run(`${resource}.${field} goes`, sql);
    },
  },
  'rename field': {},
  'convert field': { make: convert, check: checkValues },
  'widen values': {},
  'narrow values': { check: checkValues },
  'replace value': {
    fill: ({ to }, { resource, field, value, by }) => {
      const column = quoted(columnName(field));
      const sql = `UPDATE ${quoted(tableName(resource))} SET ${column} = ?${to.alsoChanged(resource)} WHERE ${column} = ?`;
      to.run(`${resource}.${field}: ${value} becomes ${by}`, sql, by, value);
    },
  },
  'require field': { fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill), check: checkFilled },
  'free field': {},
  refer: {
    make: refer,
    check: ({ checks, next }, change) => checks.reference(change, shapeIn(next, change.resource), change.field, next),
  },
  'add unique': {},
  'drop unique': {},
  'add holds': {},
  'drop holds': {},
  'add overlap': {},
  'drop overlap': {},
  'add timer': {},
  'drop timer': {},
  'change timer': {},
  'change sequence': { make: sequence },
  keep: {},
};

/**
 * The kinds of changes after which rows hold other values than before, so that all that the document says of them is
 * looked at. A field that is new is in no rule that is old.
 */
const TOUCHING: readonly Kind[] = ['convert field', 'replace value', 'require field', 'drop resource', 'refer'];

const touches = (change: Change): boolean => TOUCHING.includes(change.kind);

/**
 * Makes stored rows those of another document, inside a transaction that the caller begins and ends: where anything
 * stands in the way, or the answers are mistaken, the caller undoes it. Killed at any statement, the rows are as before.
 */
export function migrateTables(
  db: Database.Database,
  old: StoredShape,
  plan: Plan,
  given: { readonly answers: Answers; readonly rules: RowRules; readonly watcher: Watcher; readonly now: number },
): Migrated {
  const next = shapeOf(plan);
  const { answers, rules, watcher, now } = given;
  const { changes, mistakes } = compareShapes(old, next, answers);
  const notes: string[] = [];
  if (mistakes.length) return { changes, hindrances: [], mistakes, notes };
  watcher.planned(changes);
  prepareSystem(db, plan);
  const to = new Rewriter(db, plan, watcher, now);
  const checks = new Checks(to);
  const was = renamedShape(old, next, answers.renames).shape;
  const m: Migration = { db, plan, old, was, next, changes, answers, rules, to, checks, notes };
  // What is refused is done all the same, up to where it can't be: so all that stands in the way is told at once.
  runPhase(m, 'count');
  rewrite(m);
  return { changes, hindrances: checks.found, mistakes, notes };
}

function rewrite(m: Migration): void {
  const { to, checks, next, plan, changes } = m;
  letGo(m);
  runPhase(m, 'drop');
  renameResources(m);
  runPhase(m, 'cut');
  renameFields(m);
  renameSequences(m);
  runPhase(m, 'make');
  hiddenColumns(m);
  runPhase(m, 'fill');
  timers(m, (resource) => changes.some((change) => change.resource === resource && touches(change)));
  runPhase(m, 'check');
  checkRules(m);
  if (checks.found.length) return;
  tighten(m);
  for (const [resource, statements] of schemaOf(plan)) {
    if (!isOld(m, resource.name)) continue;
    const there = new Set(
      to.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", tableName(resource.name)).flat(),
    );
    for (const [i, sql] of statements.shape.slice(1).entries())
      if (!there.has(uniqueName(resource, i))) to.run(`${resource.name} gets a unique rule`, sql);
    makeRoom(m.db, tableName(resource.name), statements.room);
  }
  glimpses(m);
  checkForeignKeys(m);
  to.run('The shape is written down', 'DELETE FROM ninefold_meta WHERE key IN (?, ?)', 'shape', 'shape id');
  writeShape(m.db, plan, next);
}

const uniqueName = (resource: ResourcePlan, i: number): string =>
  `ninefold_unique_${tableName(resource.name)}_${i + 1}`;

function runPhase(m: Migration, phase: Phase): void {
  for (const change of m.changes) (STEPS[change.kind] as Steps<Kind>)[phase]?.(m, change as never);
}

/** What stands on columns goes before columns do: triggers always, indexes where anything but new columns is to come. */
function letGo({ to, changes, next, was }: Migration): void {
  const tables = new Map<string, boolean>();
  const renamed = new Map(changes.flatMap((one) => (one.kind === 'rename resource' ? [[one.resource, one.from]] : [])));
  const moves: readonly Kind[] = [
    'drop field',
    'rename field',
    'convert field',
    'refer',
    'rename resource',
    'drop unique',
    'add unique',
  ];
  for (const change of changes) {
    const table = tableName(renamed.get(change.resource) ?? change.resource);
    tables.set(table, (tables.get(table) ?? false) || moves.includes(change.kind));
  }
  for (const { name, uniques } of next.resources) {
    const before = was.resources.find((one) => one.name === name);
    if (before && !same(before.uniques, uniques)) tables.set(tableName(renamed.get(name) ?? name), true);
  }
  for (const [table, moved] of tables) {
    const there = to.all(
      "SELECT type, name FROM sqlite_schema WHERE tbl_name = ? AND name LIKE 'ninefold!_%' ESCAPE '!' AND sql IS NOT NULL",
      table,
    ) as [type: string, name: string][];
    for (const [type, name] of there) {
      if (type === 'trigger') to.run(`${name} is let go`, `DROP TRIGGER ${quoted(name)}`);
      if (type === 'index' && moved) to.run(`${name} is let go`, `DROP INDEX ${quoted(name)}`);
    }
  }
}

/** Values that would be lost are, once that has been accepted by name. */
function lose({ to, checks, answers, old, changes }: Migration, change: Change, where: string): void {
  if (answers.accepted.has(acceptedAs(change)!)) return;
  // Nothing has been renamed yet.
  const from = changes.find((one) => one.kind === 'rename resource' && one.resource === change.resource);
  const name = from?.kind === 'rename resource' ? from.from : change.resource;
  if (!old.resources.some((one) => one.name === name)) return;
  const [rows] = to.first(`SELECT count(*) FROM ${quoted(tableName(name))} WHERE ${where}`);
  checks.note(change, 'lost', rows);
}

const columnOf = (resource: ResourcePlan, field: string) => resource.columns.find((column) => column.name === field)!;

/** Gives rows that have no value one. */
function fillField({ to }: Migration, resource: string, field: string, fill: Fill | null): void {
  if (!fill) return;
  const table = quoted(tableName(resource));
  const column = quoted(columnName(field));
  const what = `${resource}.${field} is filled`;
  const rest = `${to.alsoChanged(resource)} WHERE t.${column} IS NULL`;
  const plan = columnOf(to.resource(resource), field);
  if (fill.kind === 'value') {
    to.run(what, `UPDATE ${table} AS t SET ${column} = ?${rest}`, to.constant(fill.value, plan.rule.kind));
  } else if (fill.kind === 'expression') {
    const { sql, values } = to.written(fill.expr, resource);
    to.run(what, `UPDATE ${table} AS t SET ${column} = ${sql}${rest}`, ...values);
  } else {
    const identity = quoted(columnName(to.resource(resource).identity));
    const order = to.resource(resource).order.map((one) => quoted(columnName(one)));
    const per = plan.sequence?.per ? `PARTITION BY ${quoted(columnName(plan.sequence.per))} ` : '';
    const numbers = `SELECT ${identity} AS id, row_number() OVER (${per}ORDER BY ${order.join(', ')}) AS number FROM ${table}`;
    to.run(
      what,
      `UPDATE ${table} AS t SET ${column} = n.number${to.alsoChanged(resource)} FROM (${numbers}) AS n WHERE n.id = t.${identity}`,
    );
  }
}

function checkFilled(m: Migration, change: Extract<Change, { kind: 'add field' | 'require field' }>): void {
  const { checks, next, to } = m;
  const { resource, field, fill } = change;
  const plan = columnOf(to.resource(resource), field);
  const column = `t.${quoted(columnName(field))}`;
  if (!plan.nullable) checks.count(change, 'unfilled', tableName(resource), `${column} IS NULL`);
  if (fill === null) return;
  checks.reference(change, shapeIn(next, resource), field, next);
  // A constant has been looked at where it was said.
  if (fill.kind === 'expression') checks.values(change, shapeIn(next, resource), field, m.rules);
}

function checkValues(m: Migration, change: Extract<Change, { kind: 'narrow values' | 'convert field' }>): void {
  m.checks.values(change, shapeIn(m.next, change.resource), change.field, m.rules);
}

/** New rules, and all of them where rows hold other values than before. */
function checkRules({ changes, checks, next }: Migration): void {
  const touched = changes.some(touches);
  for (const resource of next.resources) {
    const own = changes.filter((change) => change.resource === resource.name);
    if (touched) checks.everything(resource);
    else
      for (const change of own) {
        if (change.kind === 'add unique') checks.unique(resource, change.rule);
        if (change.kind === 'add holds') checks.holds(resource, change.rule);
        if (change.kind === 'add overlap') checks.overlap(resource, change.rule);
      }
  }
}

/** Keys are off while tables change, so that what they say is looked at once, at the end. */
function checkForeignKeys({ to, changes, checks, next }: Migration): void {
  if (!changes.some(touches)) return;
  const broken = to.all('SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY 1');
  for (const [table, rows] of broken) {
    const resource = next.resources.find((one) => tableName(one.name) === table);
    const field = resource?.columns.find((column) => column.reference)?.name ?? '';
    const change: Change = { kind: 'refer', resource: resource?.name ?? String(table), field, to: null };
    checks.note(change, 'refers to nothing', rows);
  }
}
