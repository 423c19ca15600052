import type { Plan, ResourcePlan } from '../plan/step.ts';
import { takeAnswers } from './answers.ts';
import type { Change, Fill, Kind } from './changes.ts';
import { acceptedAs } from './changes.ts';
import { compareShapes } from './migrate.ts';
import { isOld, type Migrated, type Migration, shapeIn, type Upgrade } from './migration.ts';
import { renamedShape } from './renames.ts';
import { Checks } from './rewrite.checks.ts';
import { convert, hiddenColumns, refer, sequence, tighten, timers } from './rewrite.columns.ts';
import { dropResource, glimpses, renameFields, renameResources, renameSequences } from './rewrite.renames.ts';
import { first, type Rewriter, run, type Work } from './rewriter.ts';
import { type StoredShape, same, shapeOf } from './shape.ts';
import { columnName, quoted, tableName } from './tables.ts';

/** When a change does something: in this order, each phase for all changes. */
const PHASES = ['count', 'drop', 'cut', 'make', 'fill', 'check'] as const;
type Phase = (typeof PHASES)[number];
type Steps<K extends Kind> = Partial<
  Record<Phase, (m: Migration, change: Extract<Change, { readonly kind: K }>) => Work<void>>
>;

/** What each kind of change does; the type makes a forgotten one a compile error. What is not here is done for all alike. */
const STEPS: { readonly [K in Kind]: Steps<K> } = {
  'add resource': {
    make: ({ to }, { resource }) => to.addTable(to.resource(resource)),
  },
  'drop resource': { count: (m, change) => lose(m, change, '1 = 1'), drop: dropResource },
  'rename resource': {},
  'add field': {
    make: ({ to }, { resource, field }) => {
      const { rule, reference } = columnOf(to.resource(resource), field);
      return to.addColumn(tableName(resource), columnName(field), rule.kind, reference);
    },
    fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill),
    check: checkFilled,
  },
  'drop field': {
    count: (m, change) => lose(m, change, `${quoted(columnName(change.field))} IS NOT NULL`),
    cut: ({ to }, { resource, field }) => to.dropColumn(tableName(resource), columnName(field)),
  },
  'rename field': {},
  'convert field': { make: convert, check: checkValues },
  'widen values': {},
  'narrow values': { check: checkValues },
  'replace value': {
    fill: replaceValue,
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
export function* rewriteTables(
  old: StoredShape,
  plan: Plan,
  { answers, rules, watcher }: Omit<Upgrade, 'dry'>,
  to: Rewriter,
): Work<Migrated> {
  const next = shapeOf(plan);
  const { changes, mistakes } = compareShapes(old, next, answers);
  const notes: string[] = [];
  if (mistakes.length) return { changes, hindrances: [], mistakes, notes };
  watcher.planned(changes);
  const checks = new Checks(to);
  const was = renamedShape(old, next, answers.renames).shape;
  const m: Migration = { plan, old, was, next, changes, answers, rules, to, checks, notes };
  // What is refused is done all the same, up to where it can't be: so all that stands in the way is told at once.
  yield* runPhase(m, 'count');
  yield* rewrite(m);
  return { changes, hindrances: checks.found, mistakes, notes };
}

function* rewrite(m: Migration): Work<void> {
  const { to, checks, changes } = m;
  yield* letGo(m);
  yield* runPhase(m, 'drop');
  yield* renameResources(m);
  yield* takeAnswers(m.plan, (resource) => isOld(m, resource));
  yield* runPhase(m, 'cut');
  yield* renameFields(m);
  yield* renameSequences(m);
  yield* runPhase(m, 'make');
  yield* hiddenColumns(m);
  yield* runPhase(m, 'fill');
  yield* timers(m, (resource) => changes.some((change) => change.resource === resource && touches(change)));
  yield* runPhase(m, 'check');
  yield* checkRules(m);
  if (checks.found.length) return;
  yield* checkReferences(m);
  if (checks.found.length) return;
  yield* tighten(m);
  yield* to.settle();
  yield* glimpses(m);
}

function* runPhase(m: Migration, phase: Phase): Work<void> {
  for (const change of m.changes) {
    const step = (STEPS[change.kind] as Steps<Kind>)[phase];
    if (step) yield* step(m, change as never);
  }
}

/** What stands on columns goes before columns do. */
function* letGo({ to, changes, next, was }: Migration): Work<void> {
  const tables = new Map<string, boolean>();
  const renamed = new Map(changes.flatMap((one) => (one.kind === 'rename resource' ? [[one.resource, one.from]] : [])));
  const moves: readonly Kind[] = [
    'drop field',
    'rename field',
    'convert field',
    'refer',
    'drop resource',
    'rename resource',
    'drop unique',
    'add unique',
  ];
  for (const change of changes) {
    if (change.kind === 'add resource') continue;
    const table = tableName(renamed.get(change.resource) ?? change.resource);
    tables.set(table, (tables.get(table) ?? false) || moves.includes(change.kind));
  }
  for (const { name, uniques } of next.resources) {
    const before = was.resources.find((one) => one.name === name);
    if (before && !same(before.uniques, uniques)) tables.set(tableName(renamed.get(name) ?? name), true);
  }
  for (const [table, moved] of tables) yield* to.letGo(table, moved);
}

/** Values that would be lost are, once that has been accepted by name. */
function* lose({ checks, answers, old, changes }: Migration, change: Change, where: string): Work<void> {
  if (answers.accepted.has(acceptedAs(change)!)) return;
  // Nothing has been renamed yet.
  const from = changes.find((one) => one.kind === 'rename resource' && one.resource === change.resource);
  const name = from?.kind === 'rename resource' ? from.from : change.resource;
  if (!old.resources.some((one) => one.name === name)) return;
  const [rows] = yield* first(`SELECT count(*) FROM ${quoted(tableName(name))} WHERE ${where}`);
  checks.note(change, 'lost', rows);
}

const columnOf = (resource: ResourcePlan, field: string) => resource.columns.find((column) => column.name === field)!;

/** Gives rows that have no value one. */
function* fillField({ to }: Migration, resource: string, field: string, fill: Fill | null): Work<void> {
  if (!fill) return;
  const table = quoted(tableName(resource));
  const column = quoted(columnName(field));
  const what = `${resource}.${field} is filled`;
  const also = yield* to.alsoChanged(resource);
  const plan = columnOf(to.resource(resource), field);
  const set = (value: string): string =>
    `UPDATE ${table} AS t SET ${column} = ${to.stored(value, plan.rule.kind)}${also} WHERE t.${column} IS NULL`;
  if (fill.kind === 'value') {
    yield* run(what, set('?'), to.constant(fill.value, plan.rule.kind));
  } else if (fill.kind === 'expression') {
    const { sql, values } = to.written(fill.expr, resource);
    yield* run(what, set(sql), ...values);
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

function* replaceValue({ to }: Migration, change: Extract<Change, { kind: 'replace value' }>): Work<void> {
  const { resource, field, value, by } = change;
  const column = quoted(columnName(field));
  const also = yield* to.alsoChanged(resource);
  const sql = `UPDATE ${quoted(tableName(resource))} AS t SET ${column} = ?${also} WHERE t.${column} = ?`;
  yield* run(`${resource}.${field}: ${value} becomes ${by}`, sql, by, value);
}

function* checkFilled(m: Migration, change: Extract<Change, { kind: 'add field' | 'require field' }>): Work<void> {
  const { checks, next, to } = m;
  const { resource, field, fill } = change;
  const plan = columnOf(to.resource(resource), field);
  const column = `t.${quoted(columnName(field))}`;
  const always = fill?.kind === 'expression' && fill.always;
  const why = always ? 'no result' : 'unfilled';
  if (always || !plan.nullable) yield* checks.count(change, why, tableName(resource), `${column} IS NULL`);
  if (fill === null) return;
  yield* checks.reference(change, shapeIn(next, resource), field, next);
  // A constant has been looked at where it was said.
  if (fill.kind === 'expression')
    yield* checks.values(change, shapeIn(next, resource), field, m.rules, 'filled wrongly');
}

function checkValues(m: Migration, change: Extract<Change, { kind: 'narrow values' | 'convert field' }>): Work<void> {
  return m.checks.values(change, shapeIn(m.next, change.resource), change.field, m.rules);
}

/** New rules, and all of them where rows hold other values than before. */
function* checkRules({ changes, checks, next }: Migration): Work<void> {
  const touched = changes.some(touches);
  for (const resource of next.resources) {
    const own = changes.filter((change) => change.resource === resource.name);
    if (touched) yield* checks.everything(resource);
    else
      for (const change of own) {
        if (change.kind === 'add unique') yield* checks.unique(resource, change.rule);
        if (change.kind === 'add holds') yield* checks.holds(resource, change.rule);
        if (change.kind === 'add overlap') yield* checks.overlap(resource, change.rule);
      }
  }
}

/** Tables that come and go may leave references behind that point at nothing. */
function* checkReferences({ changes, checks, next }: Migration): Work<void> {
  if (!changes.some(touches)) return;
  for (const resource of next.resources)
    for (const { name: field, reference } of resource.columns)
      if (reference !== null)
        yield* checks.reference({ kind: 'refer', resource: resource.name, field, to: null }, resource, field, next);
}
