import assert from 'node:assert/strict';
import type { Plan } from '../../src/plan/step.ts';
import { rowRules } from '../../src/runtime/row-rules.ts';
import { describeChange } from '../../src/store/migration/change-kinds.ts';
import { NO_ANSWERS } from '../../src/store/migration/upgrade.ts';
import { shapeOf } from '../../src/store/shape.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { openTables } from '../../src/store/sqlite/tables.ts';
import { migrateTables } from '../../src/store/sqlite/upgrade.ts';
import { contentsOf, NOW } from './stock.ts';

/** The tables of a plan, as they are made, or as those of another become them. */
export function tablesOf(
  plan: Plan,
  before: Plan | null,
): { readonly schema: unknown; readonly changes: readonly string[] } {
  const db = openDatabase(':memory:');
  let changes: readonly string[] = [];
  try {
    if (before) {
      openTables(db, before);
      db.pragma('foreign_keys = OFF');
      const watcher = { planned: () => {}, step: () => {} };
      const migrated = migrateTables(db, shapeOf(before), plan, {
        answers: NO_ANSWERS,
        rules: rowRules(plan),
        watcher,
        now: NOW,
      });
      assert.deepEqual(
        [migrated.hindrances, migrated.mistakes],
        [[], []],
        'no row stands in the way where there is none',
      );
      changes = migrated.changes.map(describeChange);
      assert.ok(changes.length > 0, 'what is another shape is told');
    }
    openTables(db, plan);
    return { schema: contentsOf(db).schema, changes };
  } finally {
    db.close();
  }
}
