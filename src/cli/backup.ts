import type { Command } from 'commander';
import type { Plan } from '../plan/step.ts';
import { showSize } from '../text/units.ts';
import { jsonText } from '../text/visible.ts';
import { loadDocument } from './document.ts';
import type { Io } from './io.ts';
import { reportFailure, settledPlan } from './open.ts';
import { keepingOf, mustBeStored, type Place, placeName, withPlace } from './stores.ts';

const AFTER_BACKUP = `
The file contains the rows, keys, stored answers and pending deliveries of one instant. The service can run during the
backup. The file gets its name after it is complete and synced. The file contains secrets, so only its owner can read it.

Backups of SQLite and PostgreSQL have the same format, and each store can restore the backup of the other.

Examples:
  $ ninefold backup orders.md --data ./data --to orders-2026-11-21.sqlite
  $ ninefold backup orders.md --store postgres://ninefold@db.example/orders --to orders-2026-11-22.sqlite`;

const AFTER_RESTORE = `
The checksum of the backup has to match, and its rows have to have the shape of the document. No node of the service may
run. The service repeats deliveries that were under way at the instant of the backup. With --replace, the command renames
an existing store, also when its files are damaged.

A backup can move a service to another store. To move from a data directory to PostgreSQL, stop the service and run:
  $ ninefold backup orders.md --data ./data --to orders.sqlite
  $ ninefold restore orders.md --from orders.sqlite --store postgres://ninefold@db.example/orders

Example:
  $ ninefold restore orders.md --from orders-2026-11-21.sqlite --data ./data`;

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
    .description('Copies the whole store into one file, with the state of one instant.')
    .argument('<FILE>', 'the document')
    .requiredOption('--to <PATH>', 'the file to write');
  withPlace(backing)
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_BACKUP)
    .action((file: string, options: Options & { to: string }) =>
      within(file, options, io, (plan) => backup(file, plan, options, io)),
    );
  const restoring = program
    .command('restore')
    .description('Restores a backup into a data directory or a database.')
    .argument('<FILE>', 'the document')
    .requiredOption('--from <PATH>', 'the backup');
  withPlace(restoring)
    .option('--replace', 'replace an existing store, which is renamed')
    .option('--without-checksum', 'accept a backup without a checksum, which cannot be verified')
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
  io.out(`${placeName(options)} is backed up to ${to}: ${showSize(bytes)}.\n`);
  if (!fits) io.out(`Its rows do not have the shape of ${file}. Restore the backup with the document of these rows.\n`);
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
  io.out(`The replaced store is kept as ${options.store === undefined ? kept : `the schema ${kept}`}.\n`);
}
