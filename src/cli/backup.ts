import type { Command } from 'commander';
import type { Plan } from '../plan/step.ts';
import { showSize } from '../source/units.ts';
import { jsonText } from '../source/visible.ts';
import { loadDocument } from './document.ts';
import type { Io } from './io.ts';
import { reportFailure, settledPlan } from './open.ts';
import { keepingOf, mustBeStored, type Place, placeName, withPlace } from './stores.ts';

const AFTER_BACKUP = `
One file holds everything as of one instant: rows, keys, kept answers, and what is still to be delivered. It is made
while the service runs, and bears its name once it is whole and on the disk. It holds secrets, and is its owner's alone.

The file is the same whichever store it is of, and can be restored into either.

Examples:
  $ ninefold backup orders.md --data ./data --to backups/orders-2026-11-21.sqlite
  $ ninefold backup orders.md --store postgres://ninefold@db.example/orders --to backups/orders-2026-11-22.sqlite`;

const AFTER_RESTORE = `
The backup has to be what was backed up, to the last bit, as its checksum says, and of the document's shape.
What is there and is replaced may be damaged: it is kept as it is. The service must not run, on any node. What
was being delivered when the backup was made is delivered again.

A backup moves between stores. To go from a directory to PostgreSQL with everything there is, stop the service and:
  $ ninefold backup orders.md --data ./data --to orders.sqlite
  $ ninefold restore orders.md --from orders.sqlite --store postgres://ninefold@db.example/orders

Example:
  $ ninefold restore orders.md --from backups/orders-2026-11-21.sqlite --data ./data`;

interface Options extends Place {
  readonly json?: boolean;
}

interface RestoreOptions extends Options {
  readonly from: string;
  readonly replace?: boolean;
  readonly withoutChecksum?: boolean;
}

/** Adds `backup FILE` and `restore FILE`. */
export function register(program: Command, io: Io): void {
  const backing = program
    .command('backup')
    .summary('copy all rows into one file, while the service runs')
    .description('Copies everything that is stored into one file, as of one instant.')
    .argument('<FILE>', 'the document')
    .requiredOption('--to <PATH>', 'the file to be made');
  withPlace(backing)
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_BACKUP)
    .action((file: string, options: Options & { to: string }) =>
      within(file, options, io, (plan) => backup(file, plan, options, io)),
    );
  const restoring = program
    .command('restore')
    .summary('put a backup in the place of what is stored')
    .description('Puts a backup where rows are kept.')
    .argument('<FILE>', 'the document')
    .requiredOption('--from <PATH>', 'the backup');
  withPlace(restoring)
    .option('--replace', 'put it in the place of what is there, which is kept under another name')
    .option('--without-checksum', 'take one that an older Ninefold made, of which nobody can tell that it is intact')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_RESTORE)
    .action((file: string, options: RestoreOptions) => within(file, options, io, (plan) => restore(plan, options, io)));
}

async function within(file: string, place: Place, io: Io, work: (plan: Plan) => Promise<void>): Promise<void> {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!plan) return;
  try {
    await work(plan);
  } catch (error) {
    reportFailure(error, place, io);
  }
}

async function backup(file: string, plan: Plan, options: Options & { to: string }, io: Io): Promise<void> {
  const { to, json } = options;
  await mustBeStored(options);
  const { bytes, fits } = await keepingOf(options).backup(to, plan);
  if (json) {
    io.out(`${jsonText({ to, bytes, fits })}\n`);
    return;
  }
  io.out(`${placeName(options)} is backed up in ${to}: ${showSize(bytes)}.\n`);
  if (!fits) io.out(`Its rows are not those of ${file}: it can be restored with the document that they are of.\n`);
}

async function restore(plan: Plan, options: RestoreOptions, io: Io): Promise<void> {
  const { from, json } = options;
  const how = { replace: options.replace ?? false, unsealed: options.withoutChecksum ?? false };
  const { bytes, kept } = await keepingOf(options).restore(from, plan, how);
  if (json) {
    io.out(`${jsonText({ from, bytes, kept })}\n`);
    return;
  }
  io.out(`${from} is restored to ${placeName(options)}: ${showSize(bytes)}.\n`);
  if (kept === null) return;
  io.out(`What was there is kept as ${options.store === undefined ? kept : `the schema ${kept}`}.\n`);
}
