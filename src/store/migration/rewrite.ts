import type { Plan } from '../../plan/step.ts';
import { type StoredShape, same, shapeOf } from '../shape.ts';
import { holdsWords, tableName } from '../tables.ts';
import { kindOf, type Phase } from './change-kinds.ts';
import type { Change } from './changes.ts';
import { Checks } from './checks.ts';
import { hiddenColumns, tighten, timers } from './columns.ts';
import { compareShapes } from './compare.ts';
import { takeAnswers } from './kept-answers.ts';
import { isOld, type Migration } from './migration.ts';
import { renamedShape } from './renames.ts';
import { glimpses, renameFields, renameResources, renameSequences } from './rewrite-renames.ts';
import type { MigrationStep, Rewriter } from './rewriter.ts';
import type { Migrated, Upgrade } from './upgrade.ts';

/**
 * Rewrites stored rows for another document, inside a transaction that the caller begins and ends. The caller rolls it
 * back where rows prevent a change or the operator’s answers are wrong. A process that is killed at any statement
 * leaves the rows as they were.
 */
export function* rewriteTables(
  old: StoredShape,
  plan: Plan,
  { answers, rules, watcher }: Omit<Upgrade, 'dry'>,
  to: Rewriter,
): MigrationStep<Migrated> {
  const next = shapeOf(plan);
  const { changes, mistakes } = compareShapes(old, next, answers);
  const notes: string[] = [];
  if (mistakes.length) return { changes, hindrances: [], mistakes, notes };
  watcher.planned(changes);
  const checks = new Checks(to);
  const was = renamedShape(old, next, answers.renames).shape;
  const m: Migration = { plan, old, was, next, changes, answers, rules, to, checks, notes };
  // Refused changes are attempted nevertheless, as far as possible, so that one run reports all hindrances.
  yield* runPhase(m, 'count');
  yield* rewrite(m);
  return { changes, hindrances: checks.found, mistakes, notes };
}

function* rewrite(m: Migration): MigrationStep<void> {
  const { to, checks, changes } = m;
  if ([m.old, m.next].some(holdsItems)) yield* to.dropItems();
  yield* letGo(m);
  yield* runPhase(m, 'drop');
  yield* renameResources(m);
  yield* takeAnswers(m.plan, (resource) => isOld(m, resource));
  yield* runPhase(m, 'cut');
  yield* renameFields(m);
  yield* renameSequences(m);
  yield* runPhase(m, 'make');
  yield* hiddenColumns(m);
  yield* runPhase(m, 'replace');
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

/** Whether tables of items or full-text indexes depend on rows. */
const holdsItems = (shape: StoredShape): boolean =>
  shape.resources.some(
    ({ columns, stored }) => columns.some(({ references }) => references !== undefined) || stored.some(holdsWords),
  );

function* runPhase(m: Migration, phase: Phase): MigrationStep<void> {
  for (const change of m.changes) {
    const step = kindOf(change).steps[phase];
    if (step) yield* step(m, change as never);
  }
}

/** Drops the triggers, indexes and references that depend on columns, before the columns change. */
function* letGo({ to, changes, next, was }: Migration): MigrationStep<void> {
  const tables = new Map<string, boolean>();
  const renamed = new Map(changes.flatMap((one) => (one.kind === 'rename resource' ? [[one.resource, one.from]] : [])));
  for (const change of changes) {
    if (change.kind === 'add resource') continue;
    const table = tableName(renamed.get(change.resource) ?? change.resource);
    tables.set(table, (tables.get(table) ?? false) || kindOf(change).moves);
  }
  for (const { name, uniques } of next.resources) {
    const before = was.resources.find((one) => one.name === name);
    if (before && !same(before.uniques, uniques)) tables.set(tableName(renamed.get(name) ?? name), true);
  }
  for (const [table, moved] of tables) yield* to.letGo(table, moved);
}

const touches = (change: Change): boolean => kindOf(change).touches;

/** Checks new rules, and all rules where values of rows have changed. */
function* checkRules(m: Migration): MigrationStep<void> {
  const { changes, checks, next } = m;
  if (!changes.some(touches)) yield* runPhase(m, 'rule');
  else for (const resource of next.resources) yield* checks.everything(resource);
}

/** Checks references after tables were dropped or added, since references may point at missing rows. */
function* checkReferences({ changes, checks, next }: Migration): MigrationStep<void> {
  if (!changes.some(touches)) return;
  for (const resource of next.resources)
    for (const { name: field, reference, references } of resource.columns)
      if (reference !== null || references !== undefined)
        yield* checks.reference({ kind: 'refer', resource: resource.name, field, to: null }, resource, field, next);
}
