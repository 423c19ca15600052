import { raw, type Sql, sql } from '../sql/fragment.ts';
import { quoted, tableName } from '../tables.ts';
import { type ChangeKind, no, PLAIN, yes } from './change-kind.ts';
import type { Of } from './changes.ts';
import { beginsWith } from './kept-answers.ts';
import type { Migration } from './migration.ts';
import { type MigrationStep, run } from './rewriter.ts';
import { lose } from './values.ts';

export const addResource: ChangeKind<'add resource'> = {
  ...PLAIN,
  text: ({ resource }) => `${resource} is added`,
  besides: yes,
  widens: true,
  steps: { make: ({ to }, { resource }) => to.addTable(to.resource(resource)) },
};

const accepted = ({ resource }: Of<'drop resource'>): string => `drop ${resource}`;

export const dropResource: ChangeKind<'drop resource'> = {
  ...PLAIN,
  text: ({ resource }) => `${resource} is removed, with its rows`,
  accept: accepted,
  besides: no,
  widens: false,
  touches: true,
  moves: true,
  steps: { count: (m, change) => lose(m, change, accepted(change), '1 = 1'), drop: dropTable },
};

export const renameResource: ChangeKind<'rename resource'> = {
  ...PLAIN,
  text: ({ resource, from }) => `${from} is renamed to ${resource}`,
  besides: no,
  widens: true,
  moves: true,
};

/** Drops a table, with its sequences, and with the keys, kept answers, subscriptions and deliveries of its rows. */
function* dropTable(_m: Migration, change: Of<'drop resource'>): MigrationStep<void> {
  const { resource } = change;
  const what = `${resource} goes`;
  const begins = (column: string, end: string): Sql => beginsWith(raw(column), resource + end);
  yield* run(what, `DROP TABLE ${quoted(tableName(resource))}`);
  yield* run(what, sql`DELETE FROM ninefold_key WHERE mark = ${resource} OR ${begins('mark', '/')}`);
  yield* run(what, sql`DELETE FROM ninefold_answer WHERE ${begins('caller', '/')}`);
  yield* run(what, sql`DELETE FROM ninefold_sequence WHERE ${begins('name', '.')}`);
  for (const table of ['ninefold_delivery', 'ninefold_subscription'])
    yield* run(what, sql`DELETE FROM ${raw(table)} WHERE ${begins('receiver', ' ')}`);
  yield* run(what, sql`DELETE FROM ninefold_receiver WHERE ${begins('id', ' ')}`);
  yield* run(what, sql`DELETE FROM ninefold_meta WHERE key = ${`table ${tableName(resource)}`}`);
}
