import type { Command } from 'commander';
import { type Held, holdDirectory } from '../store/hold.ts';
import { type MigrationOptions, migrationOptions } from './answers.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { migrate as bring } from './migrating.ts';
import { reportFailure, settledPlan } from './open.ts';

interface Options extends MigrationOptions {
  readonly data: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const AFTER = `
\`serve\` does the same when it starts. What drops values is refused until it is accepted by name, and what rows
don't fit is refused with how many they are. It is done in one transaction, or not at all. With --dry-run it is
done to a copy that goes again, also while a service runs.

Examples:
  $ ninefold migrate orders.md --dry-run
  $ ninefold migrate orders.md --rename Order.amount=Order.total --accept "drop Order.note"
  $ ninefold migrate orders.md --fill Order.channel=web --fill 'Order.total=\`quantity * 250\`'`;

/** Adds `migrate FILE`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('migrate')
    .summary('bring the rows there are to a document that has changed')
    .description('Shows what a changed document makes of the rows there are, and does it.')
    .argument('<FILE>', 'the document')
    .option('--data <DIR>', 'where rows are kept', './data')
    .option('--dry-run', 'show it, and change nothing')
    .option('--json', 'print JSON');
  migrationOptions(command)
    .addHelpText('after', AFTER)
    .action((file: string, options: Options) => run(file, options, io));
}

function run(file: string, options: Options, io: Io): void {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!compiled || !plan) return;
  const { data, dryRun: dry = false, json = false } = options;
  let held: Held | null = null;
  try {
    // A service that runs would go on by the old document.
    held = dry ? null : holdDirectory(data);
    const outcome = bring(compiled, plan, options, { data, dry, json }, io);
    if (outcome === 'nothing' && !json) io.out(`The rows in ${data} are those of ${file}: nothing has to be done.\n`);
    io.exit(outcome === 'wrong use' ? EXIT.wrongUse : outcome === 'refused' ? EXIT.findings : EXIT.settled);
  } catch (error) {
    reportFailure(error, { data }, io);
  } finally {
    held?.release();
  }
}
