import type { Command } from 'commander';
import { jsonText } from '../source/visible.ts';
import type { Held } from '../store/hold.ts';
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
\`serve\` does the same when it starts. What drops values is refused until it is accepted by name, and what rows
don't fit is refused with how many they are. It is done in one transaction, or not at all. With --dry-run it is
done to a copy that goes again, also while a service runs. On PostgreSQL, nodes that may not go on with the document
before lose their connections, and get no others.

Examples:
  $ ninefold migrate orders.md --dry-run
  $ ninefold migrate orders.md --rename Order.amount=Order.total --accept "drop Order.note"
  $ ninefold migrate orders.md --fill Order.channel=web --fill 'Order.total=\`quantity * 250\`'`;

/** Adds `migrate FILE`. */
export function register(program: Command, io: Io): void {
  const command = withPlace(program.command('migrate'))
    .summary('bring the rows there are to a document that has changed')
    .description('Shows what a changed document makes of the rows there are, and does it.')
    .argument('<FILE>', 'the document')
    .option('--dry-run', 'show it, and change nothing')
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
  let held: Held | null = null;
  try {
    if (!(await isStored(place))) {
      // Whoever brings rows along before each start begins here, too.
      if (json)
        io.out(`${jsonText({ outcome: 'nothing', milliseconds: 0, changes: [], refused: [], notes: [] }, 2)}\n`);
      else io.out(`There is no store in ${placeName(place)} yet: nothing has to be done.\n`);
      io.exit(EXIT.settled);
      return;
    }
    // A service that runs would go on by the old document.
    held = dry ? null : holdPlace(place);
    const outcome = await bring(
      compiled.name,
      plan,
      readAnswers(compiled, plan, options),
      { place, dry, json, back: true },
      io,
    );
    if (outcome === 'nothing' && !json)
      io.out(`The rows in ${placeName(place)} are those of ${file}: nothing has to be done.\n`);
    io.exit(outcome === 'wrong use' ? EXIT.wrongUse : outcome === 'refused' ? EXIT.findings : EXIT.settled);
  } catch (error) {
    reportFailure(error, place, io);
  } finally {
    held?.release();
  }
}
