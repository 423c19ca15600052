import type { Command } from 'commander';
import type { DirectoryLock } from '../store/sqlite/lock.ts';
import { jsonText } from '../text/visible.ts';
import { type MigrationOptions, migrationOptions, readAnswers } from './answers.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { migrate as bring } from './migrating.ts';
import { reportFailure, settledPlan } from './open.ts';
import { holdPlace, isStored, type Place, placeName, withPlace } from './stores.ts';

interface Options extends Place, MigrationOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const AFTER = `
\`serve\` runs the same migration when it starts. A migration is one transaction. It is refused when it would lose
values that --accept does not name, and when stored rows do not fit the document; the command then prints the number
of these rows. --dry-run migrates a copy and removes it, also while a service runs. On PostgreSQL, a migration closes
the connections of nodes that cannot continue with the old document.

Examples:
  $ ninefold migrate orders.md --dry-run
  $ ninefold migrate orders.md --rename Order.amount=Order.total --accept "drop Order.note"
  $ ninefold migrate orders.md --fill Order.channel=web --fill 'Order.total=\`quantity * 250\`'`;

/** Adds `migrate FILE`. */
export function register(program: Command, io: Io): void {
  const command = withPlace(program.command('migrate'))
    .description('Migrates stored rows to a changed document, and prints every change.')
    .argument('<FILE>', 'the document')
    .option('--dry-run', 'print the migration, and change nothing')
    .option('--json', 'print JSON');
  migrationOptions(command)
    .addHelpText('after', AFTER)
    .action((file: string, options: Options) => run(file, options, io));
}

async function run(file: string, options: Options, io: Io): Promise<void> {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!compiled || !plan) return;
  const { data, store, dryRun: dry = false, json = false } = options;
  const place: Place = store === undefined ? { data } : { data, store };
  let held: DirectoryLock | null = null;
  try {
    if (!(await isStored(place))) {
      // A missing store is no error, so that scripts can migrate before every start, including the first.
      if (json)
        io.out(`${jsonText({ outcome: 'nothing', milliseconds: 0, changes: [], refused: [], notes: [] }, 2)}\n`);
      else io.out(`There is no store in ${placeName(place)} yet: nothing to migrate.\n`);
      io.exit(EXIT.settled);
      return;
    }
    // A running service would continue with the old document.
    held = dry ? null : holdPlace(place);
    const outcome = await bring(
      compiled.name,
      plan,
      readAnswers(compiled, plan, options),
      { place, dry, json, back: true },
      io,
    );
    if (outcome === 'nothing' && !json)
      io.out(`The rows in ${placeName(place)} have the shape of ${file} already: nothing to migrate.\n`);
    io.exit(outcome === 'wrong use' ? EXIT.wrongUse : outcome === 'refused' ? EXIT.findings : EXIT.settled);
  } catch (error) {
    reportFailure(error, place, io);
  } finally {
    held?.release();
  }
}
